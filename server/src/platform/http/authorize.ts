import {
	type Access,
	type CredentialKind,
	type Role,
	type RoleScope,
	roleHas,
	rolesWith,
} from '@signalbox/contract'
import { Problem } from '../errors.ts'
import type { Principal } from './principal.ts'

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
export function unauthenticated(kinds: readonly CredentialKind[]): Problem {
	const names = kinds.map((kind) => kindNames[kind]).join(' or ')
	return new Problem('unauthenticated', `This endpoint takes ${names}.`, {
		headers: { 'www-authenticate': 'Bearer realm="signalbox"' },
	})
}

function requireRole(has: Role, scope: RoleScope): Problem | null {
	if (roleHas(has, scope)) return null
	return new Problem('forbidden', `This needs the role ${rolesWith(scope)[0]}; yours is ${has}.`)
}
