import { Problem } from '../../platform/errors.ts'

/** Why a provider's answer did not arrive or broke off: the problem for the client, and the error type for the record. */
export interface UpstreamFailure {
	problem: Problem
	errorType: string
}

/** `sent`: the request was sent, so the provider may have worked and may bill it. */
export function describeFailure(
	error: Error,
	host: string,
	{ sent, answering }: { sent: boolean; answering: boolean },
): UpstreamFailure {
	const refused = problemIn(error)
	if (refused) return { problem: refused, errorType: refused.code }
	const code = (error as NodeJS.ErrnoException).code ?? error.name
	const timedOut = code.includes('TIMEOUT')
	if (timedOut) return failure('timeout', `The provider at ${host} did not answer in time.`, error)
	if (answering) return failure('upstream_reset', `The provider at ${host} broke off its answer.`, error)
	if (sent) return failure('upstream_reset', `The provider at ${host} closed the connection.`, error)
	return failure('upstream_unreachable', `The provider at ${host} could not be reached (${code}).`, error)
}

function failure(errorType: string, detail: string, cause: Error): UpstreamFailure {
	return { problem: new Problem('upstream_unreachable', detail, { cause }), errorType }
}

/** The connector refuses an address with a Problem, which may be the cause of the error. */
function problemIn(error: unknown): Problem | null {
	if (error instanceof Problem) return error
	return error instanceof Error && error.cause instanceof Problem ? error.cause : null
}
