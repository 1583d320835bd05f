/** Buckets grow by a quarter, from 10 µs on. */
const growth = Math.log(1.25)
const firstMs = 0.01
const buckets = 80

/** The gaps between pieces of a stream that carried content, in buckets: a long stream takes no more room than a short one. */
export class StreamGaps {
	readonly #counts = new Uint32Array(buckets)
	#last: bigint | null = null
	#count = 0
	maxMs = 0

	note(atNs: bigint): void {
		const before = this.#last
		this.#last = atNs
		if (before === null) return
		const ms = Number(atNs - before) / 1e6
		const bucket = Math.min(buckets - 1, Math.max(0, Math.round(Math.log(ms / firstMs) / growth)))
		this.#counts[bucket] = (this.#counts[bucket] as number) + 1
		this.#count += 1
		this.maxMs = Math.max(this.maxMs, ms)
	}

	/** For the record, in ms; null while there are no gaps. */
	told(): { p50: number; p95: number; max: number } | null {
		const p50 = this.quantileMs(0.5)
		if (p50 === null) return null
		return { p50, p95: this.quantileMs(0.95) as number, max: Number(this.maxMs.toFixed(3)) }
	}

	/** Within an eighth; null while there are no gaps. */
	quantileMs(share: number): number | null {
		let left = Math.ceil(this.#count * share)
		if (left === 0) return null
		const bucket = this.#counts.findIndex((count) => {
			left -= count
			return left <= 0
		})
		return Math.min(this.maxMs, Number((firstMs * Math.exp(bucket * growth)).toPrecision(3)))
	}
}
