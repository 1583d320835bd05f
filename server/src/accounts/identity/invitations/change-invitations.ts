import {
	type BodyOf,
	type invitationOperations,
	type OutputOf,
	type Role,
	roles,
	rolesGivenBy,
	tokenPrefixes,
} from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { hashToken, newToken } from '../../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { findUserByEmail } from '../accounts/account-repository.ts'
import { normaliseEmail } from '../accounts/new-account.ts'
import type { IdentityContext } from '../identity-context.ts'
import { deleteMailLinkOf } from '../mail-links/mail-links.ts'
import { lockedRole, type MemberRequest, recordFor, refuseRole } from '../workspaces/workspace-context.ts'
import { findMember, findWorkspaceById } from '../workspaces/workspace-repository.ts'
import {
	findUnusedInvitation,
	hasOtherInvitation,
	type InvitationRow,
	insertInvitation,
	listOpenInvitationsFor,
	listUnusedInvitationsBy,
	renewInvitation,
	revokeInvitation,
} from './invitation-repository.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Throws `forbidden` for a role beyond the inviter's own, `conflict` for a member or an open invitation. */
export async function invite(
	context: IdentityContext,
	asking: MemberRequest,
	{ role, ...body }: BodyOf<(typeof invitationOperations)['create']>,
): Promise<NewInvitationDocument> {
	const { workspaceId, user } = asking
	const email = normaliseEmail(body.email)
	const { link, row: secret } = newLink(context)
	await limitMail(context, email)
	const nowMs = context.clock.nowMs()
	const expires_at = nowMs + body.expires_in_days * dayMs
	const made = { email, role, invited_by: user.userId, created_at: nowMs, expires_at }
	const unused = { accepted_at: null, revoked_at: null }
	const row = { id: newId(nowMs), workspace_id: workspaceId, ...made, ...secret, ...unused }
	const workspaceName = await context.mutate(async (tx) => {
		refuseRole(await lockedRole(tx, asking), role)
		await refuseKnown(tx, workspaceId, row, nowMs)
		await insertInvitation(tx, row)
		await recordInvitation(context, tx, asking, 'invitations.create', row)
		return nameOf(tx, workspaceId)
	})
	return deliver(context, row, link, { inviter: user.email, workspaceName })
}

export async function resendInvitation(
	context: IdentityContext,
	asking: MemberRequest,
	id: string,
): Promise<NewInvitationDocument> {
	const { workspaceId, user } = asking
	const known = await findUnusedInvitation(context.store.db, workspaceId, id)
	if (!known) throw notFound('invitation')
	await limitMail(context, known.email)
	const { link, row: secret } = newLink(context)
	const nowMs = context.clock.nowMs()
	const { row, workspaceName } = await context.mutate(async (tx) => {
		const before = await dealWith(tx, asking, id)
		await refuseKnown(tx, workspaceId, before, nowMs)
		const lifetimeMs = before.expires_at - before.created_at
		const values = { ...secret, created_at: nowMs, expires_at: nowMs + lifetimeMs }
		await renewInvitation(tx, workspaceId, id, values)
		await deleteMailLinkOf(tx, before.secret_hash)
		const renewed = { ...before, ...values }
		await recordInvitation(context, tx, asking, 'invitations.resend', renewed)
		return { row: renewed, workspaceName: await nameOf(tx, workspaceId) }
	})
	return deliver(context, row, link, { inviter: user.email, workspaceName })
}

/** Limits mails per recipient, so that nobody's mailbox can be flooded through us, whoever invites. */
async function limitMail({ mailer, throttle }: IdentityContext, email: string): Promise<void> {
	if (!mailer.configured) return
	const attempt = { kind: 'mail-to', account: `invitation ${email}` } as const
	await throttle.check(attempt)
	await throttle.count(attempt)
}

export async function withdrawInvitation(
	context: IdentityContext,
	asking: MemberRequest,
	id: string,
): Promise<void> {
	await context.mutate(async (tx) => {
		await withdraw(context, tx, asking, await dealWith(tx, asking, id))
	})
}

