import type { Clock } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'

interface Failures {
	count: number
	lastMs: number
}

interface Limit {
	/** Failures that cost nothing. */
	free: number
	/** The wait grows to this and no further, so that nobody can lock a person out for good. */
	longestMs: number
}

const limits = {
	/** One address trying one account. */
	pair: { free: 5, longestMs: 60_000 },
	/** One address trying many accounts. */
	address: { free: 30, longestMs: 60_000 },
	/** Many addresses trying one account: short, or strangers could keep its owner out. */
	account: { free: 30, longestMs: 5000 },
} satisfies Record<string, Limit>

const forgottenAfterMs = 15 * 60 * 1000
const rememberedMax = 50_000

/** Slows down guessing. Kept in this process's memory: each process counts for itself, and a restart forgets. */
export class LoginThrottle {
	readonly #failures = new Map<string, Failures>()
	readonly #clock: Clock

	constructor(clock: Clock) {
		this.#clock = clock
	}

	/** Throws 429 while the wait after earlier failures is not over. */
	check(account: string, address: string): void {
		const waitMs = Math.max(...keysOf(account, address).map(([key, limit]) => this.#waitMs(key, limit)))
		if (waitMs <= 0) return
		const retryAfterS = Math.ceil(waitMs / 1000)
		throw new Problem('too_many_requests', `Too many failed attempts; try again in ${retryAfterS} s.`, {
			retryAfterS,
		})
	}

	failed(account: string, address: string): void {
		for (const [key] of keysOf(account, address)) this.#count(key)
	}

	/** Forgets the failures of this account, not those of the address with other accounts. */
	succeeded(account: string, address: string): void {
		for (const [key, limit] of keysOf(account, address))
			if (limit !== limits.address) this.#failures.delete(key)
	}

	#waitMs(key: string, limit: Limit): number {
		const failures = this.#failures.get(key)
		if (!failures) return 0
		const sinceMs = this.#clock.nowMs() - failures.lastMs
		if (sinceMs > forgottenAfterMs) this.#failures.delete(key)
		if (sinceMs > forgottenAfterMs || failures.count < limit.free) return 0
		return Math.min(limit.longestMs, 1000 * 2 ** Math.min(failures.count - limit.free, 10)) - sinceMs
	}

	#count(key: string): void {
		const count = (this.#failures.get(key)?.count ?? 0) + 1
		this.#failures.delete(key)
		if (this.#failures.size >= rememberedMax)
			this.#failures.delete(this.#failures.keys().next().value as string)
		this.#failures.set(key, { count, lastMs: this.#clock.nowMs() })
	}
}

function keysOf(account: string, address: string): [string, Limit][] {
	const network = networkOf(address)
	return [
		[`pair ${network} ${account}`, limits.pair],
		[`address ${network}`, limits.address],
		[`account ${account}`, limits.account],
	]
}

/** An IPv6 customer owns a whole /64. */
function networkOf(address: string): string {
	if (!address.includes(':') || address.startsWith('::ffff:')) return address
	return address.split(':').slice(0, 4).join(':')
}
