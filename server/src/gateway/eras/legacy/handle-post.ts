import { type RpcRequest, readMessage } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { McpHttpRequest } from '../../handle-post.ts'
import { newOperation } from '../../new-operation.ts'
import type { ClientProgram } from '../../operation.ts'
import { runRecorded } from '../../perform/run-recorded.ts'
import { HttpReply } from '../../reply.ts'
import { handleBatch } from './handle-batch.ts'
import { handleMessage } from './handle-message.ts'
import { planInitialize, readClient } from './initialize.ts'
import { requireSession } from './require-session.ts'
import { lineIn, postOnLine } from './sse-2024/post-on-line.ts'
import { checkVersionHeader } from './versions.ts'

/** A POST of a client that shook hands (protocol 2024-11-05 to 2025-11-25), or is about to. */
export async function handleLegacyPost(
	gateway: Gateway,
	visit: McpHttpRequest,
	body: unknown,
): Promise<void> {
	const line = lineIn(visit)
	if (line !== null) return postOnLine(gateway, visit, body, line)
	const message = Array.isArray(body) ? null : readMessage(body)
	// In a handshake the body says which version is meant.
	if (message?.kind === 'request' && message.method === 'initialize')
		return handleInitialize(gateway, visit, message)
	checkVersionHeader(visit.request)
	if (message === null) return handleBatch(gateway, visit, body as unknown[])
	const session = await requireSession(gateway, visit)
	await handleMessage(
		gateway,
		visit,
		session,
		message,
		new HttpReply(visit.response, visit.request.headers.accept),
	)
}

async function handleInitialize(gateway: Gateway, visit: McpHttpRequest, request: RpcRequest): Promise<void> {
	const client: ClientProgram = { era: 'legacy', ...readClient(request.params), sessionLabel: '' }
	const operation = newOperation(visit, client, request, new HttpReply(visit.response, undefined))
	const plan = planInitialize(gateway, operation, async (said) => {
		const { id } = await gateway.sessions.create(visit.caller, said)
		visit.response.setHeader('mcp-session-id', id)
	})
	await runRecorded(gateway, operation, plan, visit.guard)
}
