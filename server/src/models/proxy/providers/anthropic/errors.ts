import type { Problem } from '../../../../platform/errors.ts'
import { reasonOf } from '../provider.ts'

const types: Record<number, string> = {
	401: 'authentication_error',
	403: 'permission_error',
	404: 'not_found_error',
	413: 'request_too_large',
	429: 'rate_limit_error',
	503: 'overloaded_error',
}

/** `{type:'error',error:{type,message},request_id}`, as Anthropic's clients parse it. */
export function errorBody(problem: Problem, requestId: string) {
	const type = types[problem.status] ?? (problem.status < 500 ? 'invalid_request_error' : 'api_error')
	const error = { type, message: problem.message, code: problem.code, ...reasonOf(problem) }
	return { type: 'error', error, request_id: requestId }
}

/** An event that Anthropic's clients raise; no `message_stop` follows it. */
export function errorEvent(problem: Problem, requestId: string): string {
	return `event: error\ndata: ${JSON.stringify(errorBody(problem, requestId))}\n\n`
}
