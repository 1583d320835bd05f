import type { Scope } from '@signalbox/contract'
import type { AgentPrincipal, IngestPrincipal, KeyPrincipal } from '../../platform/http/index.ts'
import type { CredentialRow } from './repository.ts'

/** A credential as the view holds it, with the principal that every request by it gets. */
export interface CredentialEntry {
	id: string
	hash: string
	agentId: string | null
	expiresAtMs: number | null
	revoked: boolean
	principal: KeyPrincipal | AgentPrincipal | IngestPrincipal
}

export function toCredentialEntry(row: CredentialRow): CredentialEntry {
	return {
		id: row.id,
		hash: row.hash,
		agentId: row.agent_id,
		expiresAtMs: row.expires_at,
		revoked: row.revoked_at !== null,
		principal: toPrincipal(row),
	}
}

function toPrincipal(row: CredentialRow): CredentialEntry['principal'] {
	const common = { keyId: row.id, name: row.name, workspaceId: row.workspace_id }
	const scopes: ReadonlySet<Scope> = new Set(JSON.parse(row.scopes) as Scope[])
	if (row.kind === 'ingest') return { kind: 'ingest_token', ...common }
	if (row.kind === 'agent' && row.agent_id)
		return { kind: 'agent_key', ...common, agentId: row.agent_id, scopes }
	if (row.kind === 'platform') return { kind: 'platform_key', ...common, scopes }
	throw new Error(`The credential ${row.id} is of an unknown kind.`)
}
