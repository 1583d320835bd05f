import type { Program } from '../../server/src/program/program.testing.ts'
import type { Ledger } from './writers.ts'

/** Counts the stored spans of a source by trace id, read page by page through the API. */
export async function countStored(program: Program, source: string): Promise<Map<string, number>> {
	const counts = new Map<string, number>()
	let cursor: string | null = null
	do {
		const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
		const page: { spans: { trace_id: string; kind: string }[]; next_cursor: string | null } =
			await program.api('GET', `/v1/telemetry/spans?start=-2h&limit=1000&source=${source}${query}`)
		for (const { trace_id } of page.spans) counts.set(trace_id, (counts.get(trace_id) ?? 0) + 1)
		cursor = page.next_cursor
	} while (cursor)
	return counts
}

/** How many reads in total may fail before `compare` gives up. */
const maxFailures = 240

/**
 * Waits until all acknowledged records are stored, for half a second per attempt. Returns the ids that are lost, stored twice, or stored
 * but never sent.
 */
export async function compare(
	program: Program,
	source: string,
	ledger: Ledger,
	attempts = 60,
): Promise<{ lost: string[]; doubled: string[]; unknown: string[] }> {
	let counts = new Map<string, number>()
	const lost = () => [...ledger.acknowledged].filter((traceId) => !counts.has(traceId))
	let failures = 0
	for (let attempt = 0; attempt < attempts; attempt += 1) {
		try {
			counts = await countStored(program, source)
		} catch (error) {
			// The engine may still be starting; the program then answers 503. A failed read does not mean that records are lost.
			if (++failures > maxFailures) throw error
			attempt -= 1
		}
		if (lost().length === 0) break
		await new Promise((resolve) => setTimeout(resolve, 500))
	}
	const doubled = [...counts].filter(([, count]) => count > 1).map(([traceId]) => traceId)
	const unknown = [...counts.keys()].filter((traceId) => !ledger.sent.has(traceId))
	return { lost: lost(), doubled, unknown }
}
