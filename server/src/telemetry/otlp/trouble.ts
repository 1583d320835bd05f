import { Problem } from '../../platform/errors.ts'
import { tooLarge } from '../../platform/http/index.ts'
import type { RecorderStats } from '../recorder/recorder.ts'
import { ExpandsTooFar, Rejected } from './decoded.ts'
import { Malformed } from './wire-reader.ts'

/** What is in the store, and what waits for it. */
export type Backlog = Pick<RecorderStats, 'storedRows' | 'pendingRows'>

const sampleEveryMs = 1000
/** Weight of the newest second in the rate. */
const freshness = 0.3
const shortestS = 1
/** Also when nothing is stored at all: the store is away, and nobody knows for how long. */
const longestS = 30
/** Room for this share of what waits is enough to be worth coming back for. */
const share = 0.1

/** How long the log needs until there is room again, from the rate at which the store took rows in the last seconds. */
export class DrainTime {
	readonly #stats: () => Backlog
	readonly #timer: NodeJS.Timeout
	#storedRows: number
	#rowsPerS = 0

	constructor(stats: () => Backlog, everyMs = sampleEveryMs) {
		this.#stats = stats
		this.#storedRows = stats().storedRows
		this.#timer = setInterval(() => this.#sample(everyMs / 1000), everyMs).unref()
	}

	/** Whole seconds from 1 to 30. */
	seconds(): number {
		const { pendingRows } = this.#stats()
		if (pendingRows === 0) return shortestS
		const seconds = (pendingRows * share) / this.#rowsPerS
		return Math.ceil(Math.min(longestS, Math.max(shortestS, seconds)))
	}

	close(): void {
		clearInterval(this.#timer)
	}

	#sample(elapsedS: number): void {
		const { storedRows } = this.#stats()
		const rate = (storedRows - this.#storedRows) / elapsedS
		this.#rowsPerS += (rate - this.#rowsPerS) * freshness
		this.#storedRows = storedRows
	}
}

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
