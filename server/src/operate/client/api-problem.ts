import type { ProblemCode } from '@signalbox/contract/problems'

/** What the platform API says of a failure (RFC 9457), as a client got it. */
export interface ProblemDocument {
	title: string
	status: number
	detail: string
	code: ProblemCode
	request_id: string
	errors?: { pointer: string; code: string; detail: string }[]
}

/** A failure of the platform API, or of the way to it (`status` 0, code `unreachable`). */
export class ApiProblem extends Error {
	readonly status: number
	readonly code: ProblemCode | 'unreachable' | 'unknown'
	readonly requestId: string | null
	readonly fields: readonly { pointer: string; detail: string }[]

	constructor(status: number, problem: Partial<ProblemDocument>) {
		super(problem.detail ?? problem.title ?? `The server answered ${status}.`)
		this.status = status
		this.code = problem.code ?? (status === 0 ? 'unreachable' : 'unknown')
		this.requestId = problem.request_id ?? null
		this.fields = problem.errors ?? []
	}
}

/** What an answer that is no success says, whatever came. */
export function problemOf(response: Response, body: unknown): ApiProblem {
	const document = typeof body === 'object' && body !== null ? (body as Partial<ProblemDocument>) : {}
	return new ApiProblem(response.status, {
		request_id: response.headers.get('x-request-id') ?? '',
		...document,
	})
}

/** `fetch` hides the reason (`ECONNREFUSED`) in the cause. */
export function unreachable(baseUrl: string, error: unknown): ApiProblem {
	const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
	const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
	return new ApiProblem(0, { detail: `${baseUrl} does not answer (${reason}).` })
}
