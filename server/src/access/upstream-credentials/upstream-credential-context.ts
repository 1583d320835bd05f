import type { IncomingMessage } from 'node:http'
import type { Audit } from '../../accounts/audit/audit.ts'
import type { Identity } from '../../accounts/identity/identity.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { notFound } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { ServerEntry, ServerView } from '../../servers/servers.ts'
import type { Agents } from '../agents/agents.ts'

/** The fields of a server on which its tokens depend. */
export type TokenServer = Pick<ServerEntry, 'id' | 'name' | 'url'>

export interface UpstreamCredentialDependencies {
	store: ControlStore
	feed: Pick<ChangeFeed, 'add' | 'catchUp'>
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	identity: Pick<Identity, 'memberOf' | 'onMembership'>
	agents: Pick<Agents, 'view' | 'onRemove'>
	servers: { view: ServerView; refresh(serverId: string): Promise<void> }
	safeFetch: Pick<SafeFetch, 'fetch'>
	sealer: Sealer
	clock: Clock
	log: Log
	/** The configured public URL, or null: then it is the address of the request. */
	publicUrl: string | null
	/** The base of links in failures. */
	publicAddress(): string
}

/** Signalbox's address for this request. */
export function addressOf(
	{ publicUrl }: Pick<UpstreamCredentialDependencies, 'publicUrl'>,
	request: IncomingMessage,
): string {
	return publicUrl?.replace(/\/$/, '') ?? `http://${request.headers.host}`
}

/** A server of the caller's workspace. Throws 404 for any other. */
export function serverIn(
	{ servers }: UpstreamCredentialDependencies,
	workspaceId: string,
	id: string,
): ServerEntry {
	const server = servers.view.get(id)
	if (server?.workspaceId !== workspaceId) throw notFound('MCP server')
	return server
}

/** A change of the tokens of a server, as it is recorded. */
export function changeOf(
	verb: 'replace' | 'connect' | 'disconnect',
	{ id, name }: Pick<ServerEntry, 'id' | 'name'>,
	detail: Record<string, unknown>,
) {
	return { action: `upstream-credentials.${verb}`, target: { kind: 'server', id, name }, detail }
}
