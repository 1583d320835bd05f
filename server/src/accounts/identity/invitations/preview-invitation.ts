import { type invitationOperations, type OutputOf, type Role, tokenPrefixes } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { hashToken, isToken } from '../../../platform/crypto/token.ts'
import { Problem } from '../../../platform/errors.ts'
import { findUserByEmail, listMemberships, type UserRow } from '../accounts/account-repository.ts'
import type { IdentityContext } from '../identity-context.ts'
import { findInvitationByHash } from './invitation-repository.ts'

type Preview = OutputOf<(typeof invitationOperations)['preview']>
export type Invitation = NonNullable<Awaited<ReturnType<typeof findInvitationByHash>>>

/** The invitation of a token. Throws `invitation_invalid`, and slows down whoever guesses. */
export async function invitationOf(
	context: IdentityContext,
	token: string,
	address: string,
): Promise<Invitation> {
	const { throttle, store, clock } = context
	await throttle.check({ kind: 'link', address })
	const known = isToken(token, tokenPrefixes.invitation)
	const invitation = known ? await findInvitationByHash(store.db, hashToken(token), clock.nowMs()) : undefined
	if (invitation) return invitation
	await throttle.count({ kind: 'link', address })
	throw new Problem('invitation_invalid')
}

export async function previewInvitation(
	context: IdentityContext,
	token: string,
	address: string,
): Promise<Preview> {
	const invitation = await invitationOf(context, token, address)
	const user = await findUserByEmail(context.store.db, invitation.email)
	return {
		workspace: { name: invitation.workspace_name },
		email: invitation.email,
		role: invitation.role as Role,
		account_exists: user !== undefined,
		needs: await needsOf(context, user),
		expires_at: toIso(invitation.expires_at),
	}
}

/**
 * Who belongs to no workspace any more cannot sign in by password, so that goes with the acceptance. Who has none signs in
 * by a provider, which accepts what is open.
 */
export async function needsOf(
	{ store }: IdentityContext,
	user: UserRow | undefined,
): Promise<Preview['needs']> {
	if (!user) return 'new_password'
	if (user.password_hash === null) return 'session'
	return (await listMemberships(store.db, user.id)).length > 0 ? 'session' : 'password'
}
