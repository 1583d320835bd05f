import {
	invalidRequest,
	RpcFailure,
	type RpcMessage,
	type RpcNotification,
	type RpcRequest,
	resultMessage,
	rpcCodes,
} from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { McpHttpRequest } from '../../handle-post.ts'
import { newOperation } from '../../new-operation.ts'
import type { Operation } from '../../operation.ts'
import { answerWith, type Plan, refuseWith } from '../../perform/plan.ts'
import { planOperation } from '../../perform/plan-operation.ts'
import { runRecorded } from '../../perform/run-recorded.ts'
import { isLogLevel } from '../../protocol/log-levels.ts'
import type { Reply } from '../../reply.ts'
import { cancelRunning } from './cancel-running.ts'
import type { ClientSession } from './session-store.ts'
import { planSubscribe, planUnsubscribe } from './subscribe.ts'

/** One message inside a session; what is no request is accepted without an answer. */
export async function handleMessage(
	gateway: Gateway,
	visit: McpHttpRequest,
	session: ClientSession,
	message: RpcMessage,
	reply: Reply,
): Promise<void> {
	if (message.kind === 'request') {
		if (message.method === 'ping') return reply.end(resultMessage(message.id, '{}'), 200)
		return runInSession(gateway, visit, session, message, reply)
	}
	if (message.kind === 'notification') await takeNotification(gateway, session, message)
	else if (!gateway.questions.answer(session, message) && gateway.questions.isOurs(session, message.id))
		await gateway.peerMessages.send(session, { kind: 'answer', sessionId: session.id, response: message })
	visit.accept()
}

async function runInSession(
	gateway: Gateway,
	visit: McpHttpRequest,
	session: ClientSession,
	request: RpcRequest,
	reply: Reply,
): Promise<void> {
	const key = JSON.stringify(request.id)
	if (session.running.has(key)) throw invalidRequest('A request with this id is still running.')
	const operation = newOperation(visit, session.client, request, reply)
	operation.ask = gateway.questions.askerOf(session, operation)
	operation.sessionId = session.id
	session.running.set(key, operation)
	try {
		await runRecorded(gateway, operation, planInSession(gateway, session, operation), visit.guard)
	} finally {
		session.running.delete(key)
		gateway.questions.endOf(operation)
	}
}

function planInSession(gateway: Gateway, session: ClientSession, operation: Operation): Plan {
	const { method, params } = operation.request
	if (method === 'resources/subscribe') return planSubscribe(gateway, session, operation)
	if (method === 'resources/unsubscribe') return planUnsubscribe(gateway, session, operation)
	if (method !== 'logging/setLevel') return planOperation(gateway, operation)
	const { level } = params
	if (!isLogLevel(level))
		return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`level` must be a log level of the protocol.'))
	return answerWith(
		() => gateway.enforcement.refusalOfAgent(session.agentId),
		async () => {
			await gateway.sessions.setLogLevel(session, level)
			await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
			return {}
		},
	)
}

/** A cancellation ends a running request; progress goes to the server that asked. What else clients announce has no reader. */
async function takeNotification(
	gateway: Gateway,
	session: ClientSession,
	{ method, params }: RpcNotification,
): Promise<void> {
	if (method === 'notifications/progress') gateway.questions.progress(session, params)
	if (method !== 'notifications/cancelled' || params.requestId === undefined) return
	const requestId = JSON.stringify(params.requestId)
	if (!cancelRunning(session, requestId))
		await gateway.peerMessages.send(session, { kind: 'cancel', sessionId: session.id, requestId })
}
