import { type Actor, actorOf } from '../../audit/index.ts'
import { appendChange } from '../../platform/changes.ts'
import { notFound } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/index.ts'
import type { IdentityContext } from '../context.ts'
import { type CredentialKindName, hasCredential, revokeCredential } from './repository.ts'

interface Revocation {
	workspaceId: string
	id: string
	kinds: readonly CredentialKindName[]
	by: Principal | Actor
	requestId: string | null
}

/** Revokes a credential for good; a second time changes nothing. 404 when the workspace has none of that id and kind. */
export async function endCredential(
	{ mutate, audit, clock }: Pick<IdentityContext, 'mutate' | 'audit' | 'clock'>,
	{ workspaceId, id, kinds, by, requestId }: Revocation,
): Promise<void> {
	const thing = kinds.includes('ingest')
		? { kind: 'ingest_token', area: 'ingest-tokens' }
		: { kind: 'key', area: 'keys' }
	await mutate(async (tx) => {
		const revoked = await revokeCredential(tx, workspaceId, kinds, id, clock.nowMs())
		if (!revoked && (await hasCredential(tx, workspaceId, kinds, id))) return
		if (!revoked) throw notFound(thing.kind.replace('_', ' '))
		const actor = 'workspaceId' in by ? actorOf(by) : by
		const target = { kind: thing.kind, id, name: revoked.name }
		await audit.record(tx, { workspaceId, actor, action: `${thing.area}.revoke`, target, requestId })
		await appendChange(tx, 'credential', id, clock)
	})
}
