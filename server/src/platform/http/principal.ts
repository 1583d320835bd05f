import type { Role, Scope } from '@signalbox/contract'

/** Who is calling, as `authenticate` found it. Always inside one workspace. */
export type Principal = UserPrincipal | KeyPrincipal | AgentPrincipal | IngestPrincipal

export interface UserPrincipal {
	kind: 'user'
	userId: string
	email: string
	workspaceId: string
	role: Role
	operator: boolean
	sessionId: string
}

export interface KeyPrincipal {
	kind: 'platform_key'
	keyId: string
	name: string
	workspaceId: string
	scopes: ReadonlySet<Scope>
}

export interface AgentPrincipal {
	kind: 'agent_key'
	keyId: string
	name: string
	workspaceId: string
	agentId: string
	scopes: ReadonlySet<Scope>
}

export interface IngestPrincipal {
	kind: 'ingest_token'
	keyId: string
	name: string
	workspaceId: string
}
