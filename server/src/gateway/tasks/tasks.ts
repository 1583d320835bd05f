import {
	failureOf,
	metaOf,
	namedFailure,
	parseJsonText,
	type RpcFailure,
	rpcCodes,
} from '../../mcp-client/index.ts'
import type { ChangeKind, View } from '../../platform/changes.ts'
import type { Problem } from '../../platform/errors.ts'
import type { RequestContext } from '../../platform/http/route.ts'
import type { ClientSession } from '../eras/legacy/session-store.ts'
import type { Gateway } from '../gateway.ts'
import { type InputRequest, understands } from '../input-requests.ts'
import { OpenInputRequest, operationEnded } from '../open-input-request.ts'
import type { Ask, AskOptions, Operation, TaskOfOperation } from '../operation.ts'
import { planCallTool } from '../perform/call-tool.ts'
import { runRecorded } from '../perform/run-recorded.ts'
import type { Reply } from '../reply.ts'
import { hasEnded, presentTask, readCall, relatedTo, type Task, type TaskOutcome, TaskReply } from './task.ts'
import type { TaskChanges, TaskStore } from './task-store.ts'

interface RunningTask {
	task: Task
	operation: Operation
	reply: TaskReply
	inputRequests: TaskInputRequests | null
	/** What its client was last told of its state. */
	told: string
	/** Why its caller may no longer run it, or null. */
	check(): Problem | null
	cut(problem: Problem): void
	done: Promise<void>
}

const closeMs = 1000

/** The tasks that run in this process, and the listeners to tasks here. */
export class Tasks implements View {
	readonly kinds: readonly ChangeKind[] = ['mcp_task']
	readonly store: TaskStore
	readonly #running = new Map<string, RunningTask>()
	readonly #watchers = new Map<string, Set<() => void>>()
	#gateway!: Gateway
	#isClosing = false

	constructor(store: TaskStore) {
		this.store = store
	}

	/** Takes over the tasks that other processes left. */
	open(gateway: Gateway): void {
		this.#gateway = gateway
		this.#adopt()
	}

