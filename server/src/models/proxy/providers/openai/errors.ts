import type { Problem } from '../../../../platform/errors.ts'
import { reasonOf } from '../provider.ts'

/** `{error:{message,type,code,param}}`, as OpenAI's clients parse it. */
export function errorBody(problem: Problem) {
	return {
		error: {
			message: problem.message,
			type: errorType(problem.status),
			code: problem.code,
			param: null,
			...reasonOf(problem),
		},
	}
}

/** An event that OpenAI's clients raise; no `[DONE]` follows it. */
export function errorEvent(problem: Problem): string {
	return `data: ${JSON.stringify(errorBody(problem))}\n\n`
}

function errorType(status: number): string {
	if (status === 401) return 'authentication_error'
	if (status === 403) return 'permission_error'
	if (status === 429) return 'rate_limit_error'
	return status < 500 ? 'invalid_request_error' : 'server_error'
}
