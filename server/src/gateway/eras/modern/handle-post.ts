import { batchVersion, invalidRequest, RpcFailure, readMessage } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { McpHttpRequest } from '../../handle-post.ts'
import { newOperation } from '../../new-operation.ts'
import type { Operation } from '../../operation.ts'
import { type Plan, refuseWith } from '../../perform/plan.ts'
import { planOperation } from '../../perform/plan-operation.ts'
import { runRecorded } from '../../perform/run-recorded.ts'
import { HttpReply } from '../../reply.ts'
import { checkParamHeaders } from './check-param-headers.ts'
import { planDiscover } from './discover.ts'
import { openListen } from './listen.ts'
import { readEnvelope } from './read-envelope.ts'
import { readRetry } from './read-retry.ts'

/** A POST of protocol 2026-07-28: each request says by itself who asks and in which version. */
export async function handleModernPost(
	gateway: Gateway,
	visit: McpHttpRequest,
	body: unknown,
): Promise<void> {
	if (Array.isArray(body)) throw invalidRequest(`Batches exist in protocol ${batchVersion} only.`)
	const message = readMessage(body)
	if (message.kind === 'response')
		throw invalidRequest('Responses cannot be posted in this protocol version.')
	if (message.kind === 'notification') return visit.accept()
	const client = readEnvelope(visit.request, message)
	if (message.method === 'subscriptions/listen') return openListen(gateway, visit, client, message)
	const reply = new HttpReply(visit.response, visit.request.headers.accept)
	const operation = newOperation(visit, client, message, reply)
	await runRecorded(gateway, operation, planWithRetry(gateway, visit, operation), visit.guard)
}

function planWithRetry(gateway: Gateway, visit: McpHttpRequest, operation: Operation): Plan {
	try {
		const retry = readRetry(gateway.states, operation)
		return gateway.dialogues.around(operation, planModern(gateway, visit, operation), retry)
	} catch (error) {
		if (error instanceof RpcFailure && error.errorType === 'invalid_request_state') return refuseWith(error)
		throw error
	}
}

function planModern(gateway: Gateway, visit: McpHttpRequest, operation: Operation): Plan {
	if (operation.request.method === 'server/discover') return planDiscover(gateway, operation)
	if (operation.request.method === 'tools/call') checkParamHeaders(gateway, visit.request, operation)
	return planOperation(gateway, operation)
}
