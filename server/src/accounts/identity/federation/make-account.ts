import type { SignInProvider } from '../../../config/config.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { newId } from '../../../platform/ids.ts'
import {
	hasOperator,
	insertMember,
	insertUser,
	insertWorkspace,
	type UserRow,
} from '../accounts/account-repository.ts'
import type { Caller } from '../caller.ts'
import { acceptOpenInvitations } from '../invitations/accept-open-invitations.ts'
import { listOpenInvitationsFor } from '../invitations/invitation-repository.ts'
import type { FederationContext } from './federation-context.ts'
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
	const isInvited = (await listOpenInvitationsFor(tx, profile.email, nowMs)).length > 0
	refuseSignup(context, provider, { isMapped, isInvited })
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
	if (isInvited) await acceptOpenInvitations(context, tx, user, caller, 'new')
	else if (!isMapped) await giveWorkspace(context, tx, user)
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