	/** Runs the call of a task without a waiting client. `release` is called at its end. */
	start(task: Task, call: string, release: () => void = () => {}): void {
		const reply = new TaskReply(task.id)
		const operation = readCall(call, this.#handleOf(task), reply)
		const idle = { check: () => null, cut: () => {}, done: Promise.resolve(), inputRequests: null }
		const running: RunningTask = { task, operation, reply, told: saidOf(task), ...idle }
		this.#running.set(task.id, running)
		running.done = this.#run(running)
			.catch((error: unknown) => this.#gateway.log.error({ err: error }, 'gateway: a task was lost'))
			.finally(() => {
				this.#running.delete(task.id)
				release()
			})
	}

	/** Forwards the task's messages before its result to this reply, if the task runs here. */
	attach(taskId: string, reply: Reply): () => void {
		return this.#running.get(taskId)?.reply.attach(reply) ?? (() => {})
	}

	/** Calls `notify` whenever a task may have changed. */
	watch(taskId: string, notify: () => void): () => void {
		const watchers = this.#watchers.get(taskId) ?? new Set()
		this.#watchers.set(taskId, watchers.add(notify))
		return () => {
			watchers.delete(notify)
			if (watchers.size === 0 && this.#watchers.get(taskId) === watchers) this.#watchers.delete(taskId)
		}
	}

	/** Reads tasks again that other processes may have changed meanwhile. */
	async load(): Promise<void> {
		for (const id of new Set([...this.#running.keys(), ...this.#watchers.keys()])) await this.apply('', id)
	}

	async apply(_kind: string, id: string): Promise<void> {
		for (const notify of this.#watchers.get(id) ?? []) notify()
		const running = this.#running.get(id)
		if (running) await this.#applyChanges(running)
	}

	/** Ends tasks whose callers may no longer run them. */
	recheck(): void {
		for (const { check, cut } of this.#running.values()) {
			const problem = check()
			if (problem) cut(problem)
		}
	}

	/** Ends tasks that exceeded their time limit. */
	tick(): void {
		const nowMs = this.#gateway.clock.nowMs()
		for (const { task, operation } of this.#running.values())
			if (task.expiresAtMs <= nowMs) operation.cancellation.cancel(tooLong(task))
	}

	/** Every few seconds: renews the leases of tasks that run here, takes over abandoned ones, deletes expired ones. */
	async sweep(): Promise<void> {
		if (this.#running.size > 0) await this.store.hold()
		this.#adopt()
		await this.store.sweep()
	}

	/** Stops all tasks. Another process, or this one after a restart, continues them. */
	async close(): Promise<void> {
		this.#isClosing = true
		const running = [...this.#running.values()]
		for (const { operation } of running) operation.cancellation.cancel(programEnded())
		const ended = Promise.all(running.map(({ done }) => done))
		await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, closeMs).unref())])
		if (running.length > 0) await this.store.releaseLeases()
	}

	#adopt(): void {
		this.store
			.takeAbandoned()
			.then(async (taken) => {
				for (const { task, call } of taken) await this.#goOn(task, call)
			})
			.catch((error: unknown) => this.#gateway.log.warn({ err: error }, 'gateway: tasks were not taken over'))
	}

	/** A call that reached its server and left no task there is lost: sending it again could run it twice. */
	async #goOn(task: Task, call: string): Promise<void> {
		const isLost = task.state.isSent && task.state.upstreamTaskId === null
		if (!isLost) return this.start(task, call, await this.#countAgain(task))
		const { code, message, data } = interrupted()
		this.#end(task, { error: { code, message, data } }).catch((error: unknown) =>
			this.#gateway.log.warn({ err: error }, 'gateway: a task was not ended'),
		)
	}

	/** A task that goes on counts as running again. It was admitted when it began, so no limit refuses it. */
	async #countAgain({ agentId, serverId, tool }: Task): Promise<() => void> {
		const { enforcement, limiter } = this.#gateway
		const server = enforcement.server(serverId)
		const bounds = server ? enforcement.boundsOf(agentId, server, tool) : []
		const counted = bounds.filter(({ limit }) => limit.concurrency !== null)
		const unlimited = { callsPerMinute: null, concurrency: Number.MAX_SAFE_INTEGER }
		const entered = await limiter.enter(counted.map((bound) => ({ ...bound, limit: unlimited })))
		return entered.reached ? () => {} : () => entered.leave()
	}

	async #run(running: RunningTask): Promise<void> {
		const { operation, reply } = running
		await this.#prepareInputRequests(running)
		const guard: RequestContext['guard'] = (check, cut) => Object.assign(running, { check, cut })
		let outcome: TaskOutcome | null
		try {
			await runRecorded(this.#gateway, operation, planCallTool(this.#gateway, operation), guard)
			outcome = reply.message === '' ? null : (parseJsonText(reply.message) as TaskOutcome)
		} catch (error) {
			const { code, message, data } = failureOf(error)
			outcome = { error: { code, message, ...(data !== undefined && { data }) } }
		}
		if (outcome && !this.#isClosing) await this.#end(running.task, outcome)
		await this.#notifyEnd(running)
	}

	/** Asks an input request again that was not answered before a restart. */
	async #prepareInputRequests(running: RunningTask): Promise<void> {
		const { task, operation, reply } = running
		const { caller, client, sessionId } = operation
		if (client.era === 'modern') {
			running.inputRequests = new TaskInputRequests(this.#gateway, operation, task)
			operation.ask = running.inputRequests.ask
		} else if (sessionId !== undefined) {
			const session = await this.#gateway.sessions.find(sessionId, caller)
			if (session) operation.ask = askSession(this.#gateway, operation, task, session, reply)
		}
		if (task.status === 'input_required')
			await this.store.change(task, () => ({ status: 'working', state: { questions: {}, answers: {} } }))
	}

	async #end(task: Task, { result, error }: TaskOutcome): Promise<void> {
		const outcome: TaskOutcome = error ? { error } : { result }
		const state = { outcome, questions: {}, answers: {} }
		await this.store.change(task, () =>
			error
				? { status: 'failed', statusMessage: error.message, state }
				: { status: 'completed', statusMessage: null, state },
		)
	}

	/** Handles changes made by other processes or requests. */
	async #applyChanges(running: RunningTask): Promise<void> {
		const task = await this.store.find(running.task)
		if (!task) return
		if (task.status === 'cancelled') running.operation.cancellation.cancel(cancelled())
		running.inputRequests?.take(task)
		if (!hasEnded(task)) this.#notify(running, task)
	}

	async #notifyEnd(running: RunningTask): Promise<void> {
		const task = await this.store.find(running.task)
		if (task && hasEnded(task)) this.#notify(running, task)
	}

	/** Notifies a legacy client of its task on the stream of its session, if that is in this process. */
	#notify(running: RunningTask, task: Task): void {
		const { client, sessionId } = running.operation
		const said = saidOf(task)
		if (client.era === 'modern' || sessionId === undefined || said === running.told) return
		running.told = said
		const params = presentTask(task, 'legacy')
		const message = { jsonrpc: '2.0', method: 'notifications/tasks/status', params }
		this.#gateway.streams.send(sessionId, JSON.stringify(message))
	}

	#handleOf(task: Task): TaskOfOperation {
		let message = task.statusMessage
		const handle: TaskOfOperation = {
			...{ id: task.id, serverId: task.serverId, tool: task.tool },
			upstreamTaskId: task.state.upstreamTaskId,
			ttlMs: task.expiresAtMs - task.createdAtMs,
			setStatusMessage: async (statusMessage) => {
				if (statusMessage === message) return
				message = statusMessage
				await this.store.change(task, () => ({ statusMessage }))
			},
			noteSent: async () => void (await this.store.change(task, () => ({ state: { isSent: true } }))),
			noteUpstream: async (upstreamTaskId) => {
				handle.upstreamTaskId = upstreamTaskId
				await this.store.change(task, () => ({ state: { upstreamTaskId } }))
			},
		}
		return handle
	}
}

function saidOf({ status, statusMessage }: Task): string {
	return `${status} ${statusMessage ?? ''}`
}

function cancelled(): RpcFailure {
	const text = 'The task was cancelled.'
	return namedFailure(rpcCodes.internal, 'cancelled', text, { status: 'interrupted' })
}

/** This process ends; the task does not. */
function programEnded(): RpcFailure {
	const text = 'The program is stopping; the task continues when it runs again.'
	return namedFailure(rpcCodes.internal, 'program_ended', text, { status: 'interrupted' })
}

function tooLong({ expiresAtMs, createdAtMs }: Task): RpcFailure {
	const text = `The task took longer than its ${(expiresAtMs - createdAtMs) / 1000} s and was ended.`
	return namedFailure(rpcCodes.internal, 'timeout', text)
}

function interrupted(): RpcFailure {
	const text =
		'The program that ran the call ended meanwhile. The call may have had effects; nothing sends it again.'
	return namedFailure(rpcCodes.internal, 'interrupted', text)
}

type Which = Pick<Task, 'workspaceId' | 'id'>

/** The input requests of one task to a modern client, which reads them with `tasks/get` and answers them with `tasks/update`. */
class TaskInputRequests {
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
function askSession(
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
