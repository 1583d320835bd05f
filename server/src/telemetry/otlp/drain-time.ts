import type { RecorderStats } from '../recorder/recorder.ts'

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
