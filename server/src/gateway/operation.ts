import type { Cancellation, Era, JsonObject, RpcRequest, StartedExchange } from '../mcp-client/index.ts'
import type { Principal } from '../platform/http/principal.ts'
import type { TraceContext } from '../platform/trace/current-trace.ts'
import type { ServerEntry, ToolDefinition } from '../servers/servers.ts'
import type { AttributeValue } from '../telemetry/index.ts'
import type { InputRequest } from './input-requests.ts'
import type { Reply } from './reply.ts'

/** The caller and endpoint, from the credential and the path. */
export interface Caller {
	principal: Principal
	credentialId: string
	workspaceId: string
	agentId: string
	/** The user behind the client, if the credential names one (OAuth clients and the playground). */
	userId: string | null
	/** The one server of the endpoint, or null for the aggregate. */
	serverId: string | null
}

/** Identifies the user whose tokens are sent to the server, if there is one: the server's answers may depend on them. */
export type TokenOwner = Pick<Caller, 'agentId' | 'userId'>

/** Identifies the caller and endpoint. */
export type Viewer = Pick<Caller, 'agentId' | 'userId' | 'serverId'>

/** The client program, as it introduced itself. Never used for decisions. */
export interface ClientProgram {
	era: Era
	protocolVersion: string
	/** `clientInfo` as it was sent. */
	info: JsonObject
	capabilities: JsonObject
	/** The least severe log level it asked for, or null. */
	logLevel: string | null
	/** The public part of a legacy session's id, or ''. */
	sessionLabel: string
	/** The session's full ID, which is a credential and must never be logged or recorded. */
	sessionId?: string
}

export interface AskOptions {
	/** Withdraws the input request; the client is notified, and the promise rejects with the signal's reason. */
	signal?: AbortSignal
	/** Called with the client's progress with an input request that carries `_meta.progressToken`. */
	onProgress?(params: JsonObject): void
	/**
	 * Another operation that the server may ask for: on a stream of many calls it is not known which of them it is. Called when the
	 * given operation ends, or is cancelled, before the client has answered. `elsewhere`: another process may run it.
	 */
	successor?(of: Asking): Operation | 'elsewhere' | null
	/**
	 * Several calls run, and it is not known which of them the server asks for. The stream of one of them may end with that call before
	 * the client has read the request, so the session's own stream is better, if there is one.
	 */
	isOfUnknownCall?: boolean
	/** No call is running, so none can be cancelled. */
	isBetweenCalls?: boolean
}

/**
 * Asks the client and resolves with its result: for an elicitation `{action, content?}`, for sampling the message, for roots
 * `{roots}`. Resolves with `unsupported` at once when this client can never be asked that. Rejects with an `RpcFailure`: the
 * client's own error, `input_timeout` when no answer arrived in time, or the failure that ended the operation. A modern client's
 * retry may reach a process that does not know the first try. `Plan.run` then starts again, and the same input requests in the
 * same order get the answers that the client sent.
 */
export type Ask = (inputRequest: InputRequest, options?: AskOptions) => Promise<JsonObject | 'unsupported'>

/** One client request on its way through the gateway, in either protocol era. */
export interface Operation {
	caller: Caller
	client: ClientProgram
	request: RpcRequest
	trace: TraceContext
	requestBytes: number
	/** The client's IP address; '' for calls from inside Signalbox. */
	clientAddress: string
	reply: Reply
	cancellation: Cancellation
	/**
	 * Asks the user or program behind the client, in either era: a legacy client over its stream, a modern one with an
	 * input-required result, whose retry continues this same operation. Call it only within `Plan.run`. See `Ask`.
	 */
	ask: Ask
	/** Unanswered input requests. The operation's time limit is paused while there are any. */
	asking: number
	/**
	 * Whether anything may have reached the server. From then on the operation is never retried automatically and never reported as
	 * refused. An object, because operations that continue this one share it.
	 */
	sending: { isSent: boolean }
	/** The request already sent to the server before this became an operation, and its tool. */
	begun?: StartedExchange | undefined
	/** The id of its request to a legacy server. */
	sentAs?: number
	sentTo?: { server: ServerEntry; tool: ToolDefinition }
	/** Attributes of its record that become known while it runs; see `noteFact`. */
	facts?: Map<string, AttributeValue>
	/** Whether a client of 2026-07-28 sends this as a retry with answers to input requests. */
	isRetry: boolean
	/** For the reply to a modern server's request. */
	serverState?: ServerState & { stateId: string }
	/** From the playground, with a person's token or a key: it does not wait for an approval. */
	isFromPlayground?: true
	/** Set when a person has approved it. */
	isApproved?: true
	/** For a client of the legacy era: the full ID of its session. */
	sessionId?: string
	/** Set for a call that runs as a task, without a waiting client. */
	task?: TaskOfOperation
	/** Set when its answer is a task. The task's outcome has its own record. */
	beganTask?: true
}

/** What a modern server that needs an answer gave to the client. */
export interface ServerState {
	serverId: string
	/** The server's own name of the called tool; null for a prompt or a resource. */
	tool: string | null
	/** The server's own state; null if it gave none. */
	state: string | null
	/** Whether a person had approved the call. */
	isApproved: boolean
}

/** Returns the request that is already under way; only the first time, later undefined. */
export function takeStartedExchange(operation: Operation): StartedExchange | undefined {
	const { begun } = operation
	if (begun) operation.begun = undefined
	return begun
}

/** What a client sent with a retry. */
export interface Retry {
	/** The waiting operation that this continues. */
	heldId: string
	isSent: boolean
	/** The state's ID. */
	stateId: string
	/** Which input requests the client answers; see `InputDigests`. */
	digests: Readonly<Record<string, string>>
	responses: JsonObject
}

/** A call that becomes a full operation when its client must be asked. */
export interface AskableCall {
	/** The id of its request to the server; 0 before there is one. */
	readonly sentAs: number
	becomeOperation(): Operation
}

export function asOperation(call: Operation | AskableCall | null): Operation | null {
	return call && 'becomeOperation' in call ? call.becomeOperation() : call
}

/** The task as which an operation runs. */
export interface TaskOfOperation {
	id: string
	/** What it calls, whatever the name means now by which its client called it. */
	serverId: string
	tool: string
	/** The server's own task, once it has one. */
	upstreamTaskId: string | null
	/** How long the task may run, and is kept. */
	ttlMs: number
	/** Sets the description of what the task is waiting for. */
	setStatusMessage(text: string): Promise<void>
	/** Must be awaited before anything is sent to the server. */
	noteSent(): Promise<void>
	noteUpstream(taskId: string): Promise<void>
}

/** What an input request belongs to: an operation, or the session of a client between its calls. */
export type Asking = Pick<Operation, 'client' | 'task' | 'reply' | 'cancellation' | 'asking'>

/** Adds an attribute to the record of a running operation. */
export function noteFact(operation: Operation, name: string, value: AttributeValue): void {
	operation.facts ??= new Map()
	operation.facts.set(name, value)
}
