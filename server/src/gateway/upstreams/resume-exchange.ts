import { Exchange } from './exchange.ts'
import type { SendContext, Wire } from './send.ts'
import { targetOf } from './target.ts'

const longestRetryMs = 30_000

/**
 * Takes up the event stream of a legacy server that ended or broke before the answer, after the last event that came
 * (2025-11-25, "polling"). Null when the server gave no event ids: then the answer is lost. Nothing is sent twice.
 */
export function resumeExchange(
	context: SendContext,
	wire: Wire,
	ended: Exchange,
	onMessage: (text: string) => void,
): Promise<Exchange> | null {
	const { resumption } = ended
	if (!resumption || !wire.headers['mcp-protocol-version'] || wire.headers['mcp-method']) return null
	const { origin, path, headers } = targetOf(wire.server)
	const request = {
		origin,
		path,
		method: 'GET' as const,
		headers: { ...headers, ...wire.headers, 'last-event-id': resumption.lastEventId },
		body: null,
		idleMs: wire.idleMs,
		messageBytes: context.limits.answerBytes,
	}
	return later(Math.min(resumption.retryMs, longestRetryMs)).then(
		() => new Exchange(context.dispatcher, request, onMessage),
	)
}

function later(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms))
}
