/** How often tools may be called, and how many calls may run concurrently; null: no limit. */
export interface CallLimit {
	callsPerMinute: number | null
	concurrency: number | null
}

/** By tool, with `*` for all tools together. */
export type CallLimits = ReadonlyMap<string, CallLimit>

/** Field names of the contract. */
interface StoredLimit {
	calls_per_minute: number | null
	concurrency: number | null
}

/** Parses a limit as stored in the control store. */
export function readCallLimit(text: string): CallLimit {
	return toLimit(JSON.parse(text) as StoredLimit)
}

/** Parses limits by tool as stored in the control store. */
export function readCallLimits(text: string): CallLimits {
	const entries = Object.entries(JSON.parse(text) as Record<string, StoredLimit>)
	return new Map(entries.map(([tool, stored]) => [tool, toLimit(stored)]))
}

function toLimit({ calls_per_minute: callsPerMinute, concurrency }: StoredLimit): CallLimit {
	return { callsPerMinute, concurrency }
}
