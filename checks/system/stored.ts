import type { Program } from '../../server/src/program/program.testing.ts'
import type { Ledger } from './writers.ts'

/** How often each trace id is stored, by source, read through the API page by page. */
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

/** Attempts. */
const maxAway = 240

/** Waits until everything acknowledged is visible (or for half a second per attempt), then tells what is lost and what is doubled. */
export async function compare(
	program: Program,
	source: string,
	ledger: Ledger,
	attempts = 60,
): Promise<{ lost: string[]; doubled: string[]; unknown: string[] }> {
	let counts = new Map<string, number>()
	const lost = () => [...ledger.acknowledged].filter((traceId) => !counts.has(traceId))
	let away = 0
	for (let attempt = 0; attempt < attempts; attempt += 1) {
		try {
			counts = await countStored(program, source)
		} catch (error) {
			// The engine may still be on its way back: then the program says so with a 503. What cannot be read is not lost.
			if (++away > maxAway) throw error
			attempt -= 1
		}
		if (lost().length === 0) break
		await new Promise((resolve) => setTimeout(resolve, 500))
	}
	const doubled = [...counts].filter(([, count]) => count > 1).map(([traceId]) => traceId)
	const unknown = [...counts.keys()].filter((traceId) => !ledger.sent.has(traceId))
	return { lost: lost(), doubled, unknown }
}
