import { Problem } from '../../platform/errors.ts'
import { tooLarge } from '../../platform/http/index.ts'
import { ExpandsTooFar } from './decoded.ts'
import { type Backlog, DrainTime } from './drain-time.ts'
import { Rejected } from './rejections.ts'
import { Malformed } from './wire-reader.ts'

/** What went wrong, as a problem that tells an exporter whether and when to come again. */
export class Trouble {
	readonly #limitBytes: number
	readonly #drain: DrainTime

	constructor(limitBytes: number, stats: () => Backlog) {
		this.#limitBytes = limitBytes
		this.#drain = new DrainTime(stats)
	}

	/** Exporters drop what a 500 refuses, so trouble of ours is a 503. */
	toProblem(error: unknown): Problem {
		if (error instanceof Malformed || error instanceof Rejected) return badBody(error.message)
		if (error instanceof ExpandsTooFar)
			return new Problem(
				'body_too_large',
				`What is sent takes too much room: the limit of a body is ${this.#limitBytes} bytes.`,
			)
		const problem = error instanceof Problem ? error : unrecorded(error)
		if (problem.code === 'body_too_large') return tooLarge(this.#limitBytes)
		if (problem.status === 503) problem.headers['retry-after'] = String(this.#drain.seconds())
		return problem
	}

	close(): void {
		this.#drain.close()
	}
}

function unrecorded(cause: unknown): Problem {
	return new Problem('store_unavailable', 'The telemetry could not be recorded.', { cause })
}

function badBody(detail: string): Problem {
	return new Problem('invalid_request', detail, { errors: [{ pointer: '', code: 'malformed', detail }] })
}
