import {
	ConsentNeeded,
	NoToken,
	type OnBehalfOf,
	readChallenge,
	type UpstreamCredential,
	type UpstreamCredentials,
} from '../../access/upstream-credentials/upstream-credentials.ts'
import { CredentialsRefused, namedFailure, RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { noteFact, type Operation, type TokenOwner } from '../operation.ts'
import type { ProtocolEras } from './protocol-eras.ts'
import type { ResolveServer, UpstreamCall } from './upstream.ts'

export type CredentialSource = Pick<
	UpstreamCredentials,
	'isBrokered' | 'ownerOf' | 'consentNeeded' | 'credentialFor' | 'renewRefused' | 'stepUp'
>

/** The source of servers' tokens, if there is one, and the revisions that servers speak for the owners. */
export interface Brokered {
	source?: CredentialSource
	eras: ProtocolEras
}

/**
 * Sends a call with the token of its owner. A server that refuses the token (401) or wants one with more permissions (403) has not
 * run the call, so the token is renewed or replaced and the call sent once more. If a user must consent first, the user is asked, or
 * given the address.
 */
export function withCredential<T>(
	{ source, eras }: Brokered,
	call: UpstreamCall,
	send: (call: UpstreamCall) => Promise<T>,
): Promise<T> {
	// Most servers need no such token, and their calls no additional promise.
	return source?.isBrokered(call.server.id) ? withToken(source, eras, call, send) : send(call)
}

async function withToken<T>(
	source: CredentialSource,
	eras: ProtocolEras,
	call: UpstreamCall,
	send: (call: UpstreamCall) => Promise<T>,
): Promise<T> {
	const { server, operation } = call
	const asking: Asking = { source, server, operation, owner: tokenOwnerOf(operation), tried: new Set() }
	let credential = await obtain(asking)
	if (credential.owner) noteFact(operation, 'signalbox.upstream.token_owner', ownerKind(credential))
	for (;;) {
		const carried = await withRevision(eras, carrying(server, credential))
		try {
			return await send({ ...call, server: carried })
		} catch (error) {
			if (error instanceof RpcFailure && wrongEraErrors.has(error.errorType)) eras.doubt(carried)
			credential = await afterRefusal(asking, credential, error)
		}
	}
}

/** For whom a token is sought, and for which call. */
interface Asking {
	source: CredentialSource
	server: ServerEntry
	operation: Operation
	owner: OnBehalfOf
	/** What has been done about a refusal. Each is done once, so that a server that refuses everything ends the call. */
	tried: Set<'renew' | 'widen'>
}

/** The credential with which to send the call once more. Rethrows everything but the refusal of a credential. */
async function afterRefusal(
	asking: Asking,
	credential: UpstreamCredential,
	error: unknown,
): Promise<UpstreamCredential> {
	const { source, server, operation, owner, tried } = asking
	const refused = refusalIn(error)
	if (!refused) throw error
	const { error: reason, scope } = readChallenge(refused.challenge)
	if (refused.status === 403 && reason === 'insufficient_scope') {
		const needed = source.stepUp(server, owner, scope)
		if (tried.has('widen')) throw consentFailure(server, needed)
		tried.add('widen')
		await leadTo(operation, server, needed)
		return waitForConsent(asking, credential.headers.authorization)
	}
	if (refused.status !== 401 || tried.has('renew')) throw error
	tried.add('renew')
	const isRenewed = await source.renewRefused(server, owner, credential)
	// A refresh token that was refused too can only be replaced by a consent.
	if (!isRenewed && source.consentNeeded(server, owner) === null) throw error
	return obtain(asking)
}

/** How to reach the server with the token of `owner`, looked up for each connection. Null if no individual token is sent. */
export function reachFor(
	{ source, eras }: Brokered,
	server: ServerEntry,
	owner: TokenOwner,
): ResolveServer | null {
	if (!source?.isBrokered(server.id)) return null
	return async () => {
		try {
			return await withRevision(eras, carrying(server, await credentialOf(source, server, owner)))
		} catch (error) {
			throw error instanceof ConsentNeeded ? consentFailure(server, error) : error
		}
	}
}

/** The failure that a call would have for want of consent, without making one; null if none is missing. */
export function missingConsent(
	{ source }: Brokered,
	server: ServerEntry,
	owner: TokenOwner,
): RpcFailure | null {
	const needed = source?.isBrokered(server.id) ? source.consentNeeded(server, owner) : null
	return needed && consentFailure(server, needed)
}

/** Errors that are typical when the server speaks another era than assumed. */
const wrongEraErrors: ReadonlySet<string> = new Set(['upstream_handshake_failed', 'upstream_invalid_answer'])

/** `user`, `agent` or `workspace`; the record already says which one. */
function ownerKind({ owner }: UpstreamCredential): string {
	return owner.split(' ')[0] as string
}

function tokenOwnerOf({ caller: { agentId, userId } }: Operation): OnBehalfOf {
	return { agentId, userId }
}

/** If the user can be sent to the consent page, the call waits for the consent. */
async function obtain(asking: Asking): Promise<UpstreamCredential> {
	const { source, server, operation, owner } = asking
	try {
		return await credentialOf(source, server, owner)
	} catch (error) {
		if (!(error instanceof ConsentNeeded)) throw error
		await leadTo(operation, server, error)
	}
	return waitForConsent(asking)
}

async function credentialOf(
	source: CredentialSource,
	server: ServerEntry,
	owner: OnBehalfOf,
): Promise<UpstreamCredential> {
	const credential = await source.credentialFor(server, owner).catch((error: unknown) => {
		if (!(error instanceof NoToken)) throw error
		throw namedFailure(rpcCodes.internal, 'upstream_unreachable', error.message, {
			facts: { server: server.name },
			cause: error,
		})
	})
	// The settings have just been changed: the server no longer needs a credential.
	return credential ?? { owner: '', headers: {} }
}

/** Sends the user to the consent page. Throws if there is no page or the client cannot open it. */
async function leadTo(operation: Operation, server: ServerEntry, needed: ConsentNeeded): Promise<void> {
	const { url, want } = needed
	if (url === null) throw consentFailure(server, needed)
	const message =
		want === 'more'
			? `The MCP server ${server.name} requires more permissions. Connect it again to continue.`
			: `Connect the MCP server ${server.name} to continue.`
	const params = { mode: 'url', message, url, elicitationId: `connect-${server.id}` }
	const answer = await operation.ask({ method: 'elicitation/create', params })
	if (answer === 'unsupported' || answer.action !== 'accept') throw consentFailure(server, needed)
}

const pollMs = 250

/**
 * Acceptance means that the page was opened; the user may not have finished. The operation's own time limit ends the wait.
 * `refused`: the token that does not suffice.
 */
async function waitForConsent(
	{ source, server, operation, owner }: Asking,
	refused?: string,
): Promise<UpstreamCredential> {
	while (!operation.cancellation.failure) {
		try {
			const credential = await credentialOf(source, server, owner)
			if (refused === undefined || credential.headers.authorization !== refused) return credential
		} catch (error) {
			if (!(error instanceof ConsentNeeded)) throw error
		}
		await new Promise((resolve) => setTimeout(resolve, pollMs))
	}
	throw operation.cancellation.failure
}

/** Contains the link in text and data, for clients that cannot open pages. */
function consentFailure(server: ServerEntry, { message, url }: ConsentNeeded): RpcFailure {
	return namedFailure(rpcCodes.accessDenied, 'upstream_consent_required', message, {
		facts: { server: server.name, ...(url !== null && { url }) },
	})
}

function refusalIn(error: unknown): CredentialsRefused | null {
	const cause = error instanceof RpcFailure ? error.cause : null
	return cause instanceof CredentialsRefused ? cause : null
}

const entriesWithRevision = new WeakMap<ServerEntry, ServerEntry>()

/** The entry with the revision that the server speaks for this owner. The same object as long as the revision is the same. */
async function withRevision(eras: ProtocolEras, server: ServerEntry): Promise<ServerEntry> {
	if (!server.credentialOwner) return server
	const protocolVersion = await eras.of(server)
	if (protocolVersion === server.protocolVersion) return server
	const found = entriesWithRevision.get(server)
	if (found?.protocolVersion === protocolVersion) return found
	const made = { ...server, protocolVersion }
	entriesWithRevision.set(server, made)
	return made
}

const known = new WeakMap<ServerEntry, Map<string, ServerEntry>>()

/** The entry with a token. The same object as long as server, owner and token are the same, so that sessions last. */
function carrying(server: ServerEntry, { owner, headers }: UpstreamCredential): ServerEntry {
	const entries = known.get(server) ?? new Map<string, ServerEntry>()
	known.set(server, entries)
	const found = entries.get(owner)
	if (found && found.headers.get('authorization') === headers.authorization) return found
	const carried = {
		...server,
		headers: new Map([...server.headers, ...Object.entries(headers)]),
		credentialOwner: owner,
	}
	entries.set(owner, carried)
	return carried
}
