import type { Role } from '@signalbox/contract'
import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { insertMember, type UserRow } from '../accounts/account-repository.ts'
import type { Caller } from '../caller.ts'
import type { IdentityContext } from '../identity-context.ts'
import { deleteMailLinkOf } from '../mail-links/mail-link-repository.ts'
import { type InvitationRow, listOpenInvitationsFor, takeInvitation } from './invitation-repository.ts'

/**
 * Accepts what is open for the person's address, which must be verified: what was sent to it is theirs. For people who
 * belong to no workspace and sign in by a provider, since without a workspace there is no session to accept with.
 */
export async function acceptOpenInvitations(
	context: IdentityContext,
	tx: DatabaseTransaction,
	user: UserRow,
	caller: Caller,
	account: 'new' | 'existing',
): Promise<void> {
	const open = await listOpenInvitationsFor(tx, user.email, context.clock.nowMs())
	for (const invitation of open) await accept(context, tx, invitation, user, caller, account)
	if (open.length > 0) await appendChange(tx, 'user', user.id, context.clock)
}

async function accept(
	{ clock, audit }: IdentityContext,
	tx: DatabaseTransaction,
	invitation: InvitationRow,
	user: UserRow,
	caller: Caller,
	account: 'new' | 'existing',
): Promise<void> {
	if (!(await takeInvitation(tx, invitation, clock.nowMs()))) return
	await deleteMailLinkOf(tx, invitation.secret_hash)
	const { workspace_id: workspaceId, role } = invitation
	await insertMember(tx, workspaceId, { userId: user.id, role: role as Role }, clock.nowMs())
	await audit.record(tx, {
		workspaceId,
		actor: { kind: 'user', id: user.id, name: user.email },
		action: 'invitations.accept',
		target: { kind: 'invitation', id: invitation.id, name: invitation.email },
		detail: { role: { before: null, after: role }, account, address: caller.address },
		requestId: caller.requestId,
	})
}
