import type { ServerEntry, ToolDefinition } from '../../servers/index.ts'
import type { JsonObject, RpcResponse } from '../json-rpc/message.ts'
import type { Operation } from '../operation.ts'

/** A client's operation on one server. */
export interface UpstreamCall {
	operation: Operation
	server: ServerEntry
	/** As the client sent them, with the server's own tool name. */
	params: JsonObject
	/** The definition of the called tool, for `tools/call`. */
	tool: ToolDefinition | null
}

/** How a server introduced itself. */
export interface Description {
	capabilities: JsonObject
	serverInfo: JsonObject
	instructions: string
}

/** A server of one era, spoken to in its own words; results come back as that era has them. */
export interface Upstream {
	request(call: UpstreamCall): Promise<RpcResponse>
	/** What the server said of itself; rejects when it does not answer. */
	describe(server: ServerEntry): Promise<Description>
	/** Forgets servers that are gone. */
	prune(isKnown: (server: ServerEntry) => boolean): void
	close(): Promise<void>
}
