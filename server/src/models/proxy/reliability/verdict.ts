import type { IncomingHttpHeaders } from 'node:http'

/**
 * What an attempt says about the next one: `good` none is needed; `final` every target would say the same; `again` the
 * same target may do better in a moment; `elsewhere` only another target may.
 */
export type Verdict = 'good' | 'final' | 'again' | 'elsewhere'

/** The account, the model or the limit of one provider is at fault, not the request. */
const ofThisTarget: ReadonlySet<number> = new Set([401, 402, 403, 404])
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429])

export function verdictOfStatus(status: number, headers: IncomingHttpHeaders): Verdict {
	if (status < 400) return 'good'
	if (ofThisTarget.has(status)) return 'elsewhere'
	if (status < 500 && !passing.has(status)) return 'final'
	return headers['x-should-retry'] === 'false' ? 'elsewhere' : 'again'
}

/** Of an error that a stream tells with status 200. */
export function verdictOfStreamError(errorType: string): Verdict {
	return errorType === 'invalid_request_error' ? 'final' : 'again'
}

/** Of an answer that did not come or broke off; an address that is forbidden stays forbidden. */
export function verdictOfFailure(errorType: string): Verdict {
	return errorType === 'blocked_address' ? 'elsewhere' : 'again'
}
