import type { JsonObject, RpcFailure } from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/servers.ts'

/** What an operation will do, settled before anything happens: announced to the log first, then run. */
export interface Plan {
	server: ServerEntry | null
	/** The server's own name of the tool, or what the client asked for; '' where there is none. */
	tool: string
	/** Of the tool, where they are not those of the request. */
	arguments?: JsonObject
	/** The server's own name of the prompt, or its own URI of the resource, where it is known and not what the client asked for. */
	target?: string
	/** What its announcement says of it, where that was written before (see `announcedFacts`). */
	facts?: Buffer
	/** Judged again whenever permissions change. */
	refusal(): RpcFailure | null
	/** Rejects with what the client shall read. */
	run(): Promise<PlanResult> | PlanResult
}

export interface PlanResult {
	/** The result as JSON text. */
	json: string
	/** Whether the tool itself said that it failed. */
	isError: boolean
	/** The server's own text, which may be escaped in other ways than ours. */
	isRaw?: true
}

/** A result that we made ourselves. */
export function ownResult(result: JsonObject): PlanResult {
	return { json: JSON.stringify(result), isError: false }
}

/** A plan that only answers, without an upstream. */
export function answerWith(
	refusal: () => RpcFailure | null,
	answer: () => JsonObject | Promise<JsonObject>,
	server: ServerEntry | null = null,
): Plan {
	return { server, tool: '', refusal, run: async () => ownResult(await answer()) }
}

export function refuseWith(failure: RpcFailure, tool = '', server: ServerEntry | null = null): Plan {
	return {
		server,
		tool,
		refusal: () => failure,
		run: () => {
			throw failure
		},
	}
}
