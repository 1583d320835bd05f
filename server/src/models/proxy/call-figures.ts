import type { IncomingHttpHeaders } from 'node:http'
import type { Attempt } from './attempt.ts'
import type { Ending, Figures } from './call-record.ts'

type OfAttempt = Pick<
	Figures,
	| 'reading'
	| 'firstContentNs'
	| 'httpStatus'
	| 'answered'
	| 'responseBytes'
	| 'providerRequestId'
	| 'limitHeaders'
	| 'gaps'
>

/** What the attempt that a call ends with tells of it. */
export function figuresOf(attempt: Attempt | null, ending: Ending): OfAttempt {
	return {
		reading: attempt?.reader?.reading ?? null,
		firstContentNs: attempt?.firstContentNs ?? null,
		httpStatus: attempt?.httpStatus ?? ('problem' in ending ? ending.problem.status : null),
		answered: attempt?.httpStatus ?? null,
		responseBytes: attempt?.responseBytes ?? 0,
		providerRequestId: attempt?.providerRequestId ?? '',
		limitHeaders: attempt ? limitHeadersIn(attempt.headers) : [],
		gaps: attempt?.gaps ?? null,
	}
}

const limitHeader = /^(anthropic-ratelimit-|x-ratelimit-|ratelimit|retry-after|x-ms-retry-after)/
const mostHeaders = 32

/** What the provider says of its limits. */
function limitHeadersIn(headers: IncomingHttpHeaders): [string, string][] {
	const found = Object.entries(headers).filter(([name]) => limitHeader.test(name))
	return found.slice(0, mostHeaders).map(([name, value]) => [name, String(value).slice(0, 256)])
}
