import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import type { Principal } from '../../../platform/http/index.ts'
import { actorOf } from '../../audit/index.ts'
import type { IdentityContext } from '../identity-context.ts'
import type { CredentialFamily } from './credential-entry.ts'
import { type CredentialRow, findCredential, updateCredential } from './credential-repository.ts'
import { statusOf } from './present-credential.ts'

/** Who changes which credential, and in which request. */
export interface CredentialChange {
	family: CredentialFamily
	id: string
	by: Principal
	requestId: string
}

/** What a verb decided: the new columns, its word in the audit log, and what that log tells. */
export interface Decision {
	columns: Partial<CredentialRow>
	verb: string
	detail: Record<string, unknown>
}

/**
 * Changes a live credential in one transaction: rows, audit record, change-feed line. Returns it as it is now.
 * Throws `not_found`, and `conflict` for one that was revoked.
 */
export function changeCredential(
	{ mutate, audit, clock }: Pick<IdentityContext, 'mutate' | 'audit' | 'clock'>,
	{ family, id, by, requestId }: CredentialChange,
	decide: (before: CredentialRow, nowMs: number, tx: DatabaseTransaction) => Decision | Promise<Decision>,
): Promise<CredentialRow> {
	const { workspaceId } = by
	return mutate(async (tx) => {
		const before = await credentialOrNotFound(tx, workspaceId, family, id)
		const nowMs = clock.nowMs()
		if (before.revoked_at !== null) throw endedAlready(family, 'revoked')
		const { columns, verb, detail } = await decide(before, nowMs, tx)
		if (!(await updateCredential(tx, workspaceId, id, columns))) throw endedAlready(family, 'revoked')
		const row = { ...before, ...columns }
		const target = { kind: family.target, id, name: row.name }
		const entry = { workspaceId, actor: actorOf(by), action: `${family.area}.${verb}`, target, detail }
		await audit.record(tx, { ...entry, requestId })
		await appendChange(tx, 'credential', id, clock)
		return row
	})
}

export async function credentialOrNotFound(
	tx: DatabaseTransaction | IdentityContext['store']['db'],
	workspaceId: string,
	family: CredentialFamily,
	id: string,
): Promise<CredentialRow> {
	const row = await findCredential(tx, workspaceId, family.kinds, id)
	if (!row) throw notFound(family.noun)
	return row
}

/** A new secret of what opens nothing would be of no use. */
export function refuseEnded(family: CredentialFamily, row: CredentialRow, nowMs: number): void {
	const status = statusOf(row, nowMs)
	if (status !== 'active') throw endedAlready(family, status)
}

function endedAlready(family: CredentialFamily, status: 'revoked' | 'expired'): Problem {
	const remedy = status === 'expired' ? 'Give it a later expires_at first.' : 'Create a new one.'
	return new Problem('conflict', `The ${family.noun} is ${status}. ${remedy}`)
}
