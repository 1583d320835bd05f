import {
	batchVersion,
	errorMessage,
	failureOf,
	invalidRequest,
	type RpcMessage,
	readMessage,
} from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { McpHttpRequest } from '../../handle-post.ts'
import { CollectedReply } from '../../reply.ts'
import { handleMessage } from './handle-message.ts'
import { requireSession } from './require-session.ts'

/** A batch of messages, which protocol 2025-03-26 knew; its answers come together, in the order of the requests. */
export async function handleBatch(gateway: Gateway, visit: McpHttpRequest, batch: unknown[]): Promise<void> {
	if (batch.length === 0 || batch.length > gateway.limits.batchSize)
		throw invalidRequest(`A batch has 1 to ${gateway.limits.batchSize} messages.`)
	const session = await requireSession(gateway, visit)
	if (session.client.protocolVersion !== batchVersion)
		throw invalidRequest(`Batches exist in protocol ${batchVersion} only.`)
	const messages = batch.map(readMessage)
	if (messages.some((message) => message.kind === 'request' && message.method === 'initialize'))
		throw invalidRequest('`initialize` stands alone.')
	const quiet = { ...visit, accept: () => {} }
	const answers = await Promise.all(
		messages.map((message) =>
			answerOf(message, (reply) => handleMessage(gateway, quiet, session, message, reply)),
		),
	)
	const parts = answers.filter((answer) => answer !== '')
	if (parts.length === 0) return visit.accept()
	visit.answer(`[${parts.join(',')}]`, 200)
}

async function answerOf(
	message: RpcMessage,
	handle: (reply: CollectedReply) => Promise<void>,
): Promise<string> {
	const reply = new CollectedReply()
	try {
		await handle(reply)
		return reply.message
	} catch (error) {
		return errorMessage(message.kind === 'request' ? message.id : null, failureOf(error))
	}
}
