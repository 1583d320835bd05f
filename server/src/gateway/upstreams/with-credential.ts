import {
	ConsentNeeded,
	type OnBehalfOf,
	readChallenge,
	type UpstreamCredential,
	type UpstreamCredentials,
} from '../../access/upstream-credentials/upstream-credentials.ts'
import { CredentialsRefused, namedFailure, RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { noteFact, type Operation, type TokenOwner } from '../operation.ts'
import type { ProtocolEras } from './protocol-eras.ts'
import type { Reach, UpstreamCall } from './upstream.ts'

export type CredentialSource = Pick<
	UpstreamCredentials,
	'isBrokered' | 'ownerOf' | 'consentNeeded' | 'credentialFor' | 'renewRefused' | 'stepUp'
>

/** Where tokens of servers come from, if anywhere, and what servers speak to their owners. */
export interface Brokered {
	source?: CredentialSource
	eras: ProtocolEras
}

/**
 * Sends a call with the token of whomever the server's tokens belong to. A server that refuses it (401) ran nothing, so
 * the token is renewed and the call sent once more; where a person has to agree first, they are asked, or given the address.
 */
export function withCredential<T>(
	{ source, eras }: Brokered,
	call: UpstreamCall,
	send: (call: UpstreamCall) => Promise<T>,
): Promise<T> {
	// Most servers have no such token, and their calls need no promise of their own.
	return source?.isBrokered(call.server.id) ? withToken(source, eras, call, send) : send(call)
}

async function withToken<T>(
	source: CredentialSource,
	eras: ProtocolEras,
	call: UpstreamCall,
	send: (call: UpstreamCall) => Promise<T>,
): Promise<T> {
	const { server, operation } = call
	const whom = whomOf(operation)
	const credential = await obtain(source, server, operation, whom)
	if (credential.owner) noteFact(operation, 'signalbox.upstream.token_owner', ownerKind(credential))
	const carried = await asSpoken(eras, carrying(server, credential))
	try {
		return await send({ ...call, server: carried })
	} catch (error) {
		if (error instanceof RpcFailure && strange.has(error.errorType)) eras.doubt(carried)
		const refused = refusalIn(error)
		if (!refused) throw error
		const { error: reason, scope } = readChallenge(refused.challenge)
		if (refused.status === 403 && reason === 'insufficient_scope')
			throw consentFailure(server, source.stepUp(server, whom, scope))
		if (refused.status !== 401 || !(await source.renewRefused(server, whom, credential))) throw error
		const renewed = carrying(server, await obtain(source, server, operation, whom))
		return send({ ...call, server: await asSpoken(eras, renewed) })
	}
}

/** The server with the token of these, asked again for each connection; null where nobody's token is sent. */
export function reachFor({ source, eras }: Brokered, server: ServerEntry, whom: TokenOwner): Reach | null {
	if (!source?.isBrokered(server.id)) return null
	return async () => {
		try {
			return await asSpoken(eras, carrying(server, await credentialOf(source, server, whom)))
		} catch (error) {
			throw error instanceof ConsentNeeded ? consentFailure(server, error) : error
		}
	}
}

/** As a call would fail for want of somebody's consent, without one; null when it would not. */
export function missingConsent(
	{ source }: Brokered,
	server: ServerEntry,
	whom: TokenOwner,
): RpcFailure | null {
	const needed = source?.isBrokered(server.id) ? source.consentNeeded(server, whom) : null
	return needed && consentFailure(server, needed)
}

/** What a server of another era than was thought answers. */
const strange: ReadonlySet<string> = new Set(['upstream_handshake_failed', 'upstream_invalid_answer'])

/** `user`, `agent` or `workspace`; which user or agent, the record says already. */
function ownerKind({ owner }: UpstreamCredential): string {
	return owner.split(' ')[0] as string
}

function whomOf({ caller: { agentId, userId } }: Operation): OnBehalfOf {
	return { agentId, userId }
}

/** A person who can be led to our page agrees while the call waits. */
async function obtain(
	source: CredentialSource,
	server: ServerEntry,
	operation: Operation,
	whom: OnBehalfOf,
): Promise<UpstreamCredential> {
	try {
		return await credentialOf(source, server, whom)
	} catch (error) {
		if (!(error instanceof ConsentNeeded)) throw error
		if (error.url === null || !(await leadTo(operation, server, error.url)))
			throw consentFailure(server, error)
	}
	return waitForConsent(source, server, operation, whom)
}

async function credentialOf(
	source: CredentialSource,
	server: ServerEntry,
	whom: OnBehalfOf,
): Promise<UpstreamCredential> {
	const credential = await source.credentialFor(server, whom)
	// The settings were changed a moment ago: it needs none any more.
	return credential ?? { owner: '', headers: {} }
}

async function leadTo(operation: Operation, server: ServerEntry, url: string): Promise<boolean> {
	const message = `Connect the MCP server ${server.name} to go on.`
	const params = { mode: 'url', message, url, elicitationId: `connect-${server.id}` }
	const answer = await operation.ask({ method: 'elicitation/create', params })
	return answer !== 'unsupported' && answer.action === 'accept'
}

const pollMs = 250

/** Accepted means that the page was opened; the person may still be on it. The operation's own clock ends the wait. */
async function waitForConsent(
	source: CredentialSource,
	server: ServerEntry,
	operation: Operation,
	whom: OnBehalfOf,
): Promise<UpstreamCredential> {
	while (!operation.cancellation.failure) {
		try {
			return await credentialOf(source, server, whom)
		} catch (error) {
			if (!(error instanceof ConsentNeeded)) throw error
		}
		await new Promise((resolve) => setTimeout(resolve, pollMs))
	}
	throw operation.cancellation.failure
}

/** Names the link in text and data, for clients that cannot be led. */
function consentFailure(server: ServerEntry, { message, url }: ConsentNeeded): RpcFailure {
	return namedFailure(rpcCodes.accessDenied, 'upstream_consent_required', message, {
		facts: { server: server.name, ...(url !== null && { url }) },
	})
}

function refusalIn(error: unknown): CredentialsRefused | null {
	const cause = error instanceof RpcFailure ? error.cause : null
	return cause instanceof CredentialsRefused ? cause : null
}

const spoken = new WeakMap<ServerEntry, ServerEntry>()

/** The entry with the revision that the server speaks to this owner; the same one while that is the same. */
async function asSpoken(eras: ProtocolEras, server: ServerEntry): Promise<ServerEntry> {
	if (!server.credentialOwner) return server
	const protocolVersion = await eras.of(server)
	if (protocolVersion === server.protocolVersion) return server
	const found = spoken.get(server)
	if (found?.protocolVersion === protocolVersion) return found
	const made = { ...server, protocolVersion }
	spoken.set(server, made)
	return made
}

const known = new WeakMap<ServerEntry, Map<string, ServerEntry>>()

/** The server with a token along; the same entry while server, owner and token are the same, so that sessions last. */
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
