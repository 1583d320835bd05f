/** Who may call what. Roles belong to people, scopes to keys. */

export const roles = ['viewer', 'member', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

const managed = [
	'agents',
	'servers',
	'access',
	'keys',
	'provider-keys',
	'webhooks',
	'forwarders',
	'alerts',
	'budgets',
] as const

export type Scope =
	| `${(typeof managed)[number]}:${'read' | 'write'}`
	| 'programs:write'
	| 'spotlight:read'
	| 'telemetry:read'
	| 'audit:read'
	| 'approvals:decide'
	| 'proxy:invoke'
	| 'mcp:invoke'

export const scopes: readonly Scope[] = [
	...managed.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
	'programs:write',
	'spotlight:read',
	'telemetry:read',
	'audit:read',
	'approvals:decide',
	'proxy:invoke',
	'mcp:invoke',
]

/** What a platform key may do when its maker names no scopes. */
export const defaultKeyScopes: readonly Scope[] = [
	'agents:read',
	'agents:write',
	'servers:read',
	'servers:write',
	'spotlight:read',
	'proxy:invoke',
]

/** What a key bound to an agent may do: act as that agent, nothing else. */
export const agentKeyScopes: readonly Scope[] = ['mcp:invoke', 'proxy:invoke']

/** The kinds of credential; a route that does not name a kind answers 401 to it. */
export type CredentialKind = 'user' | 'platform_key' | 'agent_key' | 'ingest_token'

/**
 * Who may use a route. `public` needs no credential. Otherwise a credential must be of one of `kinds`; a user must
 * have at least `role` (and be an operator where `operator` is set); a key must carry `scope`.
 */
export type Access =
	| { public: true }
	| { public?: false; kinds: readonly CredentialKind[]; role?: Role; operator?: true; scope?: Scope }

/** A management route: people by role, platform keys by scope. */
export function byRoleOrScope(role: Role, scope: Scope): Access {
	return { kinds: ['user', 'platform_key'], role, scope }
}

/** A route for signed-in people only. */
export function people(role: Role = 'viewer'): Access {
	return { kinds: ['user'], role }
}

/** A route for the operators of the instance, whatever workspace their token is for. */
export function operators(): Access {
	return { kinds: ['user'], operator: true }
}
