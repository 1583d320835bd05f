import type { BegunExchange, Cancellation, Era, JsonObject, RpcRequest } from '../mcp-client/index.ts'
import type { Principal } from '../platform/http/index.ts'
import type { TraceContext } from '../platform/trace/current-trace.ts'
import type { ServerEntry, ToolDefinition } from '../servers/servers.ts'
import type { AttributeValue } from '../telemetry/index.ts'
import type { Ask } from './input-requests.ts'
import type { Reply } from './reply.ts'

/** Who calls where, as the credential and the path say. */
export interface Caller {
	principal: Principal
	credentialId: string
	workspaceId: string
	agentId: string
	/** The person behind the client, where the credential tells: of an OAuth client, or of the playground. */
	userId: string | null
	/** The one server of the endpoint, or null for the aggregate. */
	serverId: string | null
}

/** Of whom a server's answers may depend, where its tokens are theirs. */
export type TokenOwner = Pick<Caller, 'agentId' | 'userId'>

/** Whose view of which endpoint. */
export type Viewer = Pick<Caller, 'agentId' | 'userId' | 'serverId'>

/** The client program, as it introduced itself; never a ground for a decision. */
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
	/** That session's whole id, which opens it: never for logs or records. */
	sessionId?: string
}

/** One request of a client on its way through, whatever era it came in. */
export interface Operation {
	caller: Caller
	client: ClientProgram
	request: RpcRequest
	trace: TraceContext
	requestBytes: number
	/** The client's IP address; '' where nobody called from outside. */
	clientAddress: string
	reply: Reply
	cancellation: Cancellation
	/**
	 * Asks the person or program behind the client, in either era: a legacy client over its stream, a modern one by an
	 * input-required result, whose retry goes on with this same operation. Call it from within `Plan.run`. See `Ask`.
	 */
	ask: Ask
	/** Input requests without an answer so far; while there are some, the clock of the operation stands still. */
	asking: number
	/**
	 * Whether anything of it may have reached the server: from then on it is never sent again by itself, and is never reported as
	 * refused. An object, since it is true of every operation that goes on with this one.
	 */
	sending: { isSent: boolean }
	/** Its request to the server, where that went there before the operation was one, and the tool that it was sent to. */
	begun?: BegunExchange | undefined
	sentTo?: { server: ServerEntry; tool: ToolDefinition }
	/** Attributes of its record that are known only when it runs; see `noteFact`. */
	facts?: Map<string, AttributeValue>
	/** Whether a client of 2026-07-28 says that it is a retry, with answers to what was asked. */
	isRetry: boolean
	/** What that server gave the client to keep, and whether a person had approved the call. */
	serverState?: { serverId: string; state: string; isApproved: boolean; stateId: string }
	/** Set when a person has approved it. */
	isApproved?: true
	/** Of a client of the legacy era: the whole id of its session. */
	sessionId?: string
	/** Set for a call that runs as a task, without a client that waits for its answer. */
	task?: TaskOfOperation
	/** Set when its answer is a task, whose outcome has a record of its own. */
	beganTask?: true
}

/** The request that is under way already; once. */
export function takeBegun(operation: Operation): BegunExchange | undefined {
	const { begun } = operation
	if (begun) operation.begun = undefined
	return begun
}

/** What a client brought to its second or later try. */
export interface Retry {
	/** The operation that waits for it. */
	heldId: string
	isSent: boolean
	/** The state's own id. */
	stateId: string
	responses: JsonObject
}

/** A call that becomes an operation when its client is to be asked. */
export interface AskableCall {
	whole(): Operation
}

export function wholeOf(call: Operation | AskableCall | null): Operation | null {
	return call && 'whole' in call ? call.whole() : call
}

/** The task that an operation is run as. */
export interface TaskOfOperation {
	id: string
	/** The server's own task, once it has one. */
	upstreamTaskId: string | null
	/** How long it may take, and is kept. */
	ttlMs: number
	/** Says in words what it waits for. */
	tell(text: string): Promise<void>
	/** To be awaited before anything goes to the server. */
	noteSent(): Promise<void>
	noteUpstream(taskId: string): Promise<void>
}

/** Adds an attribute to the record of an operation that runs. */
export function noteFact(operation: Operation, name: string, value: AttributeValue): void {
	operation.facts ??= new Map()
	operation.facts.set(name, value)
}
