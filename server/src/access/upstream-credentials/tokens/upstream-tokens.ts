import type { UpstreamOwner } from '@signalbox/contract'
import type { TokenEndpointResponse } from 'openid-client'
import type { BrowserCookie } from '../../../accounts/identity/identity.ts'
import { appendChange, type ChangeKind, type View } from '../../../platform/changes.ts'
import { startTimer } from '../../../platform/clock.ts'
import { newId } from '../../../platform/ids.ts'
import { findMetadata, findResource } from '../authorization-servers/find-resource.ts'
import { configure, loadClient, withSecret } from '../authorization-servers/oauth-client.ts'
import { clientSecretOf, requireSameAuth } from '../upstream-auth.ts'
import type { TokenServer, UpstreamCredentialDependencies } from '../upstream-credential-context.ts'
import {
	type AuthRow,
	changeTokens,
	listAuthForView,
	listTokensForView,
	putTokens,
	type TokenRow,
	takeLease,
} from '../upstream-credential-repository.ts'
import { columnsOf, openTokens } from './stored-tokens.ts'

/** On whose behalf a request is sent to a server. */
export interface OnBehalfOf {
	agentId: string
	/** The person behind the client, if known. */
	userId: string | null
}

/** The credential that is sent to a server, and its owner. */
export interface UpstreamCredential {
	owner: string
	headers: Readonly<Record<string, string>>
}

/** Tokens are renewed this long before they expire. */
const earlyMs = 60_000
const patienceMs = 20_000
/** How often a refresh that another process has begun is tried here, too. */
const tryAgainMs = 1000

/** All tokens, sealed, in memory: a call with a valid token does not read the store. */
export class UpstreamTokens implements View {
	readonly kinds: readonly ChangeKind[] = ['upstream_auth', 'upstream_token']
	readonly #context: UpstreamCredentialDependencies
	#auth = new Map<string, AuthRow>()
	#tokens = new Map<string, TokenRow>()
	#keyOfId = new Map<string, string>()
	/** Decrypted rows. The key is the row object, so that a changed row is decrypted again. */
	readonly #opened = new WeakMap<TokenRow, string>()
	readonly #renewing = new Map<string, Promise<void>>()

	constructor(context: UpstreamCredentialDependencies) {
		this.#context = context
	}

	auth(serverId: string): AuthRow | undefined {
		return this.#auth.get(serverId)
	}

	/** The owner whose token would be used for these, whether it exists or not; '' for servers without OAuth. */
	ownerOf({ id }: Pick<TokenServer, 'id'>, { agentId, userId }: OnBehalfOf): string {
		const auth = this.#auth.get(id)
		if (!auth) return ''
		const ownerId = { workspace: '', agent: agentId, user: userId ?? '' }[auth.owner as UpstreamOwner]
		return `${auth.owner} ${ownerId}`
	}

	/** Null for servers without OAuth. Rejects with `ConsentNeeded` if someone must consent first, and with `NoToken`. */
	async credentialFor(server: TokenServer, owner: OnBehalfOf): Promise<UpstreamCredential | null> {
		const auth = this.#auth.get(server.id)
		if (!auth) return null
		const ownerId = this.#ownerOf(server, auth, owner)
		const key = keyOf(server.id, auth.owner, ownerId)
		const row = await this.#good(server, auth, key, owner)
		return { owner: `${auth.owner} ${ownerId}`, headers: { authorization: `Bearer ${this.#open(row)}` } }
	}

	/** The consent that is missing before there can be a token for these; null if a token is valid or can be renewed. */
	consentNeeded(server: TokenServer, owner: OnBehalfOf): ConsentNeeded | null {
		const auth = this.#auth.get(server.id)
		if (auth?.mode !== 'authorization_code') return null
		if (auth.owner === 'user' && owner.userId === null) return new ConsentNeeded(server.name, 'person', null)
		const row = this.#tokens.get(keyOf(server.id, auth.owner, this.#ownerOf(server, auth, owner)))
		const isHere = row?.status === 'active' && row.origin === new URL(server.url).origin
		return isHere ? null : this.#consentNeeded(server, auth, owner)
	}

	/** For checks of a server's health and tools: the workspace's token, otherwise the most recently renewed one. */
	async credentialForChecks(server: TokenServer): Promise<Readonly<Record<string, string>> | null> {
		const auth = this.#auth.get(server.id)
		if (!auth) return null
		const rows = [...this.#tokens.values()].filter(
			(row) => row.server_id === server.id && row.status === 'active' && this.#hasOwner(row),
		)
		const last = rows.sort((a, b) => b.updated_at - a.updated_at)[0]
		const ownerId = auth.owner === 'workspace' ? '' : last?.owner_id
		if (ownerId === undefined) return null
		const owner = { agentId: ownerId, userId: ownerId }
		return (await this.credentialFor(server, owner))?.headers ?? null
	}

