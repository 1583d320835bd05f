import type { WebhookFormat } from '@signalbox/contract'
import { signedHeaders } from '../../platform/crypto/webhook-secret.ts'
import { Problem } from '../../platform/errors.ts'
import { type ChatFormat, messageOf, noticeOf } from './messages.ts'
import { addressContext, type WebhookContext } from './webhook-context.ts'
import type { DeliveryRow, WebhookRow } from './webhook-repository.ts'

export interface Attempt {
	delivery: DeliveryRow
	/** Null if there was no answer. */
	status: number | null
	/** The beginning of the answer's body as text, or null. */
	body: string | null
	/** Why it failed, or null. */
	error: string | null
	durationMs: number
}

const timeoutMs = 15_000
const bodyBytes = 1024

/** Sends a delivery once; every failure is an outcome. Rejects only when `signal` is aborted. */
export async function attemptDelivery(
	webhooks: Pick<WebhookContext, 'safeFetch' | 'clock' | 'sealer' | 'publicAddress'>,
	row: WebhookRow,
	delivery: DeliveryRow,
	secrets: readonly string[],
	signal: AbortSignal,
): Promise<Attempt> {
	const { safeFetch, clock } = webhooks
	const isStandard = row.format === 'standard'
	const body = isStandard ? delivery.payload : bodyFor(webhooks, row, delivery, secrets[0] ?? '')
	const message = { id: delivery.event_id, timestampS: Math.floor(clock.nowMs() / 1000), body }
	const startedMs = performance.now()
	const end = (of: Pick<Attempt, 'status' | 'body' | 'error'>): Attempt => ({
		delivery,
		...of,
		durationMs: Math.round(performance.now() - startedMs),
	})
	try {
		const response = await safeFetch.fetch(addressOf(webhooks, row), {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'user-agent': 'Signalbox-Webhooks/1.0',
				...(delivery.traceparent !== null && { traceparent: delivery.traceparent }),
				...(isStandard && signedHeaders(message, secrets)),
			},
			body,
			redirects: 0,
			timeoutMs,
			signal,
		})
		return end({
			status: response.status,
			body: await readStart(response),
			error: response.ok ? null : `It answered ${response.status}.`,
		})
	} catch (error) {
		signal.throwIfAborted()
		return end({ status: null, body: null, error: textOf(error) })
	}
}

/** The complete address, which is a secret for a chat. */
function addressOf({ sealer }: Pick<WebhookContext, 'sealer'>, row: WebhookRow): string {
	return row.sealed_address === null ? row.url : sealer.open(row.sealed_address, addressContext(row))
}

/** The message that a chat or pager receives for an event; `routingKey` is PagerDuty's. */
export function bodyFor(
	{ publicAddress }: Pick<WebhookContext, 'publicAddress'>,
	row: Pick<WebhookRow, 'format' | 'workspace_id' | 'sealed_slack_secret'>,
	{ payload }: Pick<DeliveryRow, 'payload'>,
	routingKey: string,
): string {
	if ((row.format as WebhookFormat) === 'standard') return payload
	const urlOf = (path: string) => `${publicAddress()}/ui/w/${row.workspace_id}${path}`
	const hasButtons = row.sealed_slack_secret !== null
	const notice = noticeOf(JSON.parse(payload), urlOf)
	return JSON.stringify(messageOf(row.format as ChatFormat, notice, { routingKey, hasButtons }))
}

type Answer = Awaited<ReturnType<WebhookContext['safeFetch']['fetch']>>

/** A receiver's answer is shown to people as text, so only its beginning is read. */
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
