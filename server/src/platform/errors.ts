import { type ProblemCode, plainDetail, problems } from '@signalbox/contract/problems'

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

	/** The text that a caller gets: the message, or all that the catalogue says if that is only the title. */
	get detail(): string {
		return this.message === this.title ? plainDetail(this.code) : this.message
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

/** The RFC 9457 body of a problem. `basePath`: the path of the public URL, below which the page of errors is. */
export function toProblemDocument(problem: Problem, requestId: string, basePath = ''): ProblemDocument {
	return {
		type: `${basePath}/docs/errors#${problem.code}`,
		title: problem.title,
		status: problem.status,
		detail: problem.detail,
		code: problem.code,
		request_id: requestId,
		...(problem.errors && { errors: problem.errors }),
	}
}

const mostHints = 3

/** The names that a mistyped word may stand for, closest first. */
export function closestTo(word: string, names: readonly string[]): string[] {
	const typed = word.toLowerCase()
	const most = Math.max(1, Math.floor(typed.length / 3))
	const candidates = [...new Set(names)].map((name) => {
		const known = name.toLowerCase()
		return { name, distance: editDistance(typed, known), isPart: typed.length > 2 && known.includes(typed) }
	})
	return candidates
		.filter(({ distance, isPart }) => distance <= most || isPart)
		.toSorted((a, b) => a.distance - b.distance)
		.slice(0, mostHints)
		.map(({ name }) => name)
}

/** The number of letters to insert, delete or replace to get from one word to the other. */
export function editDistance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index)
	for (let i = 1; i <= a.length; i += 1) {
		const next = [i]
		for (let j = 1; j <= b.length; j += 1) {
			next[j] = Math.min(
				(next[j - 1] as number) + 1,
				(row[j] as number) + 1,
				(row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
			)
		}
		row = next
	}
	return row[b.length] as number
}

/** Why an outbound request failed, for people. At most 500 characters, without any that a store cannot hold. */
export function textOfFailure(error: unknown, timeoutMs: number): string {
	if (error instanceof Problem) return error.message
	const { name, message, code, reason } = error as Error & { code?: string; reason?: string }
	if (name === 'TimeoutError') return `No answer within ${timeoutMs / 1000} s.`
	// OpenSSL's own message names a line of its source.
	const said = reason ?? message
	const text = code && !said.includes(code) ? `${code}: ${said}` : said || code || 'The connection failed.'
	return text.slice(0, 500).toWellFormed().replaceAll('\0', '\uFFFD')
}
