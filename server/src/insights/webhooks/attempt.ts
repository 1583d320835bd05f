import { signedHeaders } from '../../platform/crypto/webhook-secret.ts'
import { Problem } from '../../platform/errors.ts'
import type { WebhookContext } from './context.ts'
import type { DeliveryRow, WebhookRow } from './repository.ts'

export interface Attempt {
	delivery: DeliveryRow
	/** Null when no answer came. */
	status: number | null
	/** The beginning of the answer's body as text, or null. */
	body: string | null
	/** Why it is no success, or null. */
	error: string | null
	durationMs: number
}

const timeoutMs = 15_000
const bodyBytes = 1024

/** Sends a delivery once; every failure is an outcome. Rejects only when `signal` ends. */
export async function attemptDelivery(
	{ safeFetch, clock }: Pick<WebhookContext, 'safeFetch' | 'clock'>,
	{ url }: Pick<WebhookRow, 'url'>,
	delivery: DeliveryRow,
	secrets: readonly string[],
	signal: AbortSignal,
): Promise<Attempt> {
	const { event_id: id, payload } = delivery
	const message = { id, timestampS: Math.floor(clock.nowMs() / 1000), body: payload }
	const startedMs = performance.now()
	const end = (of: Pick<Attempt, 'status' | 'body' | 'error'>): Attempt => ({
		delivery,
		...of,
		durationMs: Math.round(performance.now() - startedMs),
	})
	try {
		const response = await safeFetch.fetch(url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'user-agent': 'Signalbox-Webhooks/1.0',
				...(delivery.traceparent !== null && { traceparent: delivery.traceparent }),
				...signedHeaders(message, secrets),
			},
			body: payload,
			redirects: 0,
			timeoutMs,
			signal,
		})
		const body = await readStart(response)
		return end({
			status: response.status,
			body,
			error: response.ok ? null : `It answered ${response.status}.`,
		})
	} catch (error) {
		signal.throwIfAborted()
		return end({ status: null, body: null, error: textOf(error) })
	}
}

type Answer = Awaited<ReturnType<WebhookContext['safeFetch']['fetch']>>

/** What a receiver says is shown to people as text; no more of it than that is read. */
async function readStart(response: Answer): Promise<string | null> {
	if (!response.body) return null
	const reader = response.body.getReader()
	const chunks: Uint8Array[] = []
	for (let size = 0; size < bodyBytes; ) {
		const { done, value } = await reader.read()
		if (done) break
		chunks.push(value)
		size += value.byteLength
	}
	void reader.cancel().catch(() => undefined)
	const start = Buffer.concat(chunks).subarray(0, bodyBytes).toString('utf8')
	return start.toWellFormed().replaceAll('\0', '\uFFFD')
}

function textOf(error: unknown): string {
	if (error instanceof Problem) return error.message
	const { name, message, code } = error as Error & { code?: string }
	if (name === 'TimeoutError') return `No answer within ${timeoutMs / 1000} s.`
	const text =
		code && !message.includes(code) ? `${code}: ${message}` : message || code || 'The connection failed.'
	return text.slice(0, 500).toWellFormed().replaceAll('\0', '\uFFFD')
}
