import { randomInt } from 'node:crypto'
import { accountOperations, invitationOperations } from '@signalbox/contract'
import type { Clock } from '../../platform/clock.ts'
import { PasswordHasher } from '../../platform/crypto/password-hasher.ts'
import type { ControlStore, DatabaseTransaction } from '../../platform/database/database.ts'
import type { Problem } from '../../platform/errors.ts'
import type { Authenticate } from '../../platform/http/ingress.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import type { Principal, UserPrincipal } from '../../platform/http/principal.ts'
import { userIn } from '../../platform/http/route.ts'
import { LastUses } from '../../platform/last-uses.ts'
import type { Log } from '../../platform/log.ts'
import { createMailer, createSmtpTransport, type Mailer } from '../../platform/mail/mailer.ts'
import { paginate } from '../../platform/paging.ts'
import { systemActor } from '../audit/audit.ts'
import { deleteExpiredTokens, findUserByEmail } from './accounts/account-repository.ts'
import {
	changePassword,
	chooseTimeZone,
	resendVerification,
	resetPassword,
	verifyAddress,
} from './accounts/change-account.ts'
import { resetMessage } from './accounts/messages.ts'
import { homeWorkspaceOf, normaliseEmail } from './accounts/new-account.ts'
import { requirePasswords } from './accounts/password-rules.ts'
import { Throttle } from './accounts/throttle/throttle.ts'
import { issueToken } from './accounts/tokens/account-tokens.ts'
import { createAuthenticate, mayFinish, personIn, stillAllowedFrom, stillValid } from './authenticate.ts'
import { SecretActivation } from './credentials/activate-secret.ts'
import {
	type CreatedCredential,
	createCredential,
	type NewCredential,
} from './credentials/create-credential.ts'
import { deleteOldOauthTokens, touchCredential } from './credentials/credential-repository.ts'
import { credentialRoutes } from './credentials/credential-routes.ts'
import { endOauthToken, grantOfToken, type OauthToken, putOauthToken } from './credentials/oauth-tokens.ts'
import { type KeyPage, type KeyQuery, listKeys } from './credentials/present-credential.ts'
import { federationRoutes } from './federation/federation-routes.ts'
import {
	BackgroundWork,
	type Caller,
	callerOf,
	type IdentityContext,
	type IdentityDependencies,
	type OnMembership,
} from './identity-context.ts'
import { authRoutes } from './identity-routes.ts'
import { instanceKeyRoutes, instanceRoutes, maintainSigningKeys } from './instance/instance-routes.ts'
import { acceptInvitation, previewInvitation } from './invitations/accept-invitation.ts'
import {
	invite,
	presentInvitation,
	resendInvitation,
	withdrawInvitation,
} from './invitations/change-invitations.ts'
import { listOpenInvitations } from './invitations/invitation-repository.ts'
import { createLinkKeeper, deleteExpiredMailLinks, mailLinkRoutes } from './mail-links/mail-links.ts'
import { createAccessTokens } from './sessions/access-tokens.ts'
import { createSessionCookies } from './sessions/cookies.ts'
import { answerSession } from './sessions/open-session.ts'
import { touchSession } from './sessions/session-repository.ts'
import { SigningKeys } from './sessions/signing-keys.ts'
import { newSetupToken, startHeadless } from './setup/headless-start.ts'
import { IdentityView } from './view.ts'
import { memberRequestIn } from './workspaces/workspace-context.ts'
import { beginWorkspace, endWorkspace, workspaceRoutes } from './workspaces/workspaces.ts'

export { openIdentityAdmin } from './admin.ts'
export { hasIngestToken } from './credentials/credential-repository.ts'
export {
	type BrowserCookie,
	createBrowserCookie,
	createProviderFetch,
} from './federation/federation-context.ts'
export type { MembershipChange } from './identity-context.ts'
export { listOperators } from './instance/instance-repository.ts'
export { type Instance, openInstance } from './instance/instance-view.ts'

/** Expired access tokens are kept this long, so that one can see when they were last used. */
const oauthTokensKeptMs = 7 * 24 * 60 * 60 * 1000
const everyMs = 5 * 60 * 1000

/** Deletes expired rows, on every node; rows that another node has deleted are skipped. */
function startMaintenance(context: IdentityContext): { stop(): void } {
	const timer = setInterval(() => context.background.run('housekeeping', () => cleanUp(context)), everyMs)
	timer.unref()
	return { stop: () => clearInterval(timer) }
}

async function cleanUp({ store, clock, throttle }: IdentityContext): Promise<void> {
	await throttle.prune()
	await deleteExpiredTokens(store.db, clock.deletionMs())
	await deleteExpiredMailLinks(store.db, clock.deletionMs())
	await deleteOldOauthTokens(store.db, clock.deletionMs() - oauthTokensKeptMs)
}

/** A person in a workspace. */
export type Member = Pick<UserPrincipal, 'userId' | 'email' | 'workspaceId' | 'role'>

