import type { Clock } from '../../../../platform/clock.ts'
import type { Sealer } from '../../../../platform/crypto/seal.ts'
import type { ControlStore } from '../../../../platform/database/database.ts'
import { Problem } from '../../../../platform/errors.ts'
import { networkOf } from '../../../../platform/http/client-address.ts'
import { doubledMs } from '../../../../platform/retry.ts'
import {
	countFailures,
	type FailureRow,
	forgetFailures,
	forgetOldFailures,
	listFailures,
} from '../account-repository.ts'

/** After how many attempts a delay begins, and how it doubles from there. */
interface Limit {
	/** Number of attempts without delay. */
	free: number
	firstMs: number
	/** The delay never exceeds this, so that nobody can lock a person out permanently. */
	maxMs: number
}

/** The kind of attempt: `login` counts only failures, `link` wrong links, `register` refusals, `mail` every requested message. */
type Attempt =
	| { kind: 'login'; account: string; address: string }
	| { kind: 'register' | 'link' | 'mail'; address: string }
	| { kind: 'mail-to'; account: string }

/** Attempts are forgotten this long after the last one. */
const forgottenAfterMs = 15 * 60 * 1000

const minuteMs = 60_000
const byAddress = (free: number): Limit => ({ free, firstMs: 1000, maxMs: minuteMs })

/** The keys under which an attempt is counted, each with its limit. */
function limitsOf(attempt: Attempt): [key: string, limit: Limit][] {
	if (attempt.kind === 'mail-to') {
		const limit = { free: 1, firstMs: minuteMs, maxMs: forgottenAfterMs }
		return [[`mail-to ${attempt.account}`, limit]]
	}
	const network = networkOf(attempt.address)
	if (attempt.kind !== 'login') {
		return [[`${attempt.kind} address ${network}`, byAddress(attempt.kind === 'mail' ? 10 : 20)]]
	}
	const { account } = attempt
	return [
		/** One address trying one account. */
		[`login pair ${network} ${account}`, byAddress(5)],
		/** One address trying many accounts. */
		[`login address ${network}`, byAddress(30)],
		/** Many addresses trying one account. The delay is short, or strangers could keep its owner out. */
		[`login account ${account}`, { free: 30, firstMs: 1000, maxMs: 5000 }],
	]
}

/**
 * Slows down guessing. The counts are in the control store, so that all nodes share them and a restart keeps them. Accounts and
 * addresses are stored as keyed hashes, since people type passwords into the wrong field.
 */
export class Throttle {
	readonly #store: ControlStore
	readonly #sealer: Sealer
	readonly #clock: Clock

	constructor({ store, sealer, clock }: { store: ControlStore; sealer: Sealer; clock: Clock }) {
		this.#store = store
		this.#sealer = sealer
		this.#clock = clock
	}

	/** Throws 429 during the delay after earlier attempts. */
	async check(attempt: Attempt): Promise<void> {
		const waitMs = await this.waitMs(attempt)
		if (waitMs <= 0) return
		const retryAfterS = Math.ceil(waitMs / 1000)
		throw new Problem('too_many_requests', `Too many attempts; try again in ${retryAfterS} s.`, {
			retryAfterS,
		})
	}

	/** Runs the work of an attempt unless it is delayed; a refusal (4xx) counts. */
	async guard<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
		await this.check(attempt)
		try {
			return await work()
		} catch (error) {
			if (error instanceof Problem && error.status < 500 && error.status !== 429) await this.count(attempt)
			throw error
		}
	}

	/** How long the caller still has to wait; 0 or less if not at all. */
	async waitMs(attempt: Attempt): Promise<number> {
		const limits = new Map(limitsOf(attempt).map(([key, limit]) => [this.#hash(key), limit]))
		const rows = await listFailures(this.#store.db, [...limits.keys()])
		const nowMs = this.#clock.nowMs()
		return Math.max(0, ...rows.map((row) => waitAfter(row, limits.get(row.key) as Limit, nowMs)))
	}

	async count(attempt: Attempt): Promise<void> {
		const nowMs = this.#clock.nowMs()
		await countFailures(this.#store.db, this.#keysOf(attempt), nowMs, nowMs - forgottenAfterMs)
	}

	/** Clears the failures of an account from this address, but not those of the address with other accounts. */
	async succeeded(attempt: Attempt): Promise<void> {
		await forgetFailures(
			this.#store.db,
			this.#keysOf(attempt, (key) => !key.startsWith('login address ')),
		)
	}

	async prune(): Promise<void> {
		await forgetOldFailures(this.#store.db, this.#clock.deletionMs() - forgottenAfterMs)
	}

	#keysOf(attempt: Attempt, wanted: (key: string) => boolean = () => true): string[] {
		return limitsOf(attempt).flatMap(([key]) => (wanted(key) ? [this.#hash(key)] : []))
	}

	#hash(key: string): string {
		return this.#sealer.mac('throttle', key)
	}
}

function waitAfter(row: FailureRow, limit: Limit, nowMs: number): number {
	const sinceMs = nowMs - row.last_at
	// A failure further in the future than a delay lasts was counted before the clock was set back.
	if (sinceMs > forgottenAfterMs || sinceMs < -limit.maxMs || row.count < limit.free) return 0
	return doubledMs(limit, row.count - limit.free) - sinceMs
}
