interface Level {
	tokens: number
	atMs: number
}

const minuteMs = 60_000
const remembered = 10_000

/** Tokens that were used by many callers: each has a bucket that empties evenly, in a minute when it is full. */
export class TokenRates {
	readonly #levels = new Map<string, Level>()

	/**
	 * Counts tokens; the time to wait in milliseconds, or 0 when there is room. More than the whole bucket finds room when
	 * it is empty, since it never would otherwise.
	 */
	take(key: string, perMinute: number, tokens: number, nowMs: number): number {
		const level = this.#levelOf(key, perMinute, nowMs)
		const tooMany = level.tokens + Math.min(tokens, perMinute) - perMinute
		if (tooMany > 1e-6) return (tooMany * minuteMs) / perMinute
		level.tokens += tokens
		return 0
	}

	/** What a call used beyond what was counted for it, or less. */
	correct(key: string, perMinute: number, difference: number, nowMs: number): void {
		const level = this.#levelOf(key, perMinute, nowMs)
		level.tokens = Math.max(0, level.tokens + difference)
	}

	/** What may be used now, and when the bucket is empty again. */
	left(key: string, perMinute: number, nowMs: number): { remaining: number; resetMs: number } {
		const { tokens } = this.#levelOf(key, perMinute, nowMs)
		return {
			remaining: Math.max(0, Math.floor(perMinute - tokens)),
			resetMs: (tokens * minuteMs) / perMinute,
		}
	}

	#levelOf(key: string, perMinute: number, nowMs: number): Level {
		const known = this.#levels.get(key)
		if (known) {
			const gone = (Math.max(0, nowMs - known.atMs) * perMinute) / minuteMs
			known.tokens = Math.max(0, known.tokens - gone)
			known.atMs = nowMs
			return known
		}
		if (this.#levels.size >= remembered) this.#levels.delete(this.#levels.keys().next().value as string)
		const fresh = { tokens: 0, atMs: nowMs }
		this.#levels.set(key, fresh)
		return fresh
	}
}
