import type { JsonObject, RpcFailure } from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/servers.ts'

/** What an operation will do, decided before it starts: first announced to the log, then run. */
export interface Plan {
	/** The server of the tool, prompt or resource. An operation at the endpoint of one server is recorded with that server anyway. */
	server: ServerEntry | null
	/** The server's own name of the tool, otherwise the name used by the client; '' if there is none. */
	tool: string
	/** The tool's arguments, if they differ from those of the request. */
	arguments?: JsonObject
	/** The server's own name of the prompt, or URI of the resource, if it is known and differs from the client's. */
	target?: string
	/** The announced facts, if they were already serialized (see `announcedFacts`). */
	facts?: Buffer
	/** Called again whenever permissions change. */
	refusal(): RpcFailure | null
	/** Rejects with the failure for the client. */
	run(): Promise<PlanResult> | PlanResult
}

export interface PlanResult {
	/** The result as JSON text. */
	json: string
	/** Whether the tool reported an error. */
	isError: boolean
	/** Whether it is the server's own text, whose escaping may differ. */
	isRaw?: true
}

/** A result created by the gateway itself. */
export function ownResult(result: JsonObject): PlanResult {
	return { json: JSON.stringify(result), isError: false }
}

/** A plan that only answers, without an upstream. */
export function answerWith(
	refusal: () => RpcFailure | null,
	answer: () => JsonObject | Promise<JsonObject>,
): Plan {
	return { server: null, tool: '', refusal, run: async () => ownResult(await answer()) }
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
