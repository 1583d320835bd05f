import type { IncomingMessage } from 'node:http'

const unitMs: Readonly<Record<string, number>> = {
	H: 3_600_000,
	M: 60_000,
	S: 1000,
	m: 1,
	u: 0.001,
	n: 0.000_001,
}
const longestMs = 3_600_000

/** How long a caller waits (`grpc-timeout`), in ms; null when it says nothing that can be read. */
export function deadlineOf(request: IncomingMessage): number | null {
	const match = /^(\d{1,8})([HMSmun])$/.exec(String(request.headers['grpc-timeout'] ?? ''))
	return match ? Math.min(longestMs, Number(match[1]) * (unitMs[match[2] as string] as number)) : null
}

/** Calls `late` if `work` has not ended by the deadline; what it does then is its own matter. */
export async function withDeadline<T>(ms: number | null, work: Promise<T>, late: () => void): Promise<T> {
	const timer = ms === null ? null : setTimeout(late, ms)
	try {
		return await work
	} finally {
		if (timer) clearTimeout(timer)
	}
}
