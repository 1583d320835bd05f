import type { Role } from '@signalbox/contract'
import type { SignInProvider } from '../../config.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { newId } from '../../platform/ids.ts'
import {
	hasOperator,
	insertMember,
	insertUser,
	insertWorkspace,
	type UserRow,
} from '../accounts/repository.ts'
import type { Caller } from '../caller.ts'
import { type InvitationRow, listOpenInvitationsFor, takeInvitation } from '../invitations/repository.ts'
import { deleteMailLinkOf } from '../mail-links/repository.ts'
import type { FederationContext } from './context.ts'
import type { Profile } from './profile.ts'
import { SignInError } from './sign-in-error.ts'

const signupOf = { open: 'anyone', invite: 'invited', closed: 'nobody' } as const

/**
 * Makes the account of somebody who signs in for the first time: without a password, with the memberships of their open
 * invitations, else with a workspace of their own where anybody may come and no group gives them one.
 */
export async function makeAccount(
	context: FederationContext,
	tx: DatabaseTransaction,
	provider: SignInProvider,
	profile: Profile & { email: string },
	isMapped: boolean,
	caller: Caller,
): Promise<UserRow> {
	const nowMs = context.clock.nowMs()
	if (!(await hasOperator(tx))) throw new SignInError('setup_required')
	const invitations = await listOpenInvitationsFor(tx, profile.email, nowMs)
	refuseSignup(context, provider, { isMapped, isInvited: invitations.length > 0 })
	const user: UserRow = {
		id: newId(nowMs),
		email: profile.email,
		name: profile.name,
		password_hash: null,
		verified: 1,
		operator: 0,
		created_at: nowMs,
		updated_at: nowMs,
	}
	await insertUser(tx, user)
	for (const invitation of invitations) await accept(context, tx, invitation, user, caller)
	if (!isMapped && invitations.length === 0) await giveWorkspace(context, tx, user)
	return user
}

function refuseSignup(
	{ instance }: FederationContext,
	provider: SignInProvider,
	{ isMapped, isInvited }: { isMapped: boolean; isInvited: boolean },
): void {
	const signup = provider.signup ?? signupOf[instance.value('signup')]
	const may = { anyone: true, mapped: isMapped, invited: isInvited, nobody: false }
	if (!may[signup]) throw new SignInError('signup_closed')
}

/** The address is verified, so what was sent to it is the person's. */
async function accept(
	{ clock, audit }: FederationContext,
	tx: DatabaseTransaction,
	invitation: InvitationRow,
	user: UserRow,
	caller: Caller,
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
		detail: { role: { before: null, after: role }, account: 'new', address: caller.address },
		requestId: caller.requestId,
	})
}

async function giveWorkspace(
	{ clock, instance }: FederationContext,
	tx: DatabaseTransaction,
	user: UserRow,
): Promise<void> {
	const id = newId(clock.nowMs())
	const name = `${user.name || user.email.split('@')[0]}'s workspace`
	await insertWorkspace(tx, { id, name, stdio: instance.value('stdio_programs_default') }, clock.nowMs())
	await insertMember(tx, id, { userId: user.id, role: 'owner' }, clock.nowMs())
}
