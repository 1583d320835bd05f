import type { JsonObject, RpcNotification, RpcResponse, SendContext } from '../../mcp-client/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/index.ts'
import type { Limits } from '../limits.ts'
import type { ClientProgram, Operation } from '../operation.ts'

/** What all upstreams are reached with. */
export interface UpstreamContext extends SendContext {
	clock: Clock
	limits: Limits
}

/** A client's operation on one server. */
export interface UpstreamCall {
	operation: Operation
	server: ServerEntry
	/** As the client sent them, with the server's own tool name. */
	params: JsonObject
	/** The definition of the called tool, for `tools/call`. */
	tool: ToolDefinition | null
	/** Makes a result out of the task that the server answered with; absent where nobody understands tasks. */
	takeTask?(created: JsonObject): Promise<JsonObject>
}

export type Hear = (notification: RpcNotification) => void

/**
 * Somebody's ear at a server: `notifications/…/list_changed`, `notifications/resources/updated` and, where a server's
 * session is one client's alone, what else it announces.
 */
export interface Listening {
	/** Rejects with an `RpcFailure` when the server does not take it. */
	subscribe(uri: string): Promise<void>
	unsubscribe(uri: string): Promise<void>
	close(): void
}

/** The server as it is reached now, with whatever token goes along. */
export type Reach = () => ServerEntry | Promise<ServerEntry>

/** A server of one era, spoken to in its own words; results come back as that era has them. */
export interface Upstream {
	/** While it runs, requests of the server go to `call.operation.ask` (see `answerServer`). */
	request(call: UpstreamCall): Promise<RpcResponse>
	/** Listens for a client until closed, however often the connection breaks; each new one goes where `reach` says. */
	listen(server: ServerEntry, client: ClientProgram, hear: Hear, reach: Reach): Listening
	/** Forgets servers that are gone, and what nobody used for long. */
	prune(isKnown: (server: ServerEntry) => boolean): void
	close(): Promise<void>
}
