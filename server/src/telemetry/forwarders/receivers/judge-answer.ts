import { type OtlpAnswer, readPartialSuccess, readStatusMessage } from '../../index.ts'
import { type Outcome, shortText } from './delivery.ts'

export interface Answer extends OtlpAnswer {
	status: number
	/** The header. */
	retryAfter: string | null
}

/** By the rules of OTLP. */
const retryable = new Set([429, 502, 503, 504])
/** About the way to the receiver and not about the rows: they wait until somebody has mended it. */
const misdirected = new Set([401, 402, 403, 404, 405, 407, 408])
const longestAskedMs = 60 * 60 * 1000

/** What an answer to an OTLP request of some rows means. */
export function judgeAnswer(answer: Answer, rows: number, nowMs: number): Outcome {
	const { status, retryAfter } = answer
	if (status >= 200 && status < 300) {
		const { rejected, message } = readPartialSuccess(answer)
		const refused = Math.min(rows, rejected)
		const reason = refused > 0 ? message || 'It gave no reason.' : message || null
		return { kind: 'taken', refused, reason: reason && shortText(reason) }
	}
	const text = readStatusMessage(answer)
	const error = shortText(`It answered ${status}${text && `: ${text}`}`)
	if (retryable.has(status)) return { kind: 'later', error, afterMs: waitOf(retryAfter, nowMs) }
	if (misdirected.has(status) || status < 400) return { kind: 'later', error, afterMs: null }
	return { kind: 'taken', refused: rows, reason: error }
}

/** Seconds or a date. */
function waitOf(header: string | null, nowMs: number): number | null {
	if (header === null) return null
	const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs
	return Number.isFinite(ms) ? Math.min(longestAskedMs, Math.max(0, ms)) : null
}
