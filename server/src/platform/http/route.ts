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

/** The protocol of a route, which determines the format of its errors. */
export type RouteFamily = 'api' | 'mcp' | 'model' | 'otlp' | 'page'

export interface RequestContext {
	requestId: string
	/** Null on public routes only. */
	principal: Principal | null
	/** Values of `{name}`, percent-decoded, and of a trailing `{name...}`: the rest of the path, not decoded. */
	params: Readonly<Record<string, string>>
	/** The query string without `?`, or ''. */
	search: string
	/** The client's IP address, determined through trusted proxies; see client-address.ts. */
	clientAddress: string
	/** Whether the client is on this machine. */
	loopback: boolean
	/** Registers a check that runs again whenever permissions change; a returned problem aborts the request. */
	guard(check: () => Problem | null, abort: (problem: Problem) => void): void
	/** For handlers that register themselves, with `refusal` in their check. */
	readonly live: LiveRequests
	/**
	 * Whether the request waited after its caller was authenticated, usually for its body. The caller's rights may have changed
	 * meanwhile.
	 */
	waited: boolean
	/**
	 * Why the caller may no longer call from its address or, on the platform API, at all; null: it may. For calls of MCP and models,
	 * their areas check whether a call that runs may finish.
	 */
	refusal(): Problem | null
}

/** One entry of the route table. */
export interface Route {
	/** Unique; the identity matrix refers to routes by it. */
	id: string
	method: string
	/** Segments are literal or `{name}`; the last may be `{name...}`, which matches the rest, even if empty. */
	path: string
	/** Also served with a trailing slash, by the same rules, because existing MCP clients append one. */
	slash?: true
	access: Access
	family: RouteFamily
	/** Served under overload too, and not counted by rate limits. */
	always?: true
	/**
	 * Its handler reads only by `readBody` and responds only by `writeHead`, `write` and `end`, so plain requests may use the fast
	 * lane.
	 */
	lane?: true
	/** Its answer is a file or a stream of the platform API, which is cut when its caller may no longer read it. */
	streams?: true
	/** Whether access tokens of our authorization server are good for it. */
	oauth?: true
	/** Whether our credential may be in `x-goog-api-key`, `api-key` and `?key=` (model routes). */
	modelCredentials?: true
	handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): void | Promise<void>
}

/** Responds to a request of one family with a problem, in the format that clients of the family parse. */
export type RefusalWriter = (
	request: IncomingMessage,
	response: ServerResponse,
	problem: Problem,
	requestId: string,
) => void

/** The caller of a route that is not public; the ingress has already checked the access rule. */
export function principalIn(context: RequestContext): Principal {
	if (!context.principal) throw new Problem('internal', 'A guarded route ran without a principal.')
	return context.principal
}

/** The signed-in person, on routes for people only. */
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

/** Checks a principal against a route's access rule: null allows; 401 for a wrong kind, 403 for a missing role or scope. */
export function authorize(access: Access, principal: Principal | null, oauth?: true): Problem | null {
	if (access.public) return null
	if (!principal || !access.kinds.includes(principal.kind))
		return unauthenticated({ access, ...(oauth && { oauth }) }, principal === null ? 'none' : 'unaccepted')
	if (access.operator && !(principal.kind === 'user' && principal.operator)) {
		return new Problem('forbidden', 'This needs the operator of the instance.')
	}
	if (principal.kind === 'user')
		return access.roleScope ? requireRole(principal.role, access.roleScope) : null
	if (principal.kind === 'ingest_token' || !access.scope || principal.scopes.has(access.scope)) return null
	return new Problem('forbidden', `This needs the scope ${access.scope}.`)
}

/**
 * The 401 of a route, naming the credentials that it accepts. One sentence for a credential that nobody has and for one of another
 * kind, so that it does not tell whether a secret exists.
 */
export function unauthenticated(
	{ access, oauth }: Pick<Route, 'access' | 'oauth'>,
	sent: 'none' | 'unaccepted',
): Problem {
	const kinds = access.public ? [] : access.kinds
	const names = kinds.map((kind) => kindNames[kind])
	if (oauth) names.push('an OAuth access token')
	const problem =
		sent === 'none'
			? 'The request has no credential.'
			: 'The credential is unknown, or not of a kind for this endpoint.'
	// RFC 6750 §3.1: no error code if there was no credential; for any other it tells a client to renew its token.
	const error = sent === 'none' ? '' : ', error="invalid_token"'
	return new Problem('unauthenticated', `${problem} This endpoint takes ${alternatives(names)}.`, {
		headers: { 'www-authenticate': `Bearer realm="signalbox"${error}` },
	})
}

function alternatives(names: readonly string[]): string {
	const others = names.slice(0, -1).join(', ')
	return others === '' ? names.join('') : `${others} or ${names.at(-1)}`
}

function requireRole(has: Role, scope: RoleScope): Problem | null {
	if (roleHas(has, scope)) return null
	return new Problem('forbidden', `This needs the role ${rolesWith(scope)[0]}; yours is ${has}.`)
}
