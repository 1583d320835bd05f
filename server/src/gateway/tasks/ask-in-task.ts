import { metaOf } from '../../mcp-client/index.ts'
import type { ClientSession } from '../eras/legacy/session-store.ts'
import type { Gateway } from '../gateway.ts'
import { type Ask, type AskOptions, type InputRequest, understands } from '../input-requests.ts'
import { OpenInputRequest, operationEnded } from '../open-input-request.ts'
import type { Operation } from '../operation.ts'
import { relatedTo, type Task } from './task.ts'
import type { TaskReply } from './task-reply.ts'
import type { TaskChanges } from './task-store.ts'

type Which = Pick<Task, 'workspaceId' | 'id'>

/** The input requests of one task to a modern client, which reads them with `tasks/get` and answers them with `tasks/update`. */
export class TaskInputRequests {
	readonly #gateway: Gateway
	readonly #operation: Operation
	readonly #which: Which
	readonly #open = new Map<string, OpenInputRequest>()

	constructor(gateway: Gateway, operation: Operation, which: Which) {
		this.#gateway = gateway
		this.#operation = operation
		this.#which = which
	}

	readonly ask: Ask = async (asked, options = {}) => {
		if (!understands(this.#operation.client.capabilities, asked)) return 'unsupported'
		const { store } = this.#gateway.tasks
		const inputRequest = aboutTask(asked, this.#which.id)
		const task = await store.change(this.#which, (before) => withInputRequest(before, inputRequest))
		if (!task) throw operationEnded()
		const key = keyOf(task.state.asked)
		const opened = new OpenInputRequest(this.#operation, options, () => {
			this.#open.delete(key)
			void store.change(this.#which, (before) => withoutInputRequest(before, key)).catch(this.#warn)
		})
		this.#open.set(key, opened)
		// The answer may already have been stored.
		const now = await store.find(this.#which)
		if (now) this.take(now)
		return opened.answered
	}

	/** Delivers the answers that have arrived. */
	take({ state: { answers } }: Task): void {
		for (const [key, inputRequest] of this.#open) {
			const result = answers[key]
			if (result) inputRequest.answer({ result, error: null })
		}
	}

	readonly #warn = (error: unknown) =>
		this.#gateway.log.warn({ err: error }, 'gateway: an input request of a task was not withdrawn')
}

/** Replaces the server's own task id, which means nothing to the client. */
function aboutTask({ method, params }: InputRequest, taskId: string): InputRequest {
	return { method, params: { ...params, _meta: { ...metaOf(params), ...relatedTo(taskId) } } }
}

function keyOf(number: number): string {
	return `input-${number}`
}

function withInputRequest({ state }: Task, inputRequest: InputRequest): TaskChanges {
	const asked = state.asked + 1
	const questions = { ...state.questions, [keyOf(asked)]: inputRequest }
	return { status: 'input_required', state: { asked, questions } }
}

function withoutInputRequest({ state }: Task, key: string): TaskChanges {
	const { [key]: _inputRequest, ...questions } = state.questions
	const { [key]: _answer, ...answers } = state.answers
	return { status: statusOf(questions), state: { questions, answers } }
}

export function statusOf(questions: object): 'working' | 'input_required' {
	return Object.keys(questions).length > 0 ? 'input_required' : 'working'
}

/** How a task asks a legacy client: on the stream on which it waits for the result, or on its session's. */
export function askSession(
	gateway: Gateway,
	operation: Operation,
	which: Which,
	session: ClientSession,
	reply: TaskReply,
): Ask {
	const ask = gateway.inputRequests.askerOf(session, operation)
	const { store } = gateway.tasks
	return async (inputRequest, options = {}) => {
		if (!understands(session.client.capabilities, inputRequest)) return 'unsupported'
		await store.change(which, () => ({ status: 'input_required' }))
		operation.asking += 1
		try {
			if (!gateway.streams.has(session.id)) await waitForListener(operation, reply, options)
			return await ask(aboutTask(inputRequest, which.id), options)
		} finally {
			operation.asking -= 1
			await store.change(which, () => ({ status: 'working' }))
		}
	}
}

/** Resolves when a client listens to the task; rejects when the answer is no longer needed. */
function waitForListener(operation: Operation, reply: TaskReply, { signal }: AskOptions): Promise<void> {
	return new Promise((resolve, reject) => {
		const release = operation.cancellation.also(reject)
		signal?.addEventListener('abort', () => reject(signal.reason as unknown), { once: true })
		if (signal?.aborted) reject(signal.reason as unknown)
		void reply.whenListening().then(resolve).finally(release)
	})
}
