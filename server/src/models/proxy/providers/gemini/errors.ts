import type { Problem } from '../../../../platform/errors.ts'
import { reasonOf } from '../provider.ts'

const statuses: Record<number, string> = {
	400: 'INVALID_ARGUMENT',
	401: 'UNAUTHENTICATED',
	403: 'PERMISSION_DENIED',
	404: 'NOT_FOUND',
	409: 'ABORTED',
	413: 'INVALID_ARGUMENT',
	429: 'RESOURCE_EXHAUSTED',
	500: 'INTERNAL',
	503: 'UNAVAILABLE',
	504: 'DEADLINE_EXCEEDED',
}

/** `google.rpc.Status` in `{error}`, as Google's clients parse it; our code is the reason of its detail. */
export function errorBody(problem: Problem) {
	const { status: code, message, code: reason } = problem
	const status = statuses[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'UNAVAILABLE')
	const details = [
		{
			'@type': 'type.googleapis.com/google.rpc.ErrorInfo',
			reason,
			domain: 'signalbox',
			metadata: reasonOf(problem),
		},
	]
	return { error: { code, message, status, details } }
}

/** An event that Google's clients raise. */
export function errorEvent(problem: Problem): string {
	return `data: ${JSON.stringify(errorBody(problem))}\r\n\r\n`
}
