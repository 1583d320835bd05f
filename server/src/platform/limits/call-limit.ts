/** How often and how many at a time tools may be called; null: no limit. */
export interface CallLimit {
	callsPerMinute: number | null
	concurrency: number | null
}

/** By tool, and `*` for all tools together. */
export type CallLimits = ReadonlyMap<string, CallLimit>

/** The names of the contract. */
interface StoredLimit {
	calls_per_minute: number | null
	concurrency: number | null
}

/** A limit as the control store keeps it. */
export function readCallLimit(text: string): CallLimit {
	return toLimit(JSON.parse(text) as StoredLimit)
}

/** Limits by tool as the control store keeps them. */
export function readCallLimits(text: string): CallLimits {
	const entries = Object.entries(JSON.parse(text) as Record<string, StoredLimit>)
	return new Map(entries.map(([tool, stored]) => [tool, toLimit(stored)]))
}

function toLimit({ calls_per_minute: callsPerMinute, concurrency }: StoredLimit): CallLimit {
	return { callsPerMinute, concurrency }
}
