import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Problem } from '../../../platform/errors.ts'
import type { ForwarderContext } from '../context.ts'
import { type Outcome, textOfError } from './delivery.ts'
import { type Answer, judgeAnswer } from './judge-answer.ts'

interface OtlpReceiver {
	/** The address, to which the path of the signal is appended. */
	url: string
	headers: ReadonlyMap<string, string>
}

export type OtlpPath = 'traces' | 'metrics' | 'logs'

const compress = promisify(gzip)
const timeoutMs = 30_000
/** Of an answer; the rest is of no use. */
const answerBytes = 64 * 1024

/** Sends rows as one OTLP/HTTP request. What is too large for the receiver goes in halves. Rejects only when `signal` ends. */
export async function sendOtlp<Row>(
	context: Pick<ForwarderContext, 'safeFetch' | 'clock'>,
	receiver: OtlpReceiver,
	path: OtlpPath,
	{ rows, encode }: { rows: readonly Row[]; encode(rows: readonly Row[]): Buffer },
	signal: AbortSignal,
): Promise<Outcome> {
	const sent = await post(context, receiver, path, encode(rows), signal)
	if ('error' in sent) return { kind: 'later', error: sent.error, afterMs: null }
	if (sent.answer.status !== 413 || rows.length < 2)
		return judgeAnswer(sent.answer, rows.length, context.clock.nowMs())
	const middle = rows.length >> 1
	const [first, second] = [rows.slice(0, middle), rows.slice(middle)]
	const before = await sendOtlp(context, receiver, path, { rows: first, encode }, signal)
	if (before.kind === 'later') return before
	const after = await sendOtlp(context, receiver, path, { rows: second, encode }, signal)
	if (after.kind === 'later') return after
	return { ...after, refused: before.refused + after.refused, reason: after.reason ?? before.reason }
}

async function post(
	{ safeFetch }: Pick<ForwarderContext, 'safeFetch'>,
	{ url, headers }: OtlpReceiver,
	path: OtlpPath,
	body: Buffer,
	signal: AbortSignal,
): Promise<{ answer: Answer } | { error: string }> {
	try {
		const response = await safeFetch.fetch(`${url.replace(/\/+$/, '')}/v1/${path}`, {
			method: 'POST',
			headers: {
				'user-agent': 'Signalbox-Forwarder/1.0',
				...Object.fromEntries(headers),
				'content-type': 'application/x-protobuf',
				'content-encoding': 'gzip',
			},
			body: await compress(body),
			redirects: 0,
			timeoutMs,
			maxBytes: answerBytes,
			signal,
		})
		return {
			answer: {
				status: response.status,
				retryAfter: response.headers.get('retry-after'),
				contentType: response.headers.get('content-type') ?? '',
				body: Buffer.from(await response.arrayBuffer()),
			},
		}
	} catch (error) {
		signal.throwIfAborted()
		return { error: error instanceof Problem ? error.message : textOfError(error, timeoutMs) }
	}
}
