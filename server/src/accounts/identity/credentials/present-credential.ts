import type { keyOperations, OnDisconnect, OutputOf, QueryOf, Scope } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { paginate } from '../../../platform/paging.ts'
import type { IdentityContext } from '../identity-context.ts'
import { keyFamily } from './credential-entry.ts'
import { type CredentialRow, listCredentials } from './credential-repository.ts'

/** A credential as people see it. */
interface CredentialOutput {
	id: string
	name: string
	prefix: string
	last4: string
	status: 'active' | 'revoked' | 'expired'
	created_at: string
	last_used_at: string | null
	expires_at: string | null
	allowed_addresses: string[] | null
	rotation: RotationOutput | null
}

interface RotationOutput {
	state: 'pending' | 'grace'
	prefix: string
	last4: string
	created_at: string
	old_expires_at: string | null
}

export function presentCredential(row: CredentialRow, nowMs: number): CredentialOutput {
	return {
		id: row.id,
		name: row.name,
		prefix: row.prefix,
		last4: row.last4,
		status: statusOf(row, nowMs),
		created_at: toIso(row.created_at),
		last_used_at: row.last_used_at === null ? null : toIso(row.last_used_at),
		expires_at: row.expires_at === null ? null : toIso(row.expires_at),
		allowed_addresses:
			row.allowed_addresses === null ? null : (JSON.parse(row.allowed_addresses) as string[]),
		rotation: presentRotation(row, nowMs),
	}
}

/** The secret besides the current one: a new one that waits, or an old one in its grace period. */
function presentRotation(row: CredentialRow, nowMs: number): RotationOutput | null {
	if (row.revoked_at !== null) return null
	if (row.next_hash !== null)
		return {
			state: 'pending',
			prefix: row.next_prefix ?? '',
			last4: row.next_last4 ?? '',
			created_at: toIso(row.next_created_at ?? 0),
			old_expires_at: null,
		}
	if (row.previous_expires_at === null || row.previous_expires_at <= nowMs) return null
	return {
		state: 'grace',
		prefix: row.previous_prefix ?? '',
		last4: row.previous_last4 ?? '',
		created_at: toIso(row.rotated_at ?? 0),
		old_expires_at: toIso(row.previous_expires_at),
	}
}

export function presentKey(row: CredentialRow, nowMs: number) {
	return {
		...presentCredential(row, nowMs),
		scopes: JSON.parse(row.scopes) as Scope[],
		agent_uuid: row.agent_id,
		on_disconnect: (row.on_disconnect ?? 'abort') as OnDisconnect,
	}
}

/** A credential as returned by the GET of its family. */
export function presentAsRead(row: CredentialRow, nowMs: number): CredentialOutput {
	return row.kind === 'ingest' ? presentCredential(row, nowMs) : presentKey(row, nowMs)
}

export function statusOf(row: CredentialRow, nowMs: number): CredentialOutput['status'] {
	if (row.revoked_at !== null) return 'revoked'
	return row.expires_at !== null && row.expires_at <= nowMs ? 'expired' : 'active'
}

export type KeyQuery = QueryOf<(typeof keyOperations)['list']>
export type KeyPage = OutputOf<(typeof keyOperations)['list']>

/** A page of a workspace's keys, or with `agent_uuid` of an agent's. */
export async function listKeys(
	{ store, clock }: Pick<IdentityContext, 'store' | 'clock'>,
	workspaceId: string,
	query: KeyQuery,
): Promise<KeyPage> {
	const nowMs = clock.nowMs()
	const filter = { kinds: keyFamily.kinds, agentId: query.agent_uuid ?? null, status: query.status }
	const { rows, total } = await listCredentials(store.db, workspaceId, filter, query, nowMs)
	return { keys: rows.map((row) => presentKey(row, nowMs)), pagination: paginate(query, total) }
}
