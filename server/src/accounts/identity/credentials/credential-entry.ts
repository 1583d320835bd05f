import type { OnDisconnect, Scope } from '@signalbox/contract'
import type {
	AgentPrincipal,
	IngestPrincipal,
	KeyPrincipal,
	Principal,
} from '../../../platform/http/principal.ts'
import type { CredentialKindName, CredentialRow } from './credential-repository.ts'
import { type AddressCheck, addressCheckOf } from './credential-rules.ts'

/** The two families of credentials in the API: each has its own path, terms and audit actions. */
export interface CredentialFamily {
	kinds: readonly CredentialKindName[]
	/** Kind of the target in audit records. */
	target: 'key' | 'ingest_token'
	/** Area of audit actions, as in `keys.rotate`. */
	area: 'keys' | 'ingest-tokens'
	/** The noun in a 404, for people. */
	noun: string
}

export const keyFamily: CredentialFamily = {
	kinds: ['platform', 'agent'],
	target: 'key',
	area: 'keys',
	noun: 'key',
}
export const tokenFamily: CredentialFamily = {
	kinds: ['ingest'],
	target: 'ingest_token',
	area: 'ingest-tokens',
	noun: 'ingest token',
}

export function familyOf(kind: string): CredentialFamily {
	return kind === 'ingest' ? tokenFamily : keyFamily
}

/** A credential in the view. */
export interface CredentialEntry {
	id: string
	workspaceId: string
	agentId: string | null
	expiresAtMs: number | null
	revoked: boolean
	/** Empty for an ingest token. The principals of its secrets have the same set. */
	scopes: ReadonlySet<Scope>
	/** The only URL for which an access token is valid; null for keys. */
	audience: string | null
	/** Null: calls may come from anywhere. */
	allowsAddress: AddressCheck | null
	/** All its current secrets, and those from before a rotation. */
	secrets: readonly KnownSecret[]
}

/** A secret of a credential, and the principal for every request that uses it. */
export interface KnownSecret {
	credential: CredentialEntry
	/** SHA-256, hex. */
	hash: string
	/** `next` waits for its first use; `previous` is valid until `endsAtMs`. */
	role: 'present' | 'next' | 'previous'
	endsAtMs: number | null
	principal: KeyPrincipal | AgentPrincipal | IngestPrincipal
}

export function toCredentialEntry(row: CredentialRow): CredentialEntry {
	const secrets: KnownSecret[] = []
	const credential: CredentialEntry = {
		id: row.id,
		workspaceId: row.workspace_id,
		agentId: row.agent_id,
		expiresAtMs: row.expires_at,
		revoked: row.revoked_at !== null,
		scopes: new Set(JSON.parse(row.scopes) as Scope[]),
		audience: row.audience,
		allowsAddress: addressCheckOf(row.allowed_addresses),
		secrets,
	}
	const add = (hash: string | null, role: KnownSecret['role'], endsAtMs: number | null) => {
		if (hash !== null)
			secrets.push({ credential, hash, role, endsAtMs, principal: toPrincipal(row, hash, credential.scopes) })
	}
	add(row.hash, 'present', null)
	add(row.next_hash, 'next', null)
	add(row.previous_hash, 'previous', row.previous_expires_at)
	return credential
}

function toPrincipal(row: CredentialRow, hash: string, scopes: ReadonlySet<Scope>): KnownSecret['principal'] {
	const common = {
		keyId: row.id,
		name: row.name,
		workspaceId: row.workspace_id,
		fingerprint: fingerprintOf(hash),
	}
	if (row.kind === 'ingest') return { kind: 'ingest_token', ...common }
	const policy = row.on_disconnect !== null && { onDisconnect: row.on_disconnect as OnDisconnect }
	if (row.kind === 'agent' && row.agent_id)
		return { kind: 'agent_key', ...common, agentId: row.agent_id, scopes, ...policy }
	if (row.kind === 'oauth' && row.agent_id && row.created_by) {
		const delegatedBy = { userId: row.created_by, email: '' }
		return { kind: 'agent_key', ...common, agentId: row.agent_id, scopes, ...policy, delegatedBy }
	}
	if (row.kind === 'platform') return { kind: 'platform_key', ...common, scopes, ...policy }
	throw new Error(`The credential ${row.id} is of an unknown kind.`)
}

/** Distinguishes a credential's secrets, and serves no other purpose. */
function fingerprintOf(hash: string): string {
	return hash.slice(0, 12)
}

/** The secret with which a running request was authenticated; undefined if it has been replaced since. */
export function secretOf(
	{ secrets }: CredentialEntry,
	fingerprint: string | undefined,
): Pick<KnownSecret, 'endsAtMs'> | undefined {
	// Callers from inside of Signalbox use no secret, so none of theirs can end.
	if (fingerprint === undefined) return { endsAtMs: null }
	return secrets.find(({ hash }) => fingerprintOf(hash) === fingerprint)
}

/** A scope that a running request was admitted with and that was taken from its key since; like a lower role, it ends the request. */
export function lostScope({ scopes }: CredentialEntry, principal: Principal): Scope | null {
	if (!('scopes' in principal) || principal.scopes === scopes) return null
	return [...principal.scopes].find((scope) => !scopes.has(scope)) ?? null
}
