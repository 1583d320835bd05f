/** Who may call what. A key carries scopes; a person has a role, which is a set of scopes. */

/** Where groups of a sign-in provider give one person several roles, the last of them in this order counts. */
export const roles = ['viewer', 'auditor', 'member', 'admin', 'owner'] as const
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

/** What a role can hold: the scopes of keys, and steps that only people take or that keys take with a wider scope. */
export type RoleScope =
	| Exclude<Scope, 'mcp:invoke' | 'proxy:invoke'>
	| (typeof ofEveryRole)[number]
	| (typeof ofAuditors)[number]
	| (typeof ofMembers)[number]
	| (typeof ofAdmins)[number]
	| (typeof ofOwners)[number]
	| 'access:request'

const ofEveryRole = [
	'workspace:read',
	'agents:read',
	'servers:read',
	'access:read',
	'keys:read',
	'provider-keys:read',
	'alerts:read',
	'budgets:read',
	'spotlight:read',
	'telemetry:read',
] as const
/** `audit:read` also shows settings and lists that other people do not need, such as erasures and invitations. */
const ofAuditors = ['audit:read', 'approvals:read', 'webhooks:read', 'forwarders:read'] as const
const ofMembers = [
	'agents:write',
	'servers:refresh',
	'questions:write',
	'scores:write',
	'sharing:write',
	'connections:write',
] as const
const ofAdmins = [
	'agents:delete',
	'servers:write',
	'programs:write',
	'access:write',
	'approvals:decide',
	'keys:write',
	'provider-keys:write',
	'webhooks:write',
	'forwarders:write',
	'alerts:write',
	'budgets:write',
	'recording:write',
	'members:write',
	'workspace:write',
] as const
const ofOwners = ['owners:write', 'programs:run-without-sandbox', 'workspace:delete'] as const

const viewer: readonly RoleScope[] = [...ofEveryRole, 'access:request']
const member: readonly RoleScope[] = [...viewer, ...ofMembers]
const admin: readonly RoleScope[] = [...member, ...ofAuditors, ...ofAdmins]

/** Every role as the set of what it may do. An auditor reads what an admin reads and changes nothing. */
const roleScopes: Readonly<Record<Role, ReadonlySet<RoleScope>>> = {
	viewer: new Set(viewer),
	auditor: new Set([...ofEveryRole, ...ofAuditors]),
	member: new Set(member),
	admin: new Set(admin),
	owner: new Set([...admin, ...ofOwners]),
}

export function roleHas(role: Role, scope: RoleScope): boolean {
	return roleScopes[role].has(scope)
}

export function rolesWith(scope: RoleScope): Role[] {
	return roles.filter((role) => roleHas(role, scope))
}

/** The roles that a person of this role may give and take: those that can do nothing that this one cannot. */
export function rolesGivenBy(role: Role): Role[] {
	return roleHas(role, 'members:write') ? roles.filter((given) => roleIncludes(role, given)) : []
}

/** Whether a role may do whatever the other may. */
export function roleIncludes(role: Role, other: Role): boolean {
	return [...roleScopes[other]].every((scope) => roleHas(role, scope))
}

/**
 * Who may use a route. `public` needs no credential. Otherwise a credential must be of one of `kinds`; a person's role
 * must hold `roleScope` (and the person be an operator where `operator` is set); a key must carry `scope`.
 */
export type Access =
	| { public: true }
	| {
			public?: false
			kinds: readonly CredentialKind[]
			roleScope?: RoleScope
			operator?: true
			scope?: Scope
	  }

/** A management route: for people whose role holds the scope, and for platform keys that carry it. */
export function byScope(scope: Scope & RoleScope, roleScope: RoleScope = scope): Access {
	return { kinds: ['user', 'platform_key'], roleScope, scope }
}

/** A route for signed-in people only. */
export function people(roleScope: RoleScope = 'workspace:read'): Access {
	return { kinds: ['user'], roleScope }
}

/** A route for the operators of the instance, whatever workspace their token is for. */
export function operators(): Access {
	return { kinds: ['user'], operator: true }
}
