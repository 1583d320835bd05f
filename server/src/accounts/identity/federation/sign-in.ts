import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { SignInProvider } from '../../../config/sign-in-providers.ts'
import { appendChange, lockNumbering } from '../../../platform/changes.ts'
import { hashToken } from '../../../platform/crypto/token.ts'
import { type DatabaseTransaction, lockGroups } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/ids.ts'
import {
	findUser,
	findUserByEmail,
	hasOperator,
	insertUser,
	listMemberships,
	type UserRow,
} from '../accounts/account-repository.ts'
import type { Caller } from '../identity-context.ts'
import { acceptOpenInvitations } from '../invitations/accept-invitation.ts'
import { listOpenInvitationsFor } from '../invitations/invitation-repository.ts'
import { type OpenSession, openSession } from '../sessions/open-session.ts'
import { beginWorkspace } from '../workspaces/workspaces.ts'
import { applyGroups, type MappedPlace, resolveGroups } from './apply-groups.ts'
import { type FederationContext, flowLifetimeMs, SignInError } from './federation-context.ts'
import {
	deleteFlowsBefore,
	type FlowRow,
	findIdentity,
	insertFlow,
	insertIdentity,
	listIdentities,
	takeFlow,
	touchIdentity,
} from './federation-repository.ts'
import type { FlowSecrets, Profile } from './provider-sign-in.ts'

/** Signs a person in with a verified profile, for the first time or again. Throws `SignInError`. */
export async function signIn(
	context: FederationContext,
	provider: SignInProvider,
	profile: Profile,
	caller: Caller,
): Promise<OpenSession> {
	const session = await context.mutate(async (tx) => {
		// Groups of agents may change, and their lock must be taken before all others.
		if (provider.groups.length > 0) await lockGroups(tx)
		// Two concurrent first sign-ins of a person must create one account.
		await lockNumbering(tx)
		const places = await resolveGroups(context, tx, provider, {
			...profile,
			requestId: caller.requestId,
		})
		const user = await userOf(context, tx, provider, profile, places, caller)
		const { id, email } = user
		await applyGroups(context, tx, { id, email, issuer: profile.issuer, requestId: caller.requestId }, places)
		return startSession(context, tx, provider, user, caller)
	})
	// Thrown after the commit, so that a membership that has ended stays ended.
	if (!session) throw new SignInError('no_workspace')
	return session
}

async function userOf(
	context: FederationContext,
	tx: DatabaseTransaction,
	provider: SignInProvider,
	profile: Profile,
	places: ReadonlyMap<string, MappedPlace>,
	caller: Caller,
): Promise<UserRow> {
	const known = await findIdentity(tx, profile.issuer, profile.subject)
	if (known) await touchIdentity(tx, known.id, context.clock.nowMs())
	const user = known && (await findUser(tx, known.user_id))
	if (user) return user
	const { email } = profile
	if (email === null) throw new SignInError('email_missing')
	if (!profile.emailVerified) throw new SignInError('email_unverified')
	const holder = await findUserByEmail(tx, email)
	if (holder && !(await isMadeBy(tx, holder, profile.issuer))) throw new SignInError('account_exists')
	const owner =
		holder ?? (await makeAccount(context, tx, provider, { ...profile, email }, places.size > 0, caller))
	await addIdentity(context, tx, profile, owner.id, holder === undefined)
	await appendChange(tx, 'user', owner.id, context.clock)
	return owner
}

/** Whether this same issuer created the account: then it may sign its person in under a new subject. */
async function isMadeBy(tx: DatabaseTransaction, user: UserRow, issuer: string): Promise<boolean> {
	const identities = await listIdentities(tx, user.id)
	return identities.some((identity) => identity.issuer === issuer && identity.made_account === 1)
}

export async function addIdentity(
	{ clock }: FederationContext,
	tx: DatabaseTransaction,
	{ issuer, subject, email }: Profile,
	userId: string,
	madeAccount: boolean,
): Promise<string> {
	const nowMs = clock.nowMs()
	const id = newId(nowMs)
	await insertIdentity(tx, {
		id,
		issuer,
		subject,
		user_id: userId,
		email,
		made_account: madeAccount ? 1 : 0,
		created_at: nowMs,
		last_used_at: nowMs,
	})
	return id
}

/** A session in the person's first workspace, if needed by accepting an open invitation; null if there is none. */
async function startSession(
	context: FederationContext,
	tx: DatabaseTransaction,
	provider: SignInProvider,
	user: UserRow,
	caller: Caller,
): Promise<OpenSession | null> {
	const first = await firstWorkspace(context, tx, user, caller)
	if (!first) return null
	await context.audit.record(tx, {
		workspaceId: first.id,
		actor: { kind: 'user', id: user.id, name: user.email },
		action: 'auth.login',
		detail: { address: caller.address, provider: provider.id },
		requestId: caller.requestId,
	})
	return openSession(context, tx, { userId: user.id, workspaceId: first.id }, caller)
}

