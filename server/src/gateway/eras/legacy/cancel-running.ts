import { namedFailure, type RpcFailure, rpcCodes } from '../../../mcp-client/index.ts'
import type { ClientSession } from './session-store.ts'

/** False when the request does not run here. */
export function cancelRunning(session: ClientSession, requestId: string): boolean {
	const operation = session.running.get(requestId)
	operation?.cancellation.cancel(cancelled('The client cancelled the request.'))
	return operation !== undefined
}

/** The client has gone, and with it everybody who waited. */
export function cancelAll(session: ClientSession): void {
	for (const { cancellation } of session.running.values())
		cancellation.cancel(cancelled('The client went away.'))
}

function cancelled(text: string): RpcFailure {
	return namedFailure(rpcCodes.internal, 'cancelled', text, { status: 'interrupted' })
}
