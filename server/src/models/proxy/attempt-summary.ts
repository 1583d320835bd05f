import { nowNs } from '../../platform/clock.ts'
import type { Attempt } from './attempt.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/** An attempt as its call's record tells it. */
export interface AttemptSummary {
	connection: string
	model?: string
	status: number | null
	error_type?: string
	request_id?: string
	duration_ms: number
}

export function attemptTold(attempt: Attempt, failure: UpstreamFailure | null): AttemptSummary {
	const { step, httpStatus, providerRequestId, startNs, reader } = attempt
	const errorType = failure?.errorType || reader?.reading.errorType || ''
	return {
		connection: step.connection,
		...(step.model !== null && { model: step.model }),
		status: httpStatus,
		...(errorType && { error_type: errorType }),
		...(providerRequestId && { request_id: providerRequestId }),
		duration_ms: Math.round(Number(nowNs() - startNs) / 1e6),
	}
}
