import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access } from '@signalbox/contract'
import type { Problem } from '../errors.ts'
import type { LiveRequests } from './live-requests.ts'
import type { Principal } from './principal.ts'

/** Which protocol a route speaks, hence in which shape it refuses. */
export type RouteFamily = 'api' | 'mcp' | 'model' | 'otlp' | 'page'

export interface RequestContext {
	requestId: string
	/** Null on public routes only. */
	principal: Principal | null
	/** Values of `{name}`, percent-decoded, and of a trailing `{name...}`: the rest of the path as it was sent. */
	params: Readonly<Record<string, string>>
	/** The query string without `?`, or ''. */
	search: string
	/** The client's IP address, read through trusted proxies; see client-address.ts. */
	clientAddress: string
	/** Whether the client is on this machine. */
	loopback: boolean
	/** Registers a check that runs again whenever permissions change; a problem aborts the request. */
	guard(check: () => Problem | null, abort: (problem: Problem) => void): void
	/** For who registers by itself, with `refusal` in its check. */
	readonly live: Pick<LiveRequests, 'enter' | 'leave'>
	/** Why the caller may not go on from its address; null: it may. */
	refusal(): Problem | null
}

/** One line of the one route table. */
export interface Route {
	/** Unique; the identity matrix names routes by it. */
	id: string
	method: string
	/** Segments are literal or `{name}`; the last may be `{name...}`, which takes the rest, also an empty one. */
	path: string
	/** Served with a slash at its end too, by the same rules: MCP clients in the wild append one. */
	slash?: true
	access: Access
	family: RouteFamily
	/** Answers under overload too, and no rate limit counts it. */
	always?: true
	/** Its handler reads by `readBody` and answers by `writeHead`, `write` and `end` alone: plain requests may come by the fast lane. */
	lane?: true
	/** Whether `x-goog-api-key`, `api-key` and `?key=` carry our credential here (model routes). */
	modelCredentials?: true
	handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): void | Promise<void>
}

/** Answers a request of one family with a problem, in the shape that family's clients parse. */
export type RefusalWriter = (
	request: IncomingMessage,
	response: ServerResponse,
	problem: Problem,
	requestId: string,
) => void
