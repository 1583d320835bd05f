import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../../server/src/program/program.testing.ts'
import { ask, figuresOf, lists, type Query, type QueryFigures } from './queries.ts'

const viewers = 8
/** The dashboard's polling intervals: figures and chart, and the list below them. */
const figuresEveryMs = 5_000
const listEveryMs = 10_000
const goalMs = 500

/**
 * Eight people view Spotlight for this long, half of them the last day and half seven days, each with a different list. Their
 * latencies are grouped by query.
 */
export async function watchScreens(program: Program, durationMs: number): Promise<QueryFigures[]> {
	const taken = new Map<string, { query: Query; latencies: number[]; refused: string | null }>()
	const untilMs = performance.now() + durationMs
	const repeat = async (noun: string, start: string, everyMs: number, firstMs: number) => {
		const query = {
			name: `${noun}, ${start.slice(1)}`,
			path: `/v1/spotlight/${noun}?start=${start}`,
			goalMs,
		}
		const own = taken.get(query.name) ?? { query, latencies: [] as number[], refused: null }
		taken.set(query.name, own)
		for (let dueMs = performance.now() + firstMs; dueMs < untilMs; dueMs += everyMs) {
			await sleep(Math.max(0, dueMs - performance.now()))
			await ask(program, query.path).then(
				(ms) => own.latencies.push(ms),
				(error: Error) => {
					own.refused = error.message
				},
			)
		}
	}
	await Promise.all(
		Array.from({ length: viewers }, (_, viewer) => {
			const start = viewer % 2 === 0 ? '-24h' : '-7d'
			const firstMs = (viewer * figuresEveryMs) / viewers
			return Promise.all([
				repeat('overview', start, figuresEveryMs, firstMs),
				repeat('timeseries', start, figuresEveryMs, firstMs),
				repeat(lists[viewer % lists.length] as string, start, listEveryMs, firstMs),
			])
		}),
	)
	return [...taken.values()].map(({ query, latencies, refused }) => figuresOf(query, latencies, refused))
}
