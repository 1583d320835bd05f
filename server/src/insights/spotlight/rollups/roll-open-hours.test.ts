import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { spanInsert } from '../../../telemetry/blocks/native.testing.ts'
import { markHoursOf, newSpanRow, type SpanRow } from '../../../telemetry/index.ts'
import { readOverview } from '../breakdowns.ts'
import { startJoinedStore } from '../joined-store.testing.ts'
import { Joiner } from '../joins/join-arrived.ts'
import { compareAnswers, insertForBoth, startMs } from './differential.testing.ts'
import { planQuery } from './plan-query.ts'
import { createRandom, randomSpans, randomViews } from './random-spans.testing.ts'
import { rollOpenHours } from './roll-hours.ts'
import { dropOldRolls, findHours } from './rollup-repository.ts'

let started: Awaited<ReturnType<typeof startJoinedStore>>
beforeAll(async () => {
	started = await startJoinedStore()
})
afterAll(() => started.close())

const hours = 2
const range = { startMs: startMs - 3_600_000, endMs: startMs + (hours + 4) * 3_600_000 }
const plan = () => planQuery(started.store, 'w1', range)
/** Marks the hours of `w2` as being changed, so that they are read from the spans. */
const keepRaw = () =>
	started.store.command(
		`INSERT INTO call_hours (workspace_id, hour, marked_ms, changed_ms)
		SELECT workspace_id, hour, toUnixTimestamp64Milli(now64(3)) + 86400000 AS ahead, ahead FROM call_hours WHERE workspace_id = 'w2' GROUP BY workspace_id, hour`,
	)
async function takeSteps(): Promise<boolean> {
	await keepRaw()
	return rollOpenHours(started.store, new AbortController().signal, { spans: 1, quietMs: 0 })
}

/** Traces without anything in common by which their calls could be views of one another. */
const spans = randomSpans(createRandom(21), 200, startMs, hours).map((row) => {
	const own = (name: string) => name && `${name}-${row.traceId}`
	const { sessionId, toolName, model, modelRequested, source, spanId } = row
	return {
		...row,
		...{
			sessionId: own(sessionId),
			toolName: source === 'gateway' ? own(toolName) : toolName && `${toolName}-${spanId}-${row.traceId}`,
		},
		...{ model: own(model), modelRequested: own(modelRequested), usageSource: 'reported' as const },
	}
})
/** So that many traces arrive in several parts, some long after the others. */
const part = (number: number) => spans.filter((_, at) => (at * 7) % 5 === number)

test('what arrives in open hours is rolled up in steps, and traces that continue afterwards are read from the spans', async () => {
	for (const number of [0, 1, 2]) {
		await insertForBoth(started.store, part(number))
		await takeSteps()
	}
	await insertForBoth(started.store, part(3))
	const { open, reopened, raw } = await plan()
	expect(raw).toEqual([])
	expect(open?.stretches.length).toBeGreaterThan(2)
	expect(reopened.length).toBeGreaterThan(0)
	await compareAnswers(started.store, createRandom(30), 6)
}, 60_000)

test('a step replaces the rolls that have calls of such traces', async () => {
	expect(await takeSteps()).toBe(true)
	expect((await plan()).reopened).toEqual([])
	await compareAnswers(started.store, createRandom(31), 2)
	await dropOldRolls(started.store)
	await compareAnswers(started.store, createRandom(32), 2)
}, 60_000)

test('calls that are recorded in several traces are not read raw', async () => {
	expect((await plan()).open).not.toBeNull()
	await insertForBoth(started.store, randomViews(createRandom(40), 60, startMs, hours))
	await compareAnswers(started.store, createRandom(41), 2)
	await takeSteps()
	expect((await plan()).raw).toEqual([])
	await compareAnswers(started.store, createRandom(42), 4)
})

test('spans that were changed since cause their hours to be read raw', async () => {
	await markHoursOf(started.store, 'workspace_id = {w:String}', { w: 'w1' })
	expect((await findHours(started.store, 'w1', range)).open).toEqual([])
})

test.each([
	['another call', 3, { kind: 'model_call', model: 'gpt' }, 2],
	['a span above that names the session', 2, { kind: 'other', sessionId: 's1' }, 1],
] as const)(
	'a trace of which %s arrives while a query runs is counted once',
	async (what, id, fields, after) => {
		const workspaceId = what.replaceAll(' ', '-')
		const joiner = new Joiner(started.plain, systemClock, 'us')
		const span = (id: number, parent: string, more: Pick<SpanRow, 'kind'> & Partial<SpanRow>) =>
			newSpanRow({
				...{
					workspaceId,
					traceId: 'e'.repeat(32),
					spanId: String(id).padStart(16, '0'),
					parentSpanId: parent,
				},
				...{ name: 'step', source: 'otlp', status: 'ok', durationNs: 1_000_000n },
				startNs: BigInt(startMs) * 1_000_000n,
				...more,
			})
		const store = (row: SpanRow) =>
			started.plain.insertRowBinary({
				...spanInsert([row]),
				deduplicationToken: `${workspaceId}-${row.spanId}`,
			})
		await store(span(1, '0000000000000002', { kind: 'model_call', model: 'gpt' }))
		await joiner.join()
		await takeSteps()
		const calls = async (meanwhile: () => Promise<unknown>) => {
			let isFirst = true
			const query = async <Row>(sql: string, parameters: Record<string, unknown> = {}) => {
				const rows = await started.plain.query<Row>(sql, parameters)
				if (isFirst && sql.includes('SELECT DISTINCT toString(toUnixTimestamp(hour))')) {
					isFirst = false
					await meanwhile()
				}
				return rows
			}
			const found = await readOverview({ query, countable: () => joiner.countable() }, workspaceId, range)
			expect(isFirst).toBe(false)
			return found.calls
		}
		const goOn = async () => {
			await store(span(id, '', fields))
			await joiner.join()
		}
		expect(await calls(goOn)).toBe(1)
		expect(await calls(async () => {})).toBe(after)
	},
	60_000,
)
