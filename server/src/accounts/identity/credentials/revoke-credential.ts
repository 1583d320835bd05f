import { requireUnchanged } from '../../../platform/change-scope.ts'
import { appendChange } from '../../../platform/changes.ts'
import { notFound } from '../../../platform/errors.ts'
import type { Principal } from '../../../platform/http/principal.ts'
import type { Actor } from '../../audit/audit.ts'
import type { IdentityContext } from '../identity-context.ts'
import { toActor } from './create-credential.ts'
import type { CredentialFamily } from './credential-entry.ts'
import { findCredential, revokeCredential } from './credential-repository.ts'
import { presentAsRead } from './present-credential.ts'

interface Revocation {
	workspaceId: string
	id: string
	family: CredentialFamily
	by: Principal | Actor
	requestId: string | null
}

/** Revokes a credential permanently; idempotent. 404 if the workspace has none with this id and kind. */
export async function endCredential(
	{ mutate, audit, clock }: Pick<IdentityContext, 'mutate' | 'audit' | 'clock'>,
	{ workspaceId, id, family, by, requestId }: Revocation,
): Promise<void> {
	const { kinds, area, target, noun } = family
	await mutate(async (tx) => {
		const before = await findCredential(tx, workspaceId, kinds, id)
		if (!before) throw notFound(noun)
		requireUnchanged(presentAsRead(before, clock.nowMs()))
		const revoked = await revokeCredential(tx, workspaceId, kinds, id, clock.nowMs())
		if (!revoked) return
		const named = { kind: target, id, name: revoked.name }
		const entry = { workspaceId, actor: toActor(by), action: `${area}.revoke`, target: named, requestId }
		await audit.record(tx, entry)
		await appendChange(tx, 'credential', id, clock)
	})
}