export interface Identity {
	operations: BoundOperation[]
	authenticate: Authenticate
	/** Checks the caller of a running request again; for `context.guard`. */
	stillValid(principal: Principal): Problem | null
	/** The same for a call that has begun: it outlives the access token of a connected client, but not the connection. */
	mayFinish(principal: Principal): Problem | null
	/** Checks again whether the caller of a running request may use its credential from its address. */
	stillAllowedFrom(principal: Principal, clientAddress: string): Problem | null
	/** Creates a key or ingest token with its audit record, in the caller's transaction. */
	createCredential(tx: DatabaseTransaction, wanted: NewCredential): Promise<CreatedCredential>
	/** Platform and agent keys of a workspace, without their secrets. */
	listKeys(workspaceId: string, query: KeyQuery): Promise<KeyPage>
	/** OAuth access tokens: credentials of agents, delegated by a person. */
	oauthTokens: {
		put(tx: DatabaseTransaction, token: OauthToken): Promise<void>
		end(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void>
		/** The grant of an access token, or null; from the store, because another process may have issued it just now. */
		grantOf(token: string): Promise<string | null>
	}
	/** For creating and deleting workspaces as part of another operation, in its transaction. */
	workspaces: {
		begin(
			tx: DatabaseTransaction,
			wanted: Parameters<typeof beginWorkspace>[2],
		): Promise<{ id: string; slug: string }>
		end(tx: DatabaseTransaction, ending: Parameters<typeof endWorkspace>[2]): Promise<void>
	}
	/** A member with their current role, from memory; null if they are not in the workspace. */
	memberOf(workspaceId: string, who: { userId: string } | { email: string }): Member | null
	/** The listener is called in the transaction that changes or ends a membership. */
	onMembership(listener: OnMembership): void
	/** The secret of this start's setup link, as long as there is no operator; set by `start`. */
	readonly setupToken: string | null
	/** Headless first start, setup link, background work; call it after the change feed has started. */
	start(): Promise<void>
	close(): Promise<void>
}

/**
 * The issuer of access tokens: the instance, not the node. Nodes on one store accept each other's tokens, so without a public URL
 * the issuer is a name derived from the store. Tokens of another instance are signed by other keys, too.
 */
function issuerOf({ config, sealer }: Pick<IdentityDependencies, 'config' | 'sealer'>): string {
	return config.PUBLIC_URL?.replace(/\/$/, '') ?? `urn:signalbox:${sealer.mac('issuer', '').slice(0, 32)}`
}

export async function openIdentity(dependencies: IdentityDependencies): Promise<Identity> {
	const { store, feed, sealer, clock, log } = dependencies
	const signingKeys = new SigningKeys(store, sealer, clock)
	const context: IdentityContext = {
		...dependencies,
		view: new IdentityView(store, clock),
		onMembership: [],
		hasher: new PasswordHasher(dependencies.passwordMemoryKib),
		mailer: openMailer(dependencies),
		background: new BackgroundWork(log),
		throttle: new Throttle(dependencies),
		activation: new SecretActivation(dependencies),
		signingKeys,
		accessTokens: createAccessTokens(signingKeys, issuerOf(dependencies), clock),
		cookies: createSessionCookies(dependencies.publicAddress),
	}
	feed.add(context.view)
	feed.add(signingKeys)
	const uses = noteUses(store, clock, log)
	let setupToken: string | null = null
	let stopHousekeeping = () => {}
	let stopKeyMaintenance = () => {}
	return {
		operations: [
			...authRoutes(context),
			...accountRoutes(context),
			...credentialRoutes(context),
			...federationRoutes(context),
			...mailLinkRoutes(context),
			...workspaceRoutes(context),
			...invitationRoutes(context),
			...instanceRoutes(context),
			...instanceKeyRoutes(context),
		],
		authenticate: createAuthenticate(context, uses),
		stillValid: (principal) => stillValid(context, principal),
		mayFinish: (principal) => mayFinish(context, principal),
		stillAllowedFrom: (principal, address) => stillAllowedFrom(context, principal, address),
		createCredential: (tx, wanted) => createCredential(context, tx, wanted),
		listKeys: (workspaceId, query) => listKeys(context, workspaceId, query),
		oauthTokens: {
			put: (tx, token) => putOauthToken(context, tx, token),
			end: (tx, workspaceId, id) => endOauthToken(context, tx, workspaceId, id),
			grantOf: (token) => grantOfToken(store.db, token),
		},
		workspaces: {
			begin: (tx, wanted) => beginWorkspace(context, tx, wanted),
			end: (tx, ending) => endWorkspace(context, tx, ending),
		},
		onMembership: (listener) => void context.onMembership.push(listener),
		memberOf: (workspaceId, who) => context.view.member(workspaceId, who),
		get setupToken() {
			return setupToken
		},
		start: async () => {
			await startHeadless(context)
			setupToken = await newSetupToken(context)
			stopHousekeeping = startMaintenance(context).stop
			stopKeyMaintenance = maintainSigningKeys(context).stop
		},
		close: async () => {
			stopKeyMaintenance()
			await context.activation.settle()
			await uses.close()
			stopHousekeeping()
			await context.background.close()
			await context.mailer.close()
			await context.hasher.close()
		},
	}
}

function openMailer({ store, sealer, clock, log, config }: IdentityDependencies): Mailer {
	const { SMTP_URL, MAIL_FROM } = config
	const transport = SMTP_URL && MAIL_FROM ? createSmtpTransport(SMTP_URL, MAIL_FROM) : null
	return createMailer({ transport, links: createLinkKeeper({ store, sealer, clock }), log })
}

/** Records when each credential and each session was last used. */
function noteUses({ db }: ControlStore, clock: Clock, log: Log) {
	const sessions = new LastUses({
		...{ db, clock, log, of: 'sessions' },
		touch: (tx, { id }, atMs) => touchSession(tx, id, atMs),
	})
	const keys = new LastUses({
		...{ db, clock, log, of: 'keys' },
		touch: (tx, { id, workspaceId }, atMs) => touchCredential(tx, workspaceId, id, atMs),
	})
	return {
		sessions,
		keys,
		close: async () => {
			await sessions.close()
			await keys.close()
		},
	}
}

function invitationRoutes(context: IdentityContext): BoundOperation[] {
	const { store, clock } = context
	return bind(invitationOperations, {
		list: async ({ params, query, context: requestContext }) => {
			const { workspaceId } = memberRequestIn(requestContext, params.id)
			const { rows, total } = await listOpenInvitations(store.db, workspaceId, clock.nowMs(), query)
			const invitations = rows.map((row) => presentInvitation(row, row.inviter))
			return { invitations, pagination: paginate(query, total) }
		},
		create: ({ params, body, context: requestContext }) =>
			invite(context, memberRequestIn(requestContext, params.id), body),
		revoke: async ({ params, context: requestContext }) =>
			void (await withdrawInvitation(
				context,
				memberRequestIn(requestContext, params.id),
				params.invitationId,
			)),
		resend: ({ params, context: requestContext }) =>
			resendInvitation(context, memberRequestIn(requestContext, params.id), params.invitationId),
		preview: ({ body, context: requestContext }) =>
			previewInvitation(context, body.token, requestContext.clientAddress),
		accept: async ({ body, request, context: requestContext, setHeader }) => {
			const signedIn = () => personIn(context, request, requestContext.clientAddress)
			const session = await acceptInvitation(context, body, signedIn, callerOf(request, requestContext))
			return answerSession(context, session, request, setHeader)
		},
	})
}

function accountRoutes(context: IdentityContext): BoundOperation[] {
	return bind(accountOperations, {
		verify: ({ body, request, context: requestContext }) =>
			verifyAddress(context, body.token, callerOf(request, requestContext)),
		resend: async ({ request, context: requestContext }) => {
			await resendVerification(context, userIn(requestContext), callerOf(request, requestContext))
			return undefined
		},
		forgot: async ({ body, request, context: requestContext }) => {
			await forgotPassword(context, body.email, callerOf(request, requestContext))
			return undefined
		},
		reset: async ({ body, request, context: requestContext }) => {
			await resetPassword(context, body, callerOf(request, requestContext))
			return undefined
		},
		preferences: ({ body, context: requestContext }) =>
			chooseTimeZone(context, userIn(requestContext), body.time_zone, requestContext.requestId),
		change: async ({ body, request, context: requestContext }) => {
			await changePassword(context, userIn(requestContext), body, callerOf(request, requestContext))
			return undefined
		},
	})
}

/**
 * Sends a link to reset the password if the address exists. All work happens a random moment after the response, so that neither
 * the response nor its timing reveals whether the address is known.
 */
async function forgotPassword(context: IdentityContext, email: string, caller: Caller): Promise<void> {
	requirePasswords(context)
	const attempt = { kind: 'mail', address: caller.address } as const
	await context.throttle.check(attempt)
	await context.throttle.count(attempt)
	const account = normaliseEmail(email)
	context.background.run('password reset', () => sendReset(context, account, caller), randomInt(50, 500))
}

/** A recently sent link still works, so another request shortly afterwards sends none: nobody's mailbox is flooded. */
async function sendReset(context: IdentityContext, account: string, caller: Caller): Promise<void> {
	const { throttle, store, mutate, audit, mailer, publicAddress } = context
	const attempt = { kind: 'mail-to', account } as const
	if ((await throttle.waitMs(attempt)) > 0) return
	await throttle.count(attempt)
	const user = await findUserByEmail(store.db, account)
	if (!user) return
	const workspaceId = await homeWorkspaceOf(store.db, user.id)
	const token = await mutate(async (tx) => {
		await audit.record(tx, {
			workspaceId,
			actor: systemActor('forgotten password'),
			action: 'auth.forgot_password',
			target: { kind: 'user', id: user.id, name: user.email },
			detail: { address: caller.address },
			requestId: caller.requestId,
		})
		return issueToken(context, tx, { userId: user.id, email: user.email }, 'reset')
	})
	await mailer.send(resetMessage(publicAddress(), user.email, token))
}
