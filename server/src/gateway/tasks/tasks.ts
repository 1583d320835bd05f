import { failureOf, namedFailure, parseJsonText, type RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { ChangeKind, View } from '../../platform/changes.ts'
import type { Problem } from '../../platform/errors.ts'
import type { RequestContext } from '../../platform/http/index.ts'
import type { Gateway } from '../gateway.ts'
import type { Operation, TaskOfOperation } from '../operation.ts'
import { planCallTool } from '../perform/call-tool.ts'
import { runRecorded } from '../perform/run-recorded.ts'
import type { Reply } from '../reply.ts'
import { askSession, TaskInputRequests } from './ask-in-task.ts'
import { hasEnded, presentTask, readCall, type Task, type TaskOutcome } from './task.ts'
import { TaskReply } from './task-reply.ts'
import type { TaskStore } from './task-store.ts'

interface RunningTask {
	task: Task
	operation: Operation
	reply: TaskReply
	inputRequests: TaskInputRequests | null
	/** Whether its caller may still do it. */
	check(): Problem | null
	cut(problem: Problem): void
	done: Promise<void>
}

const closeMs = 1000

/** The tasks that run in this program, and who listens to tasks here. */
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

	/** Goes on with what other programs left. */
	open(gateway: Gateway): void {
		this.#gateway = gateway
		this.#adopt()
	}

	/** Runs the call of a task without anybody who waits; `release` is called at its end. */
	start(task: Task, call: string, release: () => void = () => {}): void {
		const reply = new TaskReply(task.id)
		const operation = readCall(call, this.#handleOf(task), reply)
		const idle = { check: () => null, cut: () => {}, done: Promise.resolve(), inputRequests: null }
		const running: RunningTask = { task, operation, reply, ...idle }
		this.#running.set(task.id, running)
		running.done = this.#run(running)
			.catch((error: unknown) => this.#gateway.log.error({ err: error }, 'gateway: a task was lost'))
			.finally(() => {
				this.#running.delete(task.id)
				release()
			})
	}

	/** What the task says before its result goes to this answer too, if it runs here. */
	attach(taskId: string, reply: Reply): () => void {
		return this.#running.get(taskId)?.reply.attach(reply) ?? (() => {})
	}

	/** Calls back when a task may have changed. */
	watch(taskId: string, tell: () => void): () => void {
		const watchers = this.#watchers.get(taskId) ?? new Set()
		this.#watchers.set(taskId, watchers.add(tell))
		return () => {
			watchers.delete(tell)
			if (watchers.size === 0 && this.#watchers.get(taskId) === watchers) this.#watchers.delete(taskId)
		}
	}

	/** What other programs changed meanwhile is read again. */
	async load(): Promise<void> {
		for (const id of new Set([...this.#running.keys(), ...this.#watchers.keys()])) await this.apply('', id)
	}

	async apply(_kind: string, id: string): Promise<void> {
		for (const tell of this.#watchers.get(id) ?? []) tell()
		const running = this.#running.get(id)
		if (running) await this.#look(running)
	}

	/** Ends those whose callers may not do them any more. */
	recheck(): void {
		for (const { check, cut } of this.#running.values()) {
			const problem = check()
			if (problem) cut(problem)
		}
	}

	/** Ends what took longer than it may. */
	tick(): void {
		const nowMs = this.#gateway.clock.nowMs()
		for (const { task, operation } of this.#running.values())
			if (task.expiresAtMs <= nowMs) operation.cancellation.cancel(tooLong(task))
	}

	/** Every few seconds: holds what runs here, takes what runs nowhere, forgets what is old. */
	async sweep(): Promise<void> {
		if (this.#running.size > 0) await this.store.hold()
		this.#adopt()
		await this.store.sweep()
	}

	/** Another program, or this one after a restart, goes on with them. */
	async close(): Promise<void> {
		this.#isClosing = true
		const running = [...this.#running.values()]
		for (const { operation } of running) operation.cancellation.cancel(letGo())
		const ended = Promise.all(running.map(({ done }) => done))
		await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, closeMs).unref())])
		if (running.length > 0) await this.store.letGo()
	}

	#adopt(): void {
		this.store
			.takeAbandoned()
			.then((taken) => {
				for (const { task, call } of taken) this.#goOn(task, call)
			})
			.catch((error: unknown) => this.#gateway.log.warn({ err: error }, 'gateway: tasks were not taken over'))
	}

	/** What reached its server and left no trace of itself there is lost: to send it again could do it twice. */
	#goOn(task: Task, call: string): void {
		const isLost = task.state.isSent && task.state.upstreamTaskId === null
		if (!isLost) return void this.start(task, call)
		const { code, message, data } = interrupted()
		this.#end(task, { error: { code, message, data } }).catch((error: unknown) =>
			this.#gateway.log.warn({ err: error }, 'gateway: a task was not ended'),
		)
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
		await this.#tell(running)
	}

	/** An input request that nobody answered before a restart is asked again. */
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

	/** Acts on what was changed from outside. */
	async #look(running: RunningTask): Promise<void> {
		const task = await this.store.find(running.task)
		if (!task) return
		if (task.status === 'cancelled') running.operation.cancellation.cancel(cancelled())
		running.inputRequests?.take(task)
		if (!hasEnded(task)) this.#notify(running, task)
	}

	async #tell(running: RunningTask): Promise<void> {
		const task = await this.store.find(running.task)
		if (task && hasEnded(task)) this.#notify(running, task)
	}

	/** A legacy client is notified of its task on the stream of its session, if that is here. */
	#notify({ operation: { client, sessionId } }: RunningTask, task: Task): void {
		if (client.era === 'modern' || sessionId === undefined) return
		const params = presentTask(task, 'legacy')
		const message = { jsonrpc: '2.0', method: 'notifications/tasks/status', params }
		this.#gateway.streams.send(sessionId, JSON.stringify(message))
	}

	#handleOf(task: Task): TaskOfOperation {
		const handle: TaskOfOperation = {
			id: task.id,
			upstreamTaskId: task.state.upstreamTaskId,
			ttlMs: task.expiresAtMs - task.createdAtMs,
			tell: async (statusMessage) => void (await this.store.change(task, () => ({ statusMessage }))),
			noteSent: async () => void (await this.store.change(task, () => ({ state: { isSent: true } }))),
			noteUpstream: async (upstreamTaskId) => {
				handle.upstreamTaskId = upstreamTaskId
				await this.store.change(task, () => ({ state: { upstreamTaskId } }))
			},
		}
		return handle
	}
}

function cancelled(): RpcFailure {
	const text = 'The task was cancelled.'
	return namedFailure(rpcCodes.internal, 'cancelled', text, { status: 'interrupted' })
}

/** This program ends, the task does not. */
function letGo(): RpcFailure {
	const text = 'The program ends; the task goes on when it runs again.'
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
