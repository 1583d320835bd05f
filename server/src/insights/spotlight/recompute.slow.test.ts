import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { encodeSpanRow, type SpanRow, spanColumnNames } from '../../telemetry/index.ts'
import { readOverview, readUsage, readWindows } from './breakdowns.ts'
import { callSource } from './call-source.ts'
import { startJoinedStore } from './joined-store.testing.ts'
import {
	type Condition,
	conditions,
	figuresOf,
	groupFields,
	groupsOf,
	isShown,
	withAttributes,
} from './recompute.testing.ts'
import { createRandom, type Random, randomSpans } from './rollups/random-spans.testing.ts'
import { rollDirtyHours } from './rollups/roll-hours.ts'
import { readTimeseries } from './timeseries.ts'

const questions = process.env.LONG_TESTS ? 1000 : 16
const startMs = Date.parse('2026-06-01T00:00:00Z')
const hourMs = 3_600_000
const hours = 6

let started: TestStore
let rows: SpanRow[]
/** Which views are counted, and their session and user, is tested elsewhere: here it is taken from the store. */
let counted: Map<string, { session: string; user: string }>
const keyOf = ({ traceId, spanId }: SpanRow) => `${traceId} ${spanId}`

beforeAll(async () => {
	started = await startJoinedStore()
	const random = createRandom(11)
	rows = randomSpans(random, 250, startMs, hours).map((row) => withAttributes(random, row))
	await started.store.insertRowBinary({
		table: 'spans',
		columns: spanColumnNames,
		rows: rows.map(encodeSpanRow),
		deduplicationToken: 'all',
	})
	await rollDirtyHours(started.store, new AbortController().signal, { afterMs: 0 })
	const source = await callSource(started.store, 'w1', {
		startMs: startMs - hourMs,
		endMs: startMs + 24 * hourMs,
	})
	const found = await started.store.query<{ key: string; session: string; user: string }>(
		`SELECT concat(lower(hex(trace_id)), ' ', lower(hex(span_id))) AS key, session_id AS session, user_id AS user ${source.from}`,
		source.parameters,
	)
	counted = new Map(found.map(({ key, ...names }) => [key, names]))
	rows = rows.flatMap((row) => {
		const names = counted.get(keyOf(row))
		if (names) return [{ ...row, sessionId: names.session, userId: names.user }]
		return row.kind === 'tool_call' || row.kind === 'model_call' ? [] : [row]
	})
})
afterAll(() => started?.close())

test(
	`the figures of ${questions} random queries equal those computed from the rows`,
	async () => {
		const random = createRandom(12)
		for (let asked = 0; asked < questions; asked += 4)
			await Promise.all(Array.from({ length: 4 }, () => compareWithSpans(randomQuestion(random))))
	},
	questions * 3000,
)

interface RandomQuery {
	read: 'overview' | 'usage' | 'timeseries'
	range: TimeRange
	conditions: Condition[]
	groupBy: string[]
	compare: boolean
	byChange: boolean
}

function randomQuestion(random: Random): RandomQuery {
	const pick = <T>(of: readonly T[]): T => of[random(of.length)] as T
	const unit = pick([1, 60_000, hourMs])
	const fromMs = startMs + random((hours * hourMs) / unit) * unit - pick([0, hourMs])
	return {
		read: pick(['overview', 'usage', 'timeseries'] as const),
		range: { startMs: fromMs, endMs: fromMs + pick([600_000, hourMs, 80 * 60_000, 6 * hourMs]) },
		conditions: Array.from({ length: random(3) }, () => pick(conditions)),
		groupBy: [...new Set(Array.from({ length: 1 + random(2) }, () => pick(Object.keys(groupFields))))],
		compare: random(2) === 1,
		byChange: random(3) === 0,
	}
}

async function compareWithSpans(query: RandomQuery): Promise<void> {
	const words = JSON.stringify({ ...query, conditions: query.conditions.map(({ text }) => text) })
	const [answered, expected] = await answers[query.read](query)
	expect(answered, words).toEqual(expected)
}

const inRange = ({ startMs: fromMs, endMs }: TimeRange, asked: readonly Condition[]) =>
	rows.filter((row) => {
		const atMs = Number(row.startNs / 1_000_000n)
		return atMs >= fromMs && atMs < endMs && asked.every(({ holds }) => holds(row))
	})
const callsIn = (range: TimeRange, asked: readonly Condition[]) =>
	inRange(range, asked).filter((row) => counted.has(keyOf(row)))
const before = ({ startMs: fromMs, endMs }: TimeRange) => ({ startMs: 2 * fromMs - endMs, endMs: fromMs })
const filterOf = ({ conditions: asked }: RandomQuery) =>
	asked.length > 0 ? { filter: asked.map(({ text }) => text) } : {}

