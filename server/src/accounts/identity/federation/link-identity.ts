import type { federationOperations, OutputOf } from '@signalbox/contract'
import type { SignInProvider } from '../../../config/config.ts'
import { lockNumbering } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/index.ts'
import { actorOf } from '../../audit/index.ts'
import { findUser, type UserRow } from '../accounts/account-repository.ts'
import type { Caller } from '../identity-context.ts'
import { findSession } from '../sessions/session-repository.ts'
import { applyGroups } from './apply-groups.ts'
import { type FederationContext, SignInError } from './federation-context.ts'
import { deleteIdentity, findIdentity, type IdentityRow, listIdentities } from './federation-repository.ts'
import { type Profile, resolveGroups } from './profile.ts'
import { addIdentity } from './sign-in.ts'

/** Links a profile to the person whose session began the flow. Throws `session_ended`, `identity_taken`. */
export async function linkIdentity(
	context: FederationContext,
	provider: SignInProvider,
	profile: Profile,
	sessionId: string,
	caller: Caller,
): Promise<void> {
	await context.mutate(async (tx) => {
		await lockNumbering(tx)
		const { user, workspaceId } = await personOf(context, tx, sessionId)
		const known = await findIdentity(tx, profile.issuer, profile.subject)
		if (known && known.user_id !== user.id) throw new SignInError('identity_taken')
		if (!known) {
			const id = await addIdentity(context, tx, profile, user.id, false)
			await context.audit.record(tx, {
				workspaceId,
				actor: { kind: 'user', id: user.id, name: user.email },
				action: 'auth.link_identity',
				target: { kind: 'identity', id, name: profile.issuer },
				detail: { provider: provider.id, address: caller.address },
				requestId: caller.requestId,
			})
		}
		const places = await resolveGroups(context, tx, provider, profile.groups)
		const { id, email } = user
		await applyGroups(context, tx, { id, email, issuer: profile.issuer, requestId: caller.requestId }, places)
	})
}

/** The session that began the flow may have ended on the way. */
async function personOf(
	{ clock }: FederationContext,
	tx: DatabaseTransaction,
	sessionId: string,
): Promise<{ user: UserRow; workspaceId: string }> {
	const session = await findSession(tx, sessionId)
	const isLive = session && session.revoked_at === null && session.expires_at > clock.nowMs()
	const user = isLive ? await findUser(tx, session.user_id) : undefined
	if (!isLive || !user) throw new SignInError('session_ended')
	return { user, workspaceId: session.workspace_id }
}

type Shown = OutputOf<(typeof federationOperations)['identities']>

export async function showIdentities(context: FederationContext, userId: string): Promise<Shown> {
	const rows = await listIdentities(context.store.db, userId)
	return {
		identities: rows.map((row) => ({
			id: row.id,
			provider: providerOfIdentity(context, row)?.id ?? null,
			issuer: row.issuer,
			email: row.email,
			created_at: toIso(row.created_at),
			last_used_at: toIso(row.last_used_at),
		})),
	}
}

/** Ends what the issuer's groups gave too, unless another identity of the same issuer stays. Throws `not_found`, `last_way_in`. */
export async function unlinkIdentity(
	context: FederationContext,
	principal: UserPrincipal,
	id: string,
	requestId: string,
): Promise<void> {
	await context.mutate(async (tx) => {
		await lockNumbering(tx)
		const rows = await listIdentities(tx, principal.userId)
		const row = rows.find((candidate) => candidate.id === id)
		if (!row) throw notFound('identity')
		const rest = rows.filter((other) => other.id !== id)
		await refuseLastWayIn(context, tx, principal.userId, rest)
		await deleteIdentity(tx, principal.userId, id)
		const target = { kind: 'identity', id, name: row.issuer }
		const entry = { workspaceId: principal.workspaceId, actor: actorOf(principal), target, requestId }
		await context.audit.record(tx, { ...entry, action: 'auth.unlink_identity' })
		if (rest.some(({ issuer }) => issuer === row.issuer)) return
		const person = { id: principal.userId, email: principal.email, issuer: row.issuer, requestId }
		await applyGroups(context, tx, person, new Map())
	})
}

/** An identity counts while its provider is there, a password while passwords are taken. */
async function refuseLastWayIn(
	context: FederationContext,
	tx: DatabaseTransaction,
	userId: string,
	rest: IdentityRow[],
): Promise<void> {
	const user = await findUser(tx, userId)
	if (context.config.PASSWORD_LOGIN === 'on' && user?.password_hash) return
	if (!rest.some((row) => providerOfIdentity(context, row))) throw new Problem('last_way_in')
}

function providerOfIdentity(
	{ config }: FederationContext,
	{ issuer }: IdentityRow,
): SignInProvider | undefined {
	const same = (provider: SignInProvider) => provider.issuer.replace(/\/$/, '') === issuer.replace(/\/$/, '')
	return config.signInProviders.find(same)
}