	/** Not after a person has left the workspace, or an agent was deleted. */
	#hasOwner({ workspace_id: workspaceId, owner, owner_id: id }: TokenRow): boolean {
		const { agents, identity } = this.#context
		if (owner === 'user') return identity.memberOf(workspaceId, { userId: id }) !== null
		return owner === 'workspace' || agents.view.get(id) !== undefined
	}

	/**
	 * Called when a server refused a token: renews it, once for all calls refused with it. Resolves with whether there is a new
	 * one.
	 */
	async renewRefused(server: TokenServer, owner: OnBehalfOf, refused: UpstreamCredential): Promise<boolean> {
		const auth = this.#auth.get(server.id)
		if (!auth) return false
		const key = keyOf(server.id, auth.owner, this.#ownerOf(server, auth, owner))
		const row = this.#tokens.get(key)
		if (row && `Bearer ${this.#open(row)}` === refused.headers.authorization)
			await this.#renew(server, auth, key).catch(() => {})
		const now = this.#tokens.get(key)
		return now?.status === 'active' && `Bearer ${this.#open(now)}` !== refused.headers.authorization
	}

	/** The failure that says where a person consents to a wider scope. */
	stepUp(server: TokenServer, owner: OnBehalfOf, scope: string | null): ConsentNeeded {
		const auth = this.#auth.get(server.id)
		if (!auth) return new ConsentNeeded(server.name, 'workspace', null, 'more')
		const row = this.#tokens.get(keyOf(server.id, auth.owner, this.#ownerOf(server, auth, owner)))
		const both = new Set([...(row?.scope?.split(' ') ?? []), ...(scope?.split(' ') ?? [])])
		return this.#consentNeeded(server, auth, owner, { scope: [...both].join(' ') })
	}

	async load(): Promise<void> {
		const { db } = this.#context.store
		const tokens = await listTokensForView(db, null)
		this.#auth = new Map((await listAuthForView(db, null)).map((row) => [row.id, row]))
		this.#tokens = new Map(tokens.map((row) => [keyOfRow(row), row]))
		this.#keyOfId = new Map(tokens.map((row) => [row.id, keyOfRow(row)]))
	}

	async apply(kind: ChangeKind, id: string): Promise<void> {
		const { db } = this.#context.store
		if (kind === 'upstream_auth') {
			const [row] = await listAuthForView(db, id)
			if (row) this.#auth.set(id, row)
			else this.#auth.delete(id)
			return
		}
		const [row] = await listTokensForView(db, id)
		const key = row ? keyOfRow(row) : this.#keyOfId.get(id)
		if (key === undefined) return
		if (row) this.#tokens.set(key, row)
		else if (this.#tokens.get(key)?.id === id) this.#tokens.delete(key)
		if (row) this.#keyOfId.set(id, key)
		else this.#keyOfId.delete(id)
	}

	async #good(server: TokenServer, auth: AuthRow, key: string, owner: OnBehalfOf): Promise<TokenRow> {
		const nowMs = this.#context.clock.nowMs()
		const row = this.#tokens.get(key)
		const isHere = row?.status === 'active' && row.origin === new URL(server.url).origin
		if (isHere && endsAfter(row, nowMs + earlyMs)) return row
		if (isHere && endsAfter(row, nowMs)) {
			// Still valid: renewed in the background, so that calls need not wait.
			void this.#renew(server, auth, key).catch(() => {})
			return row
		}
		if (isHere || auth.mode === 'client_credentials') await this.#renew(server, auth, key)
		const renewed = this.#tokens.get(key)
		if (renewed?.status === 'active' && endsAfter(renewed, this.#context.clock.nowMs())) return renewed
		throw this.#consentNeeded(server, auth, owner)
	}

	#ownerOf(server: TokenServer, auth: AuthRow, owner: OnBehalfOf): string {
		if (auth.owner === 'workspace') return ''
		if (auth.owner === 'agent') return owner.agentId
		if (owner.userId === null) throw new ConsentNeeded(server.name, 'person', null)
		return owner.userId
	}

	/** `wider`: the scope to consent to, for a token that is valid but does not suffice. */
	#consentNeeded(
		server: TokenServer,
		auth: AuthRow,
		{ agentId }: OnBehalfOf,
		wider?: { scope: string },
	): ConsentNeeded {
		const want = wider ? 'more' : 'any'
		if (auth.mode === 'client_credentials') return new ConsentNeeded(server.name, 'workspace', null, want)
		const url = new URL(`${this.#context.publicAddress()}/ui/connect/${server.id}`)
		if (auth.owner === 'agent') url.searchParams.set('agent', agentId)
		if (wider?.scope) url.searchParams.set('scope', wider.scope)
		return new ConsentNeeded(server.name, auth.owner as UpstreamOwner, url.href, want)
	}

	/** One renewal at a time in this process; the lease ensures one across processes. */
	#renew(server: TokenServer, auth: AuthRow, key: string): Promise<void> {
		const running = this.#renewing.get(key)
		if (running !== undefined) return running
		const started = this.#renewOnce(server, auth, key)
			.catch((error: unknown) => {
				throw new NoToken(server.name, error)
			})
			.finally(() => this.#renewing.delete(key))
		this.#renewing.set(key, started)
		return started
	}

	async #renewOnce(server: TokenServer, auth: AuthRow, key: string): Promise<void> {
		if (auth.mode === 'client_credentials') return askForOurselves(this.#context, server, auth)
		const before = this.#tokens.get(key)
		const waitedMs = startTimer()
		for (let row = before; isStill(row, before); row = this.#tokens.get(key)) {
			if (await refresh(this.#context, row)) return
			if (waitedMs() > patienceMs) throw new Error('Another process has been renewing it for too long.')
			await this.#waitForOther(row, key)
		}
	}

	/** Waits while another process refreshes. Its result, or that it got none, arrives through the change feed; after a crash neither. */
	async #waitForOther(row: TokenRow, key: string): Promise<void> {
		const waitedMs = startTimer()
		while (this.#tokens.get(key) === row && waitedMs() < tryAgainMs) {
			await new Promise((resolve) => setTimeout(resolve, 100))
			await this.#context.feed.catchUp()
		}
	}

	#open(row: TokenRow): string {
		const known = this.#opened.get(row)
		if (known !== undefined) return known
		const { accessToken } = openTokens(this.#context.sealer, row)
		this.#opened.set(row, accessToken)
		return accessToken
	}
}

/** Whether a row has the tokens of an earlier one, which can be refreshed. */
function isStill(row: TokenRow | undefined, before: TokenRow | undefined): row is TokenRow {
	return row?.status === 'active' && row.sealed_tokens === before?.sealed_tokens
}

function endsAfter({ expires_at }: TokenRow, atMs: number): boolean {
	return expires_at === null || expires_at > atMs
}

function keyOfRow({ server_id, owner, owner_id }: TokenRow): string {
	return keyOf(server_id, owner, owner_id)
}

function keyOf(serverId: string, owner: string, ownerId: string): string {
	return `${serverId} ${owner} ${ownerId}`
}

type Context = Pick<UpstreamCredentialDependencies, 'mutate' | 'sealer' | 'clock' | 'safeFetch' | 'log'>

const leaseMs = 20_000

/**
 * Exchanges the refresh token for new tokens, in one process at a time. False if another process does or did it. After a crash in
 * between, the lease expires and the old refresh token is tried once more; if the server had already exchanged it, the owner must
 * consent again.
 */
async function refresh(context: Context, row: TokenRow): Promise<boolean> {
	const { mutate, clock, sealer } = context
	const nowMs = clock.nowMs()
	if (!(await mutate((tx) => takeLease(tx, row, nowMs, nowMs + leaseMs)))) return false
	const stored = openTokens(sealer, row)
	let outage: unknown = null
	const change = await askAgain(context, row).then(
		(answer) => columnsOf(sealer, row, answer, { ...stored, scope: row.scope }, clock.nowMs()),
		(error: unknown) => {
			if (isOutage(error)) outage = error
			return changeAfter(context, row, error)
		},
	)
	await mutate(async (tx) => {
		await changeTokens(tx, row, change)
		await appendChange(tx, 'upstream_token', row.id, clock)
	})
	if (outage !== null) throw outage
	return true
}

/**
 * Whether the authorization server could not be reached or was overloaded, so that it neither accepted nor refused the refresh token.
 * Then no consent would help.
 */
function isOutage(error: unknown): boolean {
	if (error instanceof NoRefreshToken) return false
	const { status, cause } = error as { status?: unknown; cause?: unknown }
	const answered = cause instanceof Response ? cause.status : status
	return typeof answered !== 'number' || answered >= 500 || answered === 429
}

async function askAgain({ safeFetch, sealer }: Context, row: TokenRow): Promise<TokenEndpointResponse> {
	const { client, resource, refreshToken } = openTokens(sealer, row)
	if (refreshToken === null) throw new NoRefreshToken()
	const configuration = await configure(safeFetch, await findMetadata(safeFetch, row.issuer), client)
	return (await loadClient()).refreshTokenGrant(configuration, refreshToken, { resource })
}

class NoRefreshToken extends Error {}

/** The last two are GitHub's and Slack's names for the first. */
const refusals = ['invalid_grant', 'invalid_client', 'bad_refresh_token', 'invalid_refresh_token']

/** Only a clear refusal ends the tokens. A server with an outage is tried again with the next call. */
function changeAfter({ log, clock }: Context, row: TokenRow, error: unknown): Partial<TokenRow> {
	log.warn({ err: error, server_id: row.server_id }, 'upstream credentials: tokens were not refreshed')
	const { error: code } = error as { error?: unknown }
	const isRefused = error instanceof NoRefreshToken || refusals.includes(String(code))
	return {
		lease_until: null,
		updated_at: clock.nowMs(),
		...(isRefused && { status: 'needs_consent' }),
	}
}

/**
 * Gets tokens for the workspace with the client's own credentials. Two concurrent processes get two, and the later ones are kept.
 */
async function askForOurselves(context: Context, server: TokenServer, auth: AuthRow): Promise<void> {
	const { safeFetch, sealer, clock, mutate } = context
	const { resource, issuers, scope } = await findResource(safeFetch, server.url)
	const metadata = await findMetadata(safeFetch, auth.issuer ?? (issuers[0] as string))
	const client = withSecret(metadata, auth.client_id ?? '', clientSecretOf(sealer, auth))
	const wanted = auth.scope ?? scope
	const configuration = await configure(safeFetch, metadata, client)
	const answer = await (await loadClient()).clientCredentialsGrant(configuration, {
		resource,
		...(wanted !== null && { scope: wanted }),
	})
	const nowMs = clock.nowMs()
	const bound = { id: newId(nowMs), workspace_id: auth.workspace_id, origin: new URL(server.url).origin }
	const columns = columnsOf(
		sealer,
		bound,
		answer,
		{ client, resource, refreshToken: null, scope: wanted },
		nowMs,
	)
	await mutate(async (tx) => {
		await requireSameAuth(tx, auth)
		const owned = { server_id: server.id, owner: 'workspace', owner_id: '', issuer: metadata.issuer }
		await putTokens(tx, { ...bound, ...owned, ...columns, created_at: nowMs })
		await appendChange(tx, 'upstream_token', bound.id, clock)
	})
}

/** There is no valid token for a server now, because its authorization server did not give one. */
export class NoToken extends Error {
	constructor(server: string, cause: unknown) {
		const reason = cause instanceof Error ? ` ${cause.message.slice(0, 200)}` : ''
		super(`The authorization server of the MCP server ${server} gave no token.${reason}`, { cause })
	}
}

/** Whether a token is missing, or the server requires more permissions than the token has. */
type Want = 'any' | 'more'

/** There is no sufficient token for a server, and only a person can change that. */
export class ConsentNeeded extends Error {
	/** The page where that person consents, or null if a page does not help. */
	readonly url: string | null
	readonly want: Want

	/** `whose` is the owner of the missing token; `person` if the person is unknown. */
	constructor(server: string, whose: UpstreamOwner | 'person', url: string | null, want: Want = 'any') {
		super(textOf(server, whose, url, want))
		this.url = url
		this.want = want
	}
}

function textOf(server: string, whose: UpstreamOwner | 'person', url: string | null, want: Want): string {
	if (whose === 'person')
		return `The MCP server ${server} acts on behalf of a user, and this client names none: connect it by OAuth, not with a key.`
	if (url === null)
		return want === 'more'
			? `The MCP server ${server} requires more permissions than our token has; an admin can check its settings.`
			: `The authorization server of the MCP server ${server} did not issue a token; an admin can check its settings.`
	const who = { user: 'You have', agent: 'An admin has', workspace: 'An admin has' }[whose]
	return want === 'more'
		? `The MCP server ${server} requires more permissions for this than it was given. ${who} to connect it again: ${url}`
		: `${who} to connect the MCP server ${server} first: ${url}`
}

/** What everything in this area needs. */
export interface UpstreamContext extends UpstreamCredentialDependencies {
	browserCookie: BrowserCookie
	tokens: UpstreamTokens
}
