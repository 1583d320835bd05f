/** Access rights. A key has scopes; a person has a role, which is a set of scopes. */

/** In ascending order: if the groups of a sign-in provider give one person several roles, the last of them counts. */
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

/** The scopes of a platform key that is created without naming any. */
export const defaultKeyScopes: readonly Scope[] = [
	'agents:read',
	'agents:write',
	'servers:read',
	'servers:write',
	'spotlight:read',
	'proxy:invoke',
]

/** The scopes of a key that is bound to an agent: it can act as that agent, and nothing else. */
export const agentKeyScopes: readonly Scope[] = ['mcp:invoke', 'proxy:invoke']

/** The kinds of credential; a route that does not name a kind answers 401 to it. */
export type CredentialKind = 'user' | 'platform_key' | 'agent_key' | 'ingest_token'

/** The rights that a role can have: the scopes of keys, and steps that only people take or that keys take with a wider scope. */
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
/** `audit:read` also covers settings and lists that other people do not need, such as erasures and invitations. */
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

/** The rights of every role. An auditor can read what an admin can read, and can change nothing. */
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

/** The roles that a person with this role may assign and remove: those without any right that this role lacks. */
export function rolesGivenBy(role: Role): Role[] {
	return roleHas(role, 'members:write') ? roles.filter((given) => roleIncludes(role, given)) : []
}

/** Whether a role has all rights of the other. */
export function roleIncludes(role: Role, other: Role): boolean {
	return [...roleScopes[other]].every((scope) => roleHas(role, scope))
}

/**
 * Who may use a route. `public` needs no credential. Otherwise a credential must be of one of `kinds`; a person's role must have
 * `roleScope` (and the person must be an operator if `operator` is set); a key must have `scope`.
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

/** A management route: for people whose role has the scope, and for platform keys that have it. */
export function byScope(scope: Scope & RoleScope, roleScope: RoleScope = scope): Access {
	return { kinds: ['user', 'platform_key'], roleScope, scope }
}

/** A route for signed-in people only. */
export function people(roleScope: RoleScope = 'workspace:read'): Access {
	return { kinds: ['user'], roleScope }
}

/** A route for operators of the instance, whatever workspace their token is for. */
export function operators(): Access {
	return { kinds: ['user'], operator: true }
}
