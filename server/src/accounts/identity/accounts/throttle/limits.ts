import { networkOf } from '../../../../platform/http/index.ts'

/** From how many counted attempts on one waits, and how the wait doubles from there. */
export interface Limit {
	/** Attempts that cost nothing. */
	free: number
	firstMs: number
	/** The wait grows to this and no further, so that nobody can lock a person out for good. */
	longestMs: number
}

/** What is counted. `login` counts failures only, `link` wrong links, `register` refusals, `mail` every message asked for. */
export type Attempt =
	| { kind: 'login'; account: string; address: string }
	| { kind: 'register' | 'link' | 'mail'; address: string }
	| { kind: 'mail-to'; account: string }

/** Attempts count for as long after the last one. */
export const forgottenAfterMs = 15 * 60 * 1000

const minuteMs = 60_000
const byAddress = (free: number): Limit => ({ free, firstMs: 1000, longestMs: minuteMs })

/** The keys that an attempt is counted under, each with its limit. */
export function limitsOf(attempt: Attempt): [key: string, limit: Limit][] {
	if (attempt.kind === 'mail-to') {
		const limit = { free: 1, firstMs: minuteMs, longestMs: forgottenAfterMs }
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
		/** Many addresses trying one account: short, or strangers could keep its owner out. */
		[`login account ${account}`, { free: 30, firstMs: 1000, longestMs: 5000 }],
	]
}
