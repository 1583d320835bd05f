import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { textOfFailure } from '../../../platform/errors.ts'
import { askedDelayMs } from '../../../platform/retry.ts'
import { type OtlpAnswer, readPartialSuccess, readStatusMessage } from '../../index.ts'
import type { ForwarderContext } from '../forwarder-context.ts'

/** Result of sending some rows. */
export type Outcome =
	/** Accepted, except for rows that were permanently refused. */
	| { kind: 'taken'; refused: number; reason: string | null }
	/** The same rows must be sent again, not before `afterMs` from now if the receiver says so. */
	| RetryLater

export interface RetryLater {
	kind: 'later'
	error: string
	afterMs: number | null
}

/** At most 500 characters, without any that a store cannot hold. */
function shortText(text: string): string {
	return text.slice(0, 500).toWellFormed().replaceAll('\0', '\uFFFD')
}

interface OtlpReceiver {
	/** The base address, to which the path of the signal is appended. */
	url: string
	headers: ReadonlyMap<string, string>
}

export type OtlpPath = 'traces' | 'metrics' | 'logs'

const compress = promisify(gzip)
const timeoutMs = 30_000
/** How much of an answer is read. */
const answerBytes = 64 * 1024

/**
 * Sends rows as one OTLP/HTTP request. If the receiver says that it is too large, the rows are sent in halves. Rejects only when
 * `signal` is aborted.
 */
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
		return outcomeOfAnswer(sent.answer, rows.length, context.clock.nowMs())
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
			signal,
		})
		return {
			answer: {
				status: response.status,
				retryAfter: response.headers.get('retry-after'),
				contentType: response.headers.get('content-type') ?? '',
				body: await readStart(response),
			},
		}
	} catch (error) {
		signal.throwIfAborted()
		return { error: textOfFailure(error, timeoutMs) }
	}
}

/**
 * The beginning of an answer's body. A long one, such as an error page, must not hide what the status says, nor may one that breaks off,
 * as from a server that closes the connection because a request is too large. Only in a success does the body say what was taken.
 */
async function readStart({ body, ok }: Response): Promise<Buffer> {
	const chunks: Uint8Array[] = []
	let size = 0
	try {
		for await (const chunk of body ?? []) {
			chunks.push(chunk)
			size += chunk.byteLength
			if (size >= answerBytes) break
		}
	} catch (error) {
		if (ok) throw error
	}
	return Buffer.concat(chunks).subarray(0, answerBytes)
}

interface Answer extends OtlpAnswer {
	status: number
	/** The header's value. */
	retryAfter: string | null
}

/** As OTLP defines. */
const retryable = new Set([429, 502, 503, 504])
/** These concern the address or credentials and not the rows, which wait until somebody has fixed it. */
const misdirected = new Set([401, 402, 403, 404, 405, 407, 408])
export const maxAskedMs = 60 * 60 * 1000

/** The result that an answer to an OTLP request means. */
function outcomeOfAnswer(answer: Answer, rows: number, nowMs: number): Outcome {
	const { status, retryAfter } = answer
	if (status >= 200 && status < 300) {
		if (isPage(answer)) return { kind: 'later', error: `It answered ${status} ${notOtlp}`, afterMs: null }
		const { rejected, message } = readPartialSuccess(answer)
		const refused = Math.min(rows, rejected)
		const reason = refused > 0 ? message || 'It gave no reason.' : message || null
		return { kind: 'taken', refused, reason: reason && shortText(reason) }
	}
	const text = readStatusMessage(answer)
	const error = shortText(`It answered ${status}${text && `: ${text}`}`)
	if (retryable.has(status))
		return { kind: 'later', error, afterMs: askedDelayMs(retryAfter, nowMs, maxAskedMs) }
	if (misdirected.has(status) || status < 400) return { kind: 'later', error, afterMs: null }
	return { kind: 'taken', refused: rows, reason: error }
}

const notOtlp =
	'with a web page instead of an OTLP response. Check the address, and whether a sign-in page is in front of it.'

/**
 * A sign-in page, or a site that answers every path. OTLP allows only protobuf and JSON, but receivers also answer with nothing, or with
 * a word as plain text, so that only what cannot come from a receiver is refused. Neither protobuf nor JSON begins with `<`.
 */
function isPage({ contentType, body }: Answer): boolean {
	const start = body.subarray(0, 256).toString().trimStart()
	return start.startsWith('<') || (start !== '' && /\bx?html\b/i.test(contentType))
}
