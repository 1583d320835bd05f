import { invalidRequest, namedFailure, type RpcFailure, rpcCodes } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { McpHttpRequest } from '../../handle-post.ts'
import type { ClientSession } from './session-store.ts'

/** The session that the request names; without one 400, unknown 404, which tells clients to shake hands again. */
export function requireSession(
	gateway: Gateway,
	visit: Pick<McpHttpRequest, 'request' | 'caller'>,
): ClientSession | Promise<ClientSession> {
	const id = visit.request.headers['mcp-session-id']
	if (typeof id !== 'string' || id === '')
		throw invalidRequest('The header Mcp-Session-Id is missing; begin with `initialize`.')
	const found = gateway.sessions.find(id, visit.caller)
	return found instanceof Promise ? found.then(orNotFound) : orNotFound(found)
}

function orNotFound(session: ClientSession | null): ClientSession {
	if (session) return session
	throw sessionNotFound()
}

export function sessionNotFound(): RpcFailure {
	return namedFailure(
		rpcCodes.sessionNotFound,
		'session_not_found',
		'There is no such session; begin with `initialize`.',
		{ httpStatus: 404 },
	)
}
