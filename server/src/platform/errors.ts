import { type ProblemCode, problems } from '@signalbox/contract/problems'

/** One invalid field: a JSON pointer into the request, a stable code, and a sentence. */
export interface FieldError {
	pointer: string
	code: string
	detail: string
}

export interface ProblemOptions {
	errors?: FieldError[]
	/** Seconds for Retry-After. */
	retryAfterS?: number
	/** Further response headers. */
	headers?: Record<string, string>
	cause?: unknown
}

/**
 * A failure whose message goes to a caller. A refusal needs no stack, and capturing one costs a good part of the refusal; only an
 * internal `fault` keeps it.
 */
export class ExpectedFailure extends Error {
	constructor(message: string, cause: unknown, fault: boolean) {
		const { stackTraceLimit } = Error
		if (!fault) Error.stackTraceLimit = 0
		super(message, cause === undefined ? undefined : { cause })
		Error.stackTraceLimit = stackTraceLimit
	}
}

/** A failure with a code from the catalogue in `contract/src/problems.ts`. Anything else thrown is a bug and results in a 500. */
export class Problem extends ExpectedFailure {
	readonly code: ProblemCode
	readonly status: number
	readonly title: string
	readonly errors: FieldError[] | undefined
	readonly headers: Record<string, string>

	constructor(code: ProblemCode, detail?: string, options: ProblemOptions = {}) {
		const { status } = problems[code]
		super(detail ?? problems[code].title, options.cause, code === 'internal')
		this.code = code
		this.status = status
		this.title = problems[code].title
		this.errors = options.errors
		this.headers = {
			...options.headers,
			...(options.retryAfterS !== undefined && { 'retry-after': String(options.retryAfterS) }),
		}
	}
}

/** The 404 for a named object; also for malformed ids and objects of other workspaces. */
export function notFound(thing: string): Problem {
	return new Problem('not_found', `There is no such ${thing}.`)
}

export function tooLarge(limitBytes: number): Problem {
	return new Problem('body_too_large', `The limit here is ${limitBytes} bytes.`, {
		headers: { connection: 'close' },
	})
}

export interface ProblemDocument {
	type: string
	title: string
	status: number
	detail: string
	code: ProblemCode
	request_id: string
	errors?: FieldError[]
}

/** The RFC 9457 body of a problem. */
export function toProblemDocument(problem: Problem, requestId: string): ProblemDocument {
	return {
		type: `/docs/errors#${problem.code}`,
		title: problem.title,
		status: problem.status,
		detail: problem.message,
		code: problem.code,
		request_id: requestId,
		...(problem.errors && { errors: problem.errors }),
	}
}
