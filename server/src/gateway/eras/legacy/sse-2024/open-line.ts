import type { IncomingMessage } from 'node:http'
import type { Gateway } from '../../../gateway.ts'
import type { McpHttpRequest } from '../../../handle-post.ts'
import { listeningCheck } from '../../../listening/listening-check.ts'
import { takesEvents } from '../../../protocol/takes-events.ts'
import { cancelAll } from '../cancel-running.ts'
import type { ClientSession } from '../session-store.ts'

const version = '2024-11-05'
/** Names the session in the address that a client of this transport posts to. */
export const sessionField = 'session_id'

/**
 * Whether a GET is of the 2024 transport, which begins with it. A client of a later transport has a session by then; which
 * version one names says nothing, since some clients do so on every request.
 */
export function opensLine({ method, headers }: IncomingMessage): boolean {
	return method === 'GET' && headers['mcp-session-id'] === undefined && takesEvents(headers.accept)
}

/** The stream on which everything comes, the answers too. Its first event says where to post; its end is that of the session. */
export async function openLine(gateway: Gateway, visit: McpHttpRequest): Promise<void> {
	const check = listeningCheck(gateway, visit)
	const problem = check()
	if (problem) throw problem
	const nobody = { protocolVersion: version, info: {}, capabilities: {}, logLevel: null }
	const session = await gateway.sessions.create(visit.caller, nobody, 'line')
	const end = () => {
		endLine(gateway, session).catch((error: unknown) =>
			gateway.log.warn({ err: error }, 'gateway: a session was not ended'),
		)
	}
	if (visit.response.destroyed) return end()
	// Each call that waits for the client to read has one.
	visit.response.setMaxListeners(0).once('close', end)
	gateway.streams.open(session, visit.response, { greeting: greeting(gateway, visit, session) })
	visit.guard(check, () => gateway.streams.close(session.id))
}

/** With the path of our public address, since some clients know no other relative address. */
function greeting(gateway: Gateway, { request }: McpHttpRequest, { id }: ClientSession): string {
	const [path = ''] = (request.url ?? '').split('?')
	return `event: endpoint\ndata: ${gateway.basePath()}${path}?${sessionField}=${id}\n\n`
}

async function endLine(gateway: Gateway, session: ClientSession): Promise<void> {
	cancelAll(session)
	gateway.streams.close(session.id)
	await gateway.sessions.end(session)
	await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
	await gateway.upstreams.leave(session.client)
}
