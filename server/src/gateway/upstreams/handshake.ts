import type { ServerEntry } from '../../servers/index.ts'
import { Cancellation } from '../cancellation.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { type Answer, type SendContext, sendRequest } from './send.ts'
import { upstreamFailure } from './upstream-failure.ts'

export interface Handshake {
	server: ServerEntry
	id: number
	method: string
	params: JsonObject
	headers: Record<string, string>
}

/** A first request to a server; many callers may wait for it, so it has an end even when the server drips. */
export async function shakeHands(
	context: SendContext,
	handshake: Handshake,
): Promise<Answer & { result: JsonObject }> {
	const { server, method } = handshake
	const { handshakeMs } = context.limits
	const cancellation = new Cancellation()
	const timer = setTimeout(
		() => cancellation.cancel(upstreamFailure(server, 'timeout', 'did not answer in time.')),
		handshakeMs,
	)
	try {
		const answer = await sendRequest(context, { ...handshake, idleMs: handshakeMs, cancellation })
		const { result, error } = answer.response
		if (result) return { ...answer, result }
		throw upstreamFailure(
			server,
			'upstream_handshake_failed',
			`refused ${method}: ${error?.message.slice(0, 200)}`,
		)
	} finally {
		clearTimeout(timer)
	}
}