async function firstWorkspace(
	context: FederationContext,
	tx: DatabaseTransaction,
	user: UserRow,
	caller: Caller,
): Promise<{ id: string } | undefined> {
	const [first] = await listMemberships(tx, user.id)
	if (first || user.verified === 0) return first
	await acceptOpenInvitations(context, tx, user, caller, 'existing')
	return (await listMemberships(tx, user.id))[0]
}

const signupOf = { open: 'anyone', invite: 'invited', closed: 'nobody' } as const

/**
 * Creates the account of a person who signs in for the first time: without a password, with the memberships of their open
 * invitations. Without any, and if no group grants a membership, they get a new workspace where sign-up is open.
 */
async function makeAccount(
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
		time_zone: null,
		created_at: nowMs,
		updated_at: nowMs,
	}
	await insertUser(tx, user)
	if (isInvited) await acceptOpenInvitations(context, tx, user, caller, 'new')
	else if (!isMapped) await giveWorkspace(context, tx, user, caller)
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

function giveWorkspace(
	context: FederationContext,
	tx: DatabaseTransaction,
	{ id: userId, name, email }: UserRow,
	{ requestId }: Caller,
): Promise<unknown> {
	const owner = { userId, actor: { kind: 'user' as const, id: userId, name: email } }
	return beginWorkspace(context, tx, { name: `${name || email.split('@')[0]}'s workspace`, owner, requestId })
}

const random = () => randomBytes(32).toString('base64url')

interface WantedFlow {
	provider: SignInProvider
	returnTo: string
	redirectUri: string
	linkSessionId: string | null
}

/** Stores a sign-in that begins; returns the `set-cookie` value that binds it to the browser. */
export async function openFlow(
	{ mutate, clock, sealer, browserCookie }: FederationContext,
	request: IncomingMessage,
	wanted: WantedFlow,
): Promise<{ secrets: FlowSecrets; cookie: string }> {
	const { provider, redirectUri } = wanted
	const secrets: FlowSecrets = { state: random(), nonce: random(), verifier: random(), redirectUri }
	// The cookie keeps its value while it is valid, so that two tabs can sign in at the same time.
	const browser = browserCookie.read(request) ?? random()
	const nowMs = clock.nowMs()
	const id = newId(nowMs)
	const row: FlowRow = {
		id,
		state_hash: hashToken(secrets.state),
		browser_hash: hashToken(browser),
		provider: provider.id,
		issuer: provider.issuer,
		sealed_secrets: sealer.seal(JSON.stringify(secrets), sealContext(id, provider)),
		return_to: wanted.returnTo,
		link_session_id: wanted.linkSessionId,
		created_at: nowMs,
		expires_at: nowMs + flowLifetimeMs,
	}
	await mutate(async (tx) => {
		await deleteFlowsBefore(tx, clock.deletionMs())
		await insertFlow(tx, row)
	})
	return { secrets, cookie: browserCookie.set(browser) }
}

/** The flow of a `state`, only once; a wrong browser or provider uses it up too. Throws `flow_invalid`. */
export async function closeFlow(
	{ mutate, clock, sealer, browserCookie }: FederationContext,
	request: IncomingMessage,
	provider: SignInProvider,
	state: string | undefined,
): Promise<{ row: FlowRow; secrets: FlowSecrets }> {
	const browser = browserCookie.read(request)
	const row = state ? await mutate((tx) => takeFlow(tx, hashToken(state))) : undefined
	if (!row || row.expires_at <= clock.nowMs()) throw new SignInError('flow_invalid')
	if (browser === null || row.browser_hash !== hashToken(browser)) throw new SignInError('flow_invalid')
	if (row.provider !== provider.id || row.issuer !== provider.issuer) throw new SignInError('flow_invalid')
	return {
		row,
		secrets: JSON.parse(sealer.open(row.sealed_secrets, sealContext(row.id, provider))) as FlowSecrets,
	}
}

function sealContext(id: string, { issuer }: SignInProvider) {
	return { workspaceId: '', kind: 'sign_in_flow', origin: issuer, id }
}

const base = 'http://base.invalid'

/**
 * The path below `/ui/` to which a sign-in may return; anything else becomes `/ui/`. A path is accepted only if a browser reads it
 * exactly as written. Alternative notations are refused, so nothing can hide in one.
 */
export function returnPath(wanted: string | undefined): string {
	return wanted !== undefined && isPlain(wanted) ? wanted : '/ui/'
}

function isPlain(wanted: string): boolean {
	if (!/^\/ui\/[\w\-./~%?&=+:,@!$'()*;#]*$/.test(wanted)) return false
	const [path = ''] = wanted.split(/[?#]/, 1)
	if (path.includes('//') || /%(?:2e|2f|5c|25|0|1)/i.test(path)) return false
	const url = URL.parse(wanted, base)
	return url?.origin === base && `${url.pathname}${url.search}${url.hash}` === wanted
}
