import { errorMessage, failureOf, type RpcRequest, readMessage } from '../../../../mcp-client/index.ts'
import type { Gateway } from '../../../gateway.ts'
import type { McpHttpRequest } from '../../../handle-post.ts'
import { newOperation } from '../../../new-operation.ts'
import type { ClientProgram } from '../../../operation.ts'
import { runRecorded } from '../../../perform/run-recorded.ts'
import { handleMessage } from '../handle-message.ts'
import { planInitialize, readClient } from '../initialize.ts'
import { sessionNotFound } from '../require-session.ts'
import type { ClientSession } from '../session-store.ts'
import { LineReply } from './line-reply.ts'
import { sessionField } from './open-line.ts'

/** The session that a POST of the 2024 transport names in its address, or null for one of another transport. */
export function lineIn({ request, search }: Pick<McpHttpRequest, 'request' | 'search'>): string | null {
	if (search === '' || request.headers['mcp-session-id'] !== undefined) return null
	return new URLSearchParams(search).get(sessionField)
}

/** A message of the 2024 transport is taken at once; whatever it brings about comes on the stream of its session. */
export async function postOnLine(
	gateway: Gateway,
	visit: McpHttpRequest,
	body: unknown,
	id: string,
): Promise<void> {
	const session = await gateway.sessions.find(id, visit.caller)
	if (!session?.isLine || !mayHaveStream(gateway, session)) throw sessionNotFound()
	const message = readMessage(body)
	visit.accept()
	const reply = new LineReply(gateway, session)
	// The request that carried the message ends here, so that the ingress does not watch over what follows.
	const watched: (() => void)[] = []
	const beside: McpHttpRequest = {
		...visit,
		accept: () => {},
		onGone: () => {},
		guard: (check, abort) => void watched.push(gateway.posted.add({ check, abort })),
	}
	try {
		if (message.kind === 'request' && message.method === 'initialize')
			await initialize(gateway, beside, session, message, reply)
		else await handleMessage(gateway, beside, session, message, reply)
	} catch (error) {
		if (message.kind === 'request') reply.end(errorMessage(message.id, failureOf(error)))
		else gateway.log.warn({ err: error }, 'gateway: a message that was taken came to nothing')
	} finally {
		for (const end of watched) end()
	}
}

/** Where there are other programs, one of them may have it. */
function mayHaveStream({ streams, peerMessages }: Gateway, { id }: ClientSession): boolean {
	return peerMessages.hasReaders || streams.responseOf(id) !== null
}

async function initialize(
	gateway: Gateway,
	visit: McpHttpRequest,
	session: ClientSession,
	request: RpcRequest,
	reply: LineReply,
): Promise<void> {
	const client: ClientProgram = { ...session.client, ...readClient(request.params) }
	const operation = newOperation(visit, client, request, reply)
	const plan = planInitialize(gateway, operation, async (said) => {
		session.client = { ...session.client, ...said }
		await gateway.sessions.save(session)
		await gateway.peerMessages.send(session, { kind: 'session', sessionId: session.id })
	})
	await runRecorded(gateway, operation, plan, visit.guard)
}
