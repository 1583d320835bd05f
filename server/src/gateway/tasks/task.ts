import {
	Cancellation,
	type Era,
	isObject,
	type JsonObject,
	metaOf,
	namedFailure,
	parseJsonText,
	type RpcFailure,
	type RpcRequest,
	rpcCodes,
} from '../../mcp-client/index.ts'
import type { AgentPrincipal } from '../../platform/http/principal.ts'
import { readTrace, traceparentOf } from '../../platform/trace/current-trace.ts'
import { askUnsupported, type InputRequest } from '../input-requests.ts'
import type { Caller, ClientProgram, Operation, TaskOfOperation } from '../operation.ts'
import type { Reply } from '../reply.ts'
import type { TaskOwner } from './task-repository.ts'

/**
 * The tasks that a caller may see: those of its agent for the same user, and on the endpoint of one server only that server's.
 */
export function ownerOf({ workspaceId, agentId, serverId, userId }: Caller): TaskOwner {
	return { workspaceId, agentId, userId: userId ?? '', serverId }
}

const extension = 'io.modelcontextprotocol/tasks'
/** The only revision of the legacy era with tasks. */
const legacyFrom = '2025-11-25'

/** How an endpoint announces tasks: in `server/discover` of the modern era, and in `initialize` of the legacy one. */
export const modernTaskCapability = { extensions: { [extension]: {} } }

