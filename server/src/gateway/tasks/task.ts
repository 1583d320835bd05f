import {
	Cancellation,
	type Era,
	isObject,
	type JsonObject,
	namedFailure,
	parseJsonText,
	type RpcFailure,
	type RpcRequest,
	rpcCodes,
} from '../../mcp-client/index.ts'
import type { AgentPrincipal } from '../../platform/http/index.ts'
import { readTrace, traceparentOf } from '../../platform/trace/current-trace.ts'
import { askNobody, type InputRequest } from '../input-requests.ts'
import type { Caller, ClientProgram, Operation, TaskOfOperation } from '../operation.ts'
import type { Reply } from '../reply.ts'
import type { TaskOwner } from './task-repository.ts'

/** Whose tasks a caller sees: those of its agent for the same person, on the endpoint of one server only those of that. */
export function ownerOf({ workspaceId, agentId, serverId, userId }: Caller): TaskOwner {
	return { workspaceId, agentId, userId: userId ?? '', serverId }
}

const extension = 'io.modelcontextprotocol/tasks'
/** The one revision of the legacy era that knows tasks. */
const legacyFrom = '2025-11-25'

/** What an endpoint says of tasks to a client: `server/discover` of the modern era, `initialize` of the legacy one. */
export const modernTaskCapability = { extensions: { [extension]: {} } }

export function legacyTaskCapability({
	protocolVersion,
}: Pick<ClientProgram, 'protocolVersion'>): JsonObject {
	if (protocolVersion < legacyFrom) return {}
	return { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
}

/** Whether a client understands an answer that is a task: in the legacy era each request says so by itself. */
export function knowsTasks({ era, protocolVersion, capabilities }: ClientProgram): boolean {
	return era === 'modern' ? hasExtension(capabilities) : protocolVersion >= legacyFrom
}

/** Whether a client says of each call whether it shall be a task, and so has to know which may be. */
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

/** For what only clients may ask that know tasks (-32021). */
export function tasksNotDeclared(): RpcFailure {
	const text = `Declare the extension ${extension} among your capabilities.`
	return namedFailure(rpcCodes.missingCapability, 'tasks_not_declared', text, {
		data: { code: 'tasks_not_declared', requiredCapabilities: modernTaskCapability },
	})
}

/** Who called what: enough to go on with it in another program, after a restart too. */
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

/** The call as an operation of its own, a child of the request that began it. */
export function readCall(text: string, task: TaskOfOperation, reply: Reply): Operation {
	const { caller, sessionId, traceparent, traceState, ...kept } = parseJsonText(text) as StoredCall
	const { principal } = caller
	const trace = readTrace(traceparent, traceState || undefined)
	if (!trace) throw new Error('The trace of a stored call cannot be read.')
	return {
		...kept,
		caller: {
			...caller,
			// Programs of before wrote it with the principal only.
			userId: caller.userId ?? principal.delegatedBy?.userId ?? null,
			principal: { ...principal, scopes: new Set(principal.scopes) } as unknown as AgentPrincipal,
		},
		...(sessionId !== null && { sessionId }),
		...{ trace, reply, task, ask: askNobody, cancellation: new Cancellation() },
		...{ asking: 0, isRetry: false },
		// What is a task of its server already got there.
		sending: { isSent: task.upstreamTaskId !== null },
	}
}

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** How a task ended: the answer of the call that it stands for. */
export type TaskOutcome =
	| { result: JsonObject; error?: undefined }
	| { error: { code: number; message: string; data?: unknown }; result?: undefined }

/** How far a task is; changes with it. */
export interface TaskState {
	/** Whether anything of the call may have reached its server: from then on it is never sent again. */
	isSent: boolean
	/** The server's own task, which any program can ask after. */
	upstreamTaskId: string | null
	/** What its client has to answer, by keys that are never used twice; and how many there were. */
	/** Under the name that stored rows have. */
	questions: Record<string, InputRequest>
	asked: number
	/** Answers that came, until they are taken. */
	answers: Record<string, JsonObject>
	outcome: TaskOutcome | null
}

/** One call of a tool that goes on without its client. */
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

/** How often a client should ask. */
const pollMs = 500

export const newState: TaskState = {
	...{ isSent: false, upstreamTaskId: null, asked: 0, outcome: null },
	...{ questions: {}, answers: {} },
}

export function hasEnded({ status }: Pick<Task, 'status'>): boolean {
	return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** A task as `tasks/get` of an era tells it; in the modern one with what its client needs next. */
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

/** Of a legacy message that belongs to a task. */
export function relatedTo(taskId: string): JsonObject {
	return { 'io.modelcontextprotocol/related-task': { taskId } }
}
