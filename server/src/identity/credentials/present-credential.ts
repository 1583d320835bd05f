import type { Scope } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { CredentialRow } from './repository.ts'

/** What people see of a credential. */
export interface CredentialOutput {
	id: string
	name: string
	prefix: string
	last4: string
	status: 'active' | 'revoked' | 'expired'
	created_at: string
	last_used_at: string | null
	expires_at: string | null
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
	}
}

export function presentKey(row: CredentialRow, nowMs: number) {
	return {
		...presentCredential(row, nowMs),
		scopes: JSON.parse(row.scopes) as Scope[],
		agent_uuid: row.agent_id,
	}
}

function statusOf(row: CredentialRow, nowMs: number): CredentialOutput['status'] {
	if (row.revoked_at !== null) return 'revoked'
	return row.expires_at !== null && row.expires_at <= nowMs ? 'expired' : 'active'
}