/** Withdraws the invitations that a person has sent and could not send any more with this role (null: removed). */
export async function withdrawInvitationsBeyond(
	context: IdentityContext,
	tx: DatabaseTransaction,
	asking: MemberRequest,
	userId: string,
	role: Role | null,
): Promise<void> {
	const given = role ? rolesGivenBy(role) : []
	const beyond = roles.filter((known) => !given.includes(known))
	if (beyond.length === 0) return
	for (const row of await listUnusedInvitationsBy(tx, asking.workspaceId, userId, beyond))
		await withdraw(context, tx, asking, row)
}

/** Withdraws the open invitation to a person who is removed: it may be older than their membership by the groups of a provider. */
export async function withdrawInvitationsTo(
	context: IdentityContext,
	tx: DatabaseTransaction,
	asking: MemberRequest,
	email: string,
): Promise<void> {
	for (const row of await listOpenInvitationsFor(tx, email, context.clock.nowMs()))
		if (row.workspace_id === asking.workspaceId) await withdraw(context, tx, asking, row)
}

async function withdraw(
	context: IdentityContext,
	tx: DatabaseTransaction,
	asking: MemberRequest,
	row: InvitationRow,
): Promise<void> {
	await revokeInvitation(tx, asking.workspaceId, row.id, context.clock.nowMs())
	await deleteMailLinkOf(tx, row.secret_hash)
	await recordInvitation(context, tx, asking, 'invitations.revoke', row)
}

async function dealWith(tx: DatabaseTransaction, asking: MemberRequest, id: string): Promise<InvitationRow> {
	const has = await lockedRole(tx, asking)
	const row = await findUnusedInvitation(tx, asking.workspaceId, id)
	if (!row) throw notFound('invitation')
	refuseRole(has, row.role as Role)
	return row
}

/** Two open invitations of a person to one workspace could not both be accepted. */
async function refuseKnown(
	tx: DatabaseTransaction,
	workspaceId: string,
	{ id, email }: Pick<InvitationRow, 'id' | 'email'>,
	nowMs: number,
): Promise<void> {
	const user = await findUserByEmail(tx, email)
	if (user && (await findMember(tx, workspaceId, user.id)))
		throw new Problem('conflict', `${email} is a member of this workspace already.`)
	if (await hasOtherInvitation(tx, workspaceId, { id, email }, nowMs))
		throw new Problem('conflict', `${email} has an open invitation; resend or revoke it.`)
}

async function nameOf(tx: DatabaseTransaction, workspaceId: string): Promise<string> {
	return (await findWorkspaceById(tx, workspaceId))?.name ?? ''
}

function recordInvitation(
	context: IdentityContext,
	tx: DatabaseTransaction,
	asking: MemberRequest,
	action: string,
	{ id, email, role }: InvitationRow,
): Promise<void> {
	const target = { kind: 'invitation', id, name: email }
	return recordFor(context, tx, asking, { action, target, detail: { role } })
}

type NewInvitationDocument = OutputOf<(typeof invitationOperations)['create']>

/** A new secret for an invitation. The link has it in the fragment, which browsers never send. */
function newLink({ publicAddress, mailer }: IdentityContext) {
	const secret = newToken(tokenPrefixes.invitation)
	return {
		link: `${publicAddress()}/ui/invitation#token=${secret}`,
		row: { secret_hash: hashToken(secret), mailed: mailer.configured ? 1 : 0 },
	}
}

export function presentInvitation(row: InvitationRow, inviter: string | null) {
	return {
		id: row.id,
		email: row.email,
		role: row.role as Role,
		invited_by: inviter,
		created_at: toIso(row.created_at),
		expires_at: toIso(row.expires_at),
	}
}

/** Mails the link. Without a mail server it is returned to the inviter, the only person who sees it. */
async function deliver(
	{ mailer }: IdentityContext,
	row: InvitationRow,
	link: string,
	{ inviter, workspaceName }: { inviter: string; workspaceName: string },
): Promise<NewInvitationDocument> {
	const document = { ...presentInvitation(row, inviter), mailed: row.mailed === 1 }
	if (row.mailed === 0) return { ...document, link }
	const until = toIso(row.expires_at).slice(0, 10)
	await mailer.send({
		to: row.email,
		subject: `${inviter} invites you to ${workspaceName} on Signalbox`,
		text: `${inviter} invites you to the workspace ${workspaceName} on Signalbox, as ${row.role}.\n\nAccept until ${until}:\n${link}\n\nThe link works once. If you do not know the sender, ignore this message.\n`,
		link,
		expiresAtMs: row.expires_at,
	})
	return document
}
