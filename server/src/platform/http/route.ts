import type { IncomingMessage, ServerResponse } from 'node:http'
import {
	type Access,
	type CredentialKind,
	type Role,
	type RoleScope,
	roleHas,
	rolesWith,
} from '@signalbox/contract'
import { Problem } from '../errors.ts'
import type { LiveRequests } from './live-requests.ts'
import type { Principal, UserPrincipal } from './principal.ts'

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

/** The caller of a route that is not public; the ingress has already judged the access rule. */
export function principalIn(context: RequestContext): Principal {
	if (!context.principal) throw new Problem('internal', 'A guarded route ran without a principal.')
	return context.principal
}

/** The signed-in person of a route for people only. */
export function userIn(context: RequestContext): UserPrincipal {
	const principal = principalIn(context)
	if (principal.kind !== 'user')
		throw new Problem('internal', 'A route for people ran for another kind of caller.')
	return principal
}

const kindNames: Record<CredentialKind, string> = {
	user: 'an access token (JWT)',
	platform_key: 'a platform API key',
	agent_key: 'an agent key',
	ingest_token: 'an ingest token',
}

/** Judges a principal against a route's access rule: null allows; 401 for a wrong kind, 403 for a missing role or scope. */
export function authorize(access: Access, principal: Principal | null): Problem | null {
	if (access.public) return null
	if (!principal || !access.kinds.includes(principal.kind)) return unauthenticated(access.kinds)
	if (access.operator && !(principal.kind === 'user' && principal.operator)) {
		return new Problem('forbidden', 'This needs the operator of the instance.')
	}
	if (principal.kind === 'user')
		return access.roleScope ? requireRole(principal.role, access.roleScope) : null
	if (principal.kind === 'ingest_token' || !access.scope || principal.scopes.has(access.scope)) return null
	return new Problem('forbidden', `This needs the scope ${access.scope}.`)
}

/** The 401 of a route, naming the credentials that it takes. */
function unauthenticated(kinds: readonly CredentialKind[]): Problem {
	const names = kinds.map((kind) => kindNames[kind]).join(' or ')
	return new Problem('unauthenticated', `This endpoint takes ${names}.`, {
		headers: { 'www-authenticate': 'Bearer realm="signalbox"' },
	})
}

function requireRole(has: Role, scope: RoleScope): Problem | null {
	if (roleHas(has, scope)) return null
	return new Problem('forbidden', `This needs the role ${rolesWith(scope)[0]}; yours is ${has}.`)
}
