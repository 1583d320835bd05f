import { metaOf, type RpcNotification } from '../../mcp-client/index.ts'
import type { Operation } from '../operation.ts'
import { severityOf } from '../protocol/log-levels.ts'

/** What of an upstream's notification goes to the client: progress under its own token, and logs that it wants; else null. */
export function relayNotification(
	operation: Operation,
	{ method, params }: RpcNotification,
	token: number,
): string | null {
	if (method === 'notifications/progress') {
		const own = metaOf(operation.request.params).progressToken
		if (own === undefined || params.progressToken !== token) return null
		return notification(method, { ...params, progressToken: own })
	}
	// A page in the browser is done; modern clients know no such message and simply try again.
	if (method === 'notifications/elicitation/complete' && operation.client.era === 'legacy')
		return notification(method, params)
	if (method === 'notifications/message' && wantsLog(operation, params.level))
		return notification(method, params)
	return null
}

/** Modern clients ask for logs by naming a level; legacy ones get all until they name one. */
function wantsLog({ client }: Operation, level: unknown): boolean {
	if (client.logLevel === null) return client.era === 'legacy'
	return severityOf(level) >= severityOf(client.logLevel)
}

function notification(method: string, params: Record<string, unknown>): string {
	return JSON.stringify({ jsonrpc: '2.0', method, params })
}