const answers: Record<RandomQuery['read'], (query: RandomQuery) => Promise<[unknown, unknown]>> = {
	overview: async (query) => {
		const { range, conditions: asked, compare } = query
		const answer = await readOverview(started.store, 'w1', range, filterOf(query), { compare })
		const { start: _start, end: _end, ...figures } = answer
		const of = (wanted: TimeRange) =>
			figuresOf(callsIn(wanted, asked), inRange(wanted, asked).filter(isShown))
		// Alerts read the same figures for many windows at once.
		const windows = {
			firstEndMs: range.endMs,
			lengthMs: range.endMs - range.startMs,
			intervalMs: 700_000,
			count: 2,
		}
		const shifted = [0, windows.intervalMs].map((by) => ({
			startMs: range.startMs + by,
			endMs: range.endMs + by,
		}))
		expect(await readWindows(started.store, 'w1', windows, filterOf(query))).toEqual(shifted.map(of))
		// No call of these rows could be a view of one of several.
		return [figures, { ...of(range), ambiguous_calls: 0, ...(compare && { previous: of(before(range)) }) }]
	},
	usage: async (query) => {
		const { range, conditions: asked, groupBy, compare, byChange } = query
		const { usage, total } = await readUsage(started.store, 'w1', range, {
			...filterOf(query),
			...(compare && { compare: 'previous' as const }),
			...{ group_by: groupBy, sort: byChange ? ('calls_change' as const) : ('calls' as const), limit: 1000 },
		})
		const now = groupsOf(callsIn(range, asked), groupBy)
		const old = groupsOf(callsIn(before(range), asked), groupBy)
		const isCompared = compare || byChange
		const keys = byChange ? [...new Set([...now.keys(), ...old.keys()])] : [...now.keys()]
		const sizes = usage.map(({ calls, previous }) =>
			byChange ? Math.abs(calls - (previous?.calls ?? 0)) : calls,
		)
		expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
		const answered = usage.map(({ first_seen_at: _first, last_seen_at: _last, group, ...line }) => [
			JSON.stringify(Object.fromEntries(groupBy.map((name) => [name, group[name]]))),
			line,
		])
		const expected = keys.map((key) => {
			const previous = old.get(key)
			return [
				key,
				{
					...figuresOf(now.get(key) ?? []),
					...(isCompared && { previous: previous ? figuresOf(previous) : null }),
				},
			]
		})
		return [
			{ total, lines: Object.fromEntries(answered) },
			{ total: keys.length, lines: Object.fromEntries(expected) },
		]
	},
	timeseries: async (query) => {
		const { range, conditions: asked, groupBy, compare } = query
		const intervalMs = query.byChange ? hourMs : undefined
		const options = { groupBy, compare, intervalMs }
		const answer = await readTimeseries(started.store, 'w1', range, filterOf(query), options)
		const calls = callsIn(range, asked)
		const groups = groupsOf(calls, groupBy)
		const largest = [...groups.values()].map(({ length }) => length).sort((a, b) => b - a)
		const bucketsOf = (of: readonly SpanRow[], buckets: readonly { start: string }[] = answer.buckets) =>
			buckets.map(({ start }) => {
				const fromMs = Date.parse(start)
				const {
					calls: all,
					errors,
					tool_calls,
					model_calls,
					cost_nano_usd,
					cost_usd,
				} = figuresOf(
					of.filter(({ startNs }) => {
						const atMs = Number(startNs / 1_000_000n)
						return atMs >= fromMs && atMs < fromMs + answer.interval_ms
					}),
				)
				return { start, calls: all, errors, tool_calls, model_calls, cost_nano_usd, cost_usd }
			})
		const series = answer.series ?? []
		const previous = answer.previous_buckets ?? []
		const earlier = compare ? callsIn(before(range), asked) : []
		expect(previous.reduce((sum, bucket) => sum + bucket.calls, 0)).toBe(earlier.length)
		const withoutLatency = (buckets: typeof answer.buckets) =>
			buckets.map(({ latency_ms: _latency, total_tokens: _tokens, ...bucket }) => bucket)
		expect(series.map(({ buckets }) => buckets.reduce((sum, bucket) => sum + bucket.calls, 0))).toEqual(
			largest.slice(0, 10),
		)
		return [
			[
				withoutLatency(answer.buckets),
				withoutLatency(previous),
				series.map(({ buckets }) => withoutLatency(buckets)),
			],
			[
				bucketsOf(calls),
				bucketsOf(earlier, previous),
				series.map(({ group }) =>
					bucketsOf(
						groups.get(JSON.stringify(Object.fromEntries(groupBy.map((name) => [name, group[name]])))) ?? [],
					),
				),
			],
		]
	},
}
