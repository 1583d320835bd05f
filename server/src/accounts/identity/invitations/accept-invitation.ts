import {
	type BodyOf,
	type invitationOperations,
	type OutputOf,
	type Role,
	tokenPrefixes,
} from '@signalbox/contract'
import { appendChange, lockNumbering } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import { hashToken, isToken } from '../../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { Problem } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/principal.ts'
import { newId } from '../../../platform/ids.ts'
import type { Actor } from '../../audit/audit.ts'
import {
	findUserByEmail,
	insertMember,
	insertUser,
	listMemberships,
	type UserRow,
} from '../accounts/account-repository.ts'
import { findByPassword, requireSamePassword } from '../accounts/login.ts'
import { refuseWeakPassword, requirePasswords } from '../accounts/password-rules.ts'
import { refuseDuplicate } from '../accounts/register.ts'
import type { Caller, IdentityContext } from '../identity-context.ts'
import { deleteMailLinkOf } from '../mail-links/mail-links.ts'
import { openSession, type SignedInSession } from '../sessions/open-session.ts'
import { setSessionWorkspace } from '../sessions/session-repository.ts'
import { findMember } from '../workspaces/workspace-repository.ts'
import {
	findInvitationByHash,
	type InvitationRow,
	listOpenInvitationsFor,
	takeInvitation,
} from './invitation-repository.ts'

type Accept = (typeof invitationOperations)['accept']

/** Throws `invitation_invalid`, `sign_in_required`, `invitation_for_another`, `signup_closed`, `weak_password`. */
export async function acceptInvitation(
	context: IdentityContext,
	body: BodyOf<Accept>,
	signedIn: () => Promise<UserPrincipal | null>,
	caller: Caller,
): Promise<SignedInSession> {
	const invitation = await invitationOf(context, body.token, caller.address)
	const user = await findUserByEmail(context.store.db, invitation.email)
	if (!user) return joinAsNewPerson(context, invitation, body, caller)
	if ((await needsOf(context, user)) === 'password')
		return joinByPassword(context, invitation, body.password, caller)
	const principal = await signedIn()
	if (!principal) {
		// A concurrent request may have created the account with this same invitation, which is then used up.
		await invitationOf(context, body.token, caller.address)
		throw new Problem('sign_in_required')
	}
	if (principal.userId !== user.id)
		throw new Problem('invitation_for_another', `The invitation is for ${invitation.email}.`)
	return joinAsOneself(context, invitation, user, principal.sessionId, caller)
}

async function joinAsOneself(
	context: IdentityContext,
	invitation: Invitation,
	user: UserRow,
	sessionId: string,
	caller: Caller,
): Promise<SignedInSession> {
	const workspaceId = invitation.workspace_id
	await context.mutate(async (tx) => {
		await take(context, tx, invitation)
		if (await findMember(tx, workspaceId, user.id))
			throw new Problem('conflict', 'You are a member of this workspace already.')
		await join(context, tx, invitation, user, caller, 'existing')
		await setSessionWorkspace(tx, workspaceId, sessionId)
	})
	return { sessionId, userId: user.id, workspaceId }
}

async function joinByPassword(
	context: IdentityContext,
	invitation: Invitation,
	password: string | undefined,
	caller: Caller,
): Promise<SignedInSession> {
	if (password === undefined) throw passwordMissing('is needed: this account belongs to no workspace')
	const user = await findByPassword(context, { email: invitation.email, password }, caller)
	return context.mutate(async (tx) => {
		await requireSamePassword(tx, user)
		await take(context, tx, invitation)
		await join(context, tx, invitation, user, caller, 'existing')
		return openSession(context, tx, { userId: user.id, workspaceId: invitation.workspace_id }, caller)
	})
}

async function joinAsNewPerson(
	context: IdentityContext,
	invitation: Invitation,
	{ password, name = '' }: BodyOf<Accept>,
	caller: Caller,
): Promise<SignedInSession> {
	if (context.instance.value('signup') === 'closed') throw new Problem('signup_closed')
	requirePasswords(context)
	if (password === undefined) throw passwordMissing('is needed to make the account')
	refuseWeakPassword(password, invitation.email)
	const passwordHash = await context.hasher.hash(password)
	const nowMs = context.clock.nowMs()
	const user: UserRow = {
		id: newId(nowMs),
		email: invitation.email,
		name,
		password_hash: passwordHash,
		// A link that an admin passed on proves nothing about the mailbox.
		verified: invitation.mailed,
		operator: 0,
		time_zone: null,
		created_at: nowMs,
		updated_at: nowMs,
	}
	return refuseDuplicate(
		context.mutate(async (tx) => {
			await take(context, tx, invitation)
			await insertUser(tx, user)
			await join(context, tx, invitation, user, caller, 'new')
			return openSession(context, tx, { userId: user.id, workspaceId: invitation.workspace_id }, caller)
		}),
	)
}

/** Single use, also for concurrent requests with the same token. */
async function take(
	{ clock }: IdentityContext,
	tx: DatabaseTransaction,
	invitation: Invitation,
): Promise<void> {
	await lockNumbering(tx)
	if (!(await takeInvitation(tx, invitation, clock.nowMs()))) throw new Problem('invitation_invalid')
	await deleteMailLinkOf(tx, invitation.secret_hash)
}

async function join(
	{ audit, clock }: IdentityContext,
	tx: DatabaseTransaction,
	invitation: Invitation,
	user: UserRow,
	caller: Caller,
	account: 'new' | 'existing',
): Promise<void> {
	const workspaceId = invitation.workspace_id
	const role = invitation.role as Role
	await insertMember(tx, workspaceId, { userId: user.id, role }, clock.nowMs())
	const actor: Actor = { kind: 'user', id: user.id, name: user.email }
	await audit.record(tx, {
		workspaceId,
		actor,
		action: 'invitations.accept',
		target: { kind: 'invitation', id: invitation.id, name: invitation.email },
		detail: { role: { before: null, after: role }, account, address: caller.address },
		requestId: caller.requestId,
	})
	await appendChange(tx, 'user', user.id, clock)
}

function passwordMissing(detail: string): Problem {
	return new Problem('invalid_request', `body/password: ${detail}.`, {
		errors: [{ pointer: '/password', code: 'required', detail }],
	})
}

/**
 * Accepts all open invitations to the person's address, which must be verified: what was sent to it is theirs. For people without a
 * workspace who sign in by a provider, since without a workspace there is no session in which to accept.
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

type Preview = OutputOf<(typeof invitationOperations)['preview']>
type Invitation = NonNullable<Awaited<ReturnType<typeof findInvitationByHash>>>

/** The invitation of a token. Throws `invitation_invalid`, and throttles guessing. */
async function invitationOf(context: IdentityContext, token: string, address: string): Promise<Invitation> {
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
 * A person without a workspace cannot sign in by password, so the password is sent with the acceptance. A person without a password
 * signs in by a provider, which accepts open invitations.
 */
async function needsOf({ store }: IdentityContext, user: UserRow | undefined): Promise<Preview['needs']> {
	if (!user) return 'new_password'
	if (user.password_hash === null) return 'session'
	return (await listMemberships(store.db, user.id)).length > 0 ? 'session' : 'password'
}
