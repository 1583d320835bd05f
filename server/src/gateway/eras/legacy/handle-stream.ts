import { Problem } from '../../../platform/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { listeningCheck } from '../../listening/client-subscription.ts'
import type { McpHttpRequest } from '../../mcp-http-request.ts'
import { takesEvents } from '../../reply.ts'
import { claimsModern } from '../modern/handle-post.ts'
import { checkVersionHeader, requireSession, resumeSubscriptions } from './handle-message.ts'
import { openLine, opensLine } from './sse-2024/line.ts'

/** GET: the stream on which a session hears what it did not ask for. Ends when the caller may no longer listen. */
export async function openStream(gateway: Gateway, visit: McpHttpRequest): Promise<void> {
	refuseModern(visit)
	checkVersionHeader(visit.request)
	if (opensLine(visit.request)) return openLine(gateway, visit)
	if (visit.request.method === 'HEAD' || !takesEvents(visit.request.headers.accept)) {
		throw new Problem('method_not_allowed', 'GET opens an event stream; send `Accept: text/event-stream`.', {
			headers: { allow: 'POST, GET, DELETE' },
		})
	}
	const session = await requireSession(gateway, visit)
	const check = listeningCheck(gateway, visit)
	const problem = check()
	if (problem) throw problem
	const lastEventId = visit.request.headers['last-event-id']
	gateway.streams.open(session, visit.response, typeof lastEventId === 'string' ? { lastEventId } : {})
	visit.guard(check, () => gateway.streams.close(session.id))
	await resumeSubscriptions(gateway, session)
}

/** DELETE: ends a session and its stream. */
export async function endSession(gateway: Gateway, visit: McpHttpRequest): Promise<void> {
	refuseModern(visit)
	checkVersionHeader(visit.request)
	const session = await requireSession(gateway, visit)
	gateway.streams.close(session.id)
	await gateway.sessions.end(session)
	await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
	void gateway.upstreams.leave(session.client)
	visit.response.writeHead(204).end()
}

/** The modern era has neither sessions nor streams of their own. */
function refuseModern({ request }: McpHttpRequest): void {
	if (claimsModern(request, {}))
		throw new Problem('method_not_allowed', 'Protocol 2026-07-28 knows POST only.', {
			headers: { allow: 'POST' },
		})
}