export function legacyTaskCapability({
	protocolVersion,
}: Pick<ClientProgram, 'protocolVersion'>): JsonObject {
	if (protocolVersion < legacyFrom) return {}
	return { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
}

/** Whether a client supports a task as an answer. In the legacy era each request says so by itself. */
export function knowsTasks({ era, protocolVersion, capabilities }: ClientProgram): boolean {
	return era === 'modern' ? hasExtension(capabilities) : protocolVersion >= legacyFrom
}

/** Whether a client requests tasks per call, and therefore has to know which tools allow them. */
export function choosesTasks(client: ClientProgram): boolean {
	return client.era === 'legacy' && knowsTasks(client)
}

/** Whether a server of either era runs calls as tasks. */
export function offersTasks({ capabilities }: { capabilities: JsonObject }): boolean {
	const { tasks } = capabilities
	const requests = isObject(tasks) && isObject(tasks.requests) ? tasks.requests : {}
	return hasExtension(capabilities) || (isObject(requests.tools) && isObject(requests.tools.call))
}

function hasExtension({ extensions }: JsonObject): boolean {
	return isObject(extensions) && isObject(extensions[extension])
}

/** These capabilities of 2026-07-28 with the tasks extension. */
export function withTasks(capabilities: JsonObject): JsonObject {
	const extensions = { ...(capabilities.extensions as object), ...modernTaskCapability.extensions }
	return { ...capabilities, extensions }
}

/** For requests that need the tasks extension, from a client that does not declare it (-32021). */
export function tasksNotDeclared(): RpcFailure {
	const text = `Declare the extension ${extension} among your capabilities.`
	return namedFailure(rpcCodes.missingCapability, 'tasks_not_declared', text, {
		data: { code: 'tasks_not_declared', requiredCapabilities: modernTaskCapability },
	})
}

/** Caller and request: enough to continue the call in another process, or after a restart. */
interface StoredCall {
	caller: Omit<Caller, 'principal'> & { principal: Omit<AgentPrincipal, 'scopes'> & { scopes: string[] } }
	client: ClientProgram
	sessionId: string | null
	request: RpcRequest
	traceparent: string
	traceState: string
	requestBytes: number
	clientAddress: string
}

export function writeCall(operation: Operation): string {
	const { caller, client, request, trace, requestBytes, clientAddress, sessionId = null } = operation
	const principal = caller.principal as AgentPrincipal
	const stored: StoredCall = {
		caller: { ...caller, principal: { ...principal, scopes: [...principal.scopes] } },
		...{ client, sessionId, request, requestBytes, clientAddress },
		traceparent: traceparentOf(trace),
		traceState: trace.traceState,
	}
	return JSON.stringify(stored)
}

/** Restores the call as an operation, a child of the request that began it. */
export function readCall(text: string, task: TaskOfOperation, reply: Reply): Operation {
	const { caller, sessionId, traceparent, traceState, ...kept } = parseJsonText(text) as StoredCall
	const { principal } = caller
	const trace = readTrace(traceparent, traceState || undefined)
	if (!trace) throw new Error('The trace of a stored call cannot be read.')
	return {
		...kept,
		caller: {
			...caller,
			// Earlier versions stored only the principal.
			userId: caller.userId ?? principal.delegatedBy?.userId ?? null,
			principal: { ...principal, scopes: new Set(principal.scopes) } as unknown as AgentPrincipal,
		},
		...(sessionId !== null && { sessionId }),
		...{ trace, reply, task, ask: askUnsupported, cancellation: new Cancellation() },
		...{ asking: 0, isRetry: false },
		// A call with a task at its server has reached the server.
		sending: { isSent: task.upstreamTaskId !== null },
	}
}

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** The outcome of a task: the answer to its call. */
export type TaskOutcome =
	| { result: JsonObject; error?: undefined }
	| { error: { code: number; message: string; data?: unknown }; result?: undefined }

/** The changing state of a task. */
export interface TaskState {
	/** Whether anything of the call may have reached its server. From then on it is never sent again. */
	isSent: boolean
	/** The id of the server's own task, which any process can poll. */
	upstreamTaskId: string | null
	/**
	 * Pending input requests by key; the field is named as in stored rows. `asked` counts all of them, so that keys are never
	 * reused.
	 */
	questions: Record<string, InputRequest>
	asked: number
	/** Answers received and not yet delivered. */
	answers: Record<string, JsonObject>
	outcome: TaskOutcome | null
}

/** A tool call that continues without its client. */
export interface Task {
	id: string
	workspaceId: string
	agentId: string
	serverId: string
	tool: string
	status: TaskStatus
	statusMessage: string | null
	createdAtMs: number
	updatedAtMs: number
	expiresAtMs: number
	version: number
	state: TaskState
}

/** The suggested poll interval, in milliseconds. */
const pollMs = 500

export const newState: TaskState = {
	...{ isSent: false, upstreamTaskId: null, asked: 0, outcome: null },
	...{ questions: {}, answers: {} },
}

export function hasEnded({ status }: Pick<Task, 'status'>): boolean {
	return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** A task in the form of `tasks/get` of the given era; in the modern one with the pending input requests or the outcome. */
export function presentTask(task: Task, era: Era): JsonObject {
	const ttl = task.expiresAtMs - task.createdAtMs
	return {
		taskId: task.id,
		status: task.status,
		...(task.statusMessage !== null && { statusMessage: task.statusMessage }),
		createdAt: new Date(task.createdAtMs).toISOString(),
		lastUpdatedAt: new Date(task.updatedAtMs).toISOString(),
		...(era === 'modern'
			? { ttlMs: ttl, pollIntervalMs: pollMs, ...detailsOf(task) }
			: { ttl, pollInterval: pollMs }),
	}
}

function detailsOf({ status, state }: Task): JsonObject {
	if (status === 'input_required') return { inputRequests: state.questions }
	return status === 'cancelled' ? {} : { ...state.outcome }
}

/** The answer to a call that became a task. */
export function presentCreated(task: Task, era: Era): JsonObject {
	if (era === 'legacy') return { task: presentTask(task, era) }
	const { inputRequests, result, error, ...seed } = presentTask(task, era)
	return { resultType: 'task', ...seed }
}

/** The `_meta` of a legacy message that belongs to a task. */
export function relatedTo(taskId: string): JsonObject {
	return { 'io.modelcontextprotocol/related-task': { taskId } }
}

/** The reply of a task: it keeps the answer, and forwards earlier messages to the client that currently waits for the result. */
export class TaskReply implements Reply {
	message = ''
	readonly #taskId: string
	readonly #listeners = new Set<Reply>()
	#onListener: (() => void)[] = []

	constructor(taskId: string) {
		this.#taskId = taskId
	}

	/** Forwards the task's messages to this reply until the returned function is called. */
	attach(listener: Reply): () => void {
		this.#listeners.add(listener)
		for (const listener of this.#onListener.splice(0)) listener()
		return () => this.#listeners.delete(listener)
	}

	/** Resolves when a client receives messages. */
	whenListening(): Promise<void> {
		return this.takesMessages ? Promise.resolve() : new Promise((resolve) => this.#onListener.push(resolve))
	}

	get takesMessages(): boolean {
		return this.#listener !== undefined
	}

	bytesWith(message: string): number {
		return Buffer.byteLength(message)
	}

	notify(message: string): boolean {
		return this.#listener?.notify(withTask(message, this.#taskId)) ?? true
	}

	onDrain(resume: () => void): void {
		if (this.#listener) this.#listener.onDrain(resume)
		else resume()
	}

	heartbeat(): void {}

	end(message: string): void {
		this.message = message
	}

	get #listener(): Reply | undefined {
		return [...this.#listeners].find(({ takesMessages }) => takesMessages)
	}
}

/** Adds the id of the task to a message, as every message of a task must have it. */
function withTask(text: string, taskId: string): string {
	const message = parseJsonText(text)
	if (!isObject(message) || !isObject(message.params)) return text
	const _meta = { ...metaOf(message.params), ...relatedTo(taskId) }
	return JSON.stringify({ ...message, params: { ...message.params, _meta } })
}
