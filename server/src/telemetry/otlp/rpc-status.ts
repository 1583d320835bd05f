import { remedyOf } from '@signalbox/contract'
import type { Problem } from '../../platform/errors.ts'
import { WireWriter } from './wire-writer.ts'

/** `google.rpc.Status` with the details that OTLP uses. */
export interface Status {
	/** `google.rpc.Code`. */
	code: number
	message: string
	/** The invalid fields of a bad request. */
	violations: { field: string; description: string }[]
	/** After how many seconds a sender may retry; null if it may not. */
	retryAfterS: number | null
}

/** `google.rpc.Code` by HTTP status. */
const rpcCodes: Readonly<Record<number, number>> = {
	400: 3,
	401: 16,
	403: 7,
	404: 5,
	405: 12,
	413: 8,
	415: 3,
	429: 8,
	503: 14,
	504: 4,
}
const internalCode = 13
const retryable = new Set([429, 502, 503, 504])
const badRequestType = 'type.googleapis.com/google.rpc.BadRequest'
const retryInfoType = 'type.googleapis.com/google.rpc.RetryInfo'

/**
 * The violations say what is wrong with an invalid request; other answers have `errors` for that. The text about a path says where
 * telemetry goes; the remedies are about ids and headers.
 */
const saysItself: ReadonlySet<string> = new Set(['invalid_request', 'not_found', 'method_not_allowed'])

export function statusOf(problem: Problem): Status {
	const { 'retry-after': retryAfter = '1' } = problem.headers
	// A remedy that only points at the text above it says nothing new behind that text.
	const next = saysItself.has(problem.code) ? '' : remedyOf(problem.code)
	const remedy =
		next === '' || problem.message.includes(next) ? '' : ` ${next.replace(/; the text above .*/, '.')}`
	return {
		code: rpcCodes[problem.status] ?? internalCode,
		message: `${problem.message.replace(/\.?$/, '.')}${remedy}`,
		violations: (problem.errors ?? []).map(({ pointer, detail }) => ({
			field: pointer,
			description: detail,
		})),
		retryAfterS: retryable.has(problem.status) ? Number(retryAfter) : null,
	}
}

/** The status as JSON. */
export function statusJson({ code, message, violations, retryAfterS }: Status): object {
	const details = [
		...(violations.length > 0 ? [{ '@type': badRequestType, fieldViolations: violations }] : []),
		...(retryAfterS === null ? [] : [{ '@type': retryInfoType, retryDelay: `${retryAfterS}s` }]),
	]
	return { code, message, details }
}

/** The status as protobuf. */
export function encodeStatus({ code, message, violations, retryAfterS }: Status): Buffer {
	const w = new WireWriter()
	w.int(1, BigInt(code))
	w.text(2, message)
	if (violations.length > 0)
		writeDetail(w, badRequestType, (detail) => {
			for (const { field, description } of violations)
				detail.message(1, (violation) => {
					violation.text(1, field)
					violation.text(2, description)
				})
		})
	if (retryAfterS !== null)
		writeDetail(w, retryInfoType, (detail) =>
			detail.message(1, (delay) => delay.int(1, BigInt(Math.ceil(retryAfterS)))),
		)
	return w.toBuffer()
}

/** A `google.protobuf.Any`. */
function writeDetail(w: WireWriter, type: string, write: (detail: WireWriter) => void): void {
	w.message(3, (any) => {
		any.text(1, type)
		any.message(2, write)
	})
}
