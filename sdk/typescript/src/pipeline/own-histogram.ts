import type { Attributes } from '@opentelemetry/api'
import { nowMs } from './now.ts'

/** The conventions' buckets for MCP durations, in seconds. */
export const durationBounds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] as const

export interface Series {
	attributes: Attributes
	count: number
	sum: number
	min: number
	max: number
	buckets: number[]
}

/** Beyond this number all further series are merged into one, so that names invented by callers cannot fill the memory. */
const maxSeries = 1000
const overflow: Attributes = { 'otel.metric.overflow': true }

/** A cumulative histogram in seconds, since the start of the process. */
export class OwnHistogram {
	readonly startMs = nowMs()
	readonly series = new Map<string, Series>()
	readonly name: string
	readonly #onRecord: () => void

	constructor(name: string, onRecord: () => void) {
		this.name = name
		this.#onRecord = onRecord
	}

	record(seconds: number, attributes: Attributes): void {
		const series = this.#seriesOf(attributes)
		series.count += 1
		series.sum += seconds
		series.min = Math.min(series.min, seconds)
		series.max = Math.max(series.max, seconds)
		const bound = durationBounds.findIndex((each) => seconds <= each)
		const at = bound === -1 ? durationBounds.length : bound
		series.buckets[at] = (series.buckets[at] as number) + 1
		this.#onRecord()
	}

	#seriesOf(attributes: Attributes): Series {
		const key = Object.values(attributes).join('\n')
		const known = this.series.get(key)
		if (known) return known
		if (this.series.size >= maxSeries && attributes !== overflow) return this.#seriesOf(overflow)
		const buckets = new Array<number>(durationBounds.length + 1).fill(0)
		const made = { attributes, count: 0, sum: 0, min: Infinity, max: -Infinity, buckets }
		this.series.set(key, made)
		return made
	}
}
