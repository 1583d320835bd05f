import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { openTestRunner, until } from '../../../platform/jobs/testing.ts'
import { silentLog } from '../../../platform/log.ts'
import { encodeSpanRow, newSpanRow, type SpanRow, spanColumnNames } from '../../../telemetry/index.ts'
import { startTelemetryStore } from '../../../telemetry/store.testing.ts'
import { readOverview } from '../breakdowns.ts'
import { Arrivals } from '../joins/arrivals.ts'
import { Joiner } from '../joins/join-arrived.ts'
import { keepRollups } from './roll-hours.ts'

test('the job joins what arrives while the program runs, and ends with it', async () => {
	const started = await startTelemetryStore()
	const control = await openTestSqlite()
	const { jobs } = openTestRunner(control.store)
	let stored = 0
	let looks = 0
	let notify = () => {}
	const counting = {
		...started.store,
		query: ((...asked: Parameters<typeof started.store.query>) => {
			looks += 1
			return started.store.query(...asked)
		}) as typeof started.store.query,
	}
	const joiner = new Joiner(counting, systemClock, 'us')
	const log = {
		count: async () => {
			looks += 1
			return stored
		},
		onMore: (listener: () => void) => {
			notify = listener
		},
	}
	const arrivals = new Arrivals(log)
	keepRollups(jobs, counting, { joiner, arrivals, clock: systemClock, log: silentLog, stepMs: 200 })
	jobs.start()
	const startMs = Date.now()
	const seen = async (id: string, fields: Partial<SpanRow>) => {
		await started.store.insertRowBinary({
			...{ table: 'spans', columns: spanColumnNames, deduplicationToken: id },
			rows: encodeSpanRow(
				newSpanRow({
					...{
						workspaceId: 'w1',
						traceId: id.repeat(32),
						spanId: id.repeat(16),
						name: 'chat',
						source: 'otlp',
					},
					...{ kind: 'model_call', startNs: BigInt(startMs) * 1_000_000n },
					attributes: new Map([['gen_ai.response.id', 'chatcmpl-9f8e7d6c5b4a']]),
					...fields,
				}),
			),
		})
		stored += 1
		notify()
	}
	const held = { query: started.store.query, countable: () => joiner.countable() }
	const overview = () => readOverview(held, 'w1', { startMs: startMs - 60_000, endMs: startMs + 60_000 })
	await seen('a', { source: 'model_proxy' })
	await until(async () => (await overview()).calls === 1)
	await seen('b', { scopeName: 'sdk', userId: 'jane' })
	const calls: number[] = []
	await until(async () => {
		const figures = await overview()
		calls.push(figures.calls)
		return figures.users === 1
	})
	// Never both views, whenever it is queried.
	expect(Math.max(...calls)).toBe(1)
	expect(await overview()).toMatchObject({ calls: 1, users: 1 })
	// While nothing arrives, neither the store nor the log is queried.
	await until(async () => {
		const before = looks
		await sleep(1500)
		return looks === before
	})
	await jobs.close()
	await control.end()
	await started.close()
}, 120_000)

test('while nobody reads figures, steps wait for more rows', async () => {
	const started = await startTelemetryStore()
	const control = await openTestSqlite()
	const { jobs } = openTestRunner(control.store)
	const startNs = BigInt(Date.now()) * 1_000_000n
	const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')
	const count = 12_000
	const rows = Array.from({ length: count }, (_, at) =>
		encodeSpanRow(
			newSpanRow({
				...{ workspaceId: 'w1', traceId: hex(at + 1, 32), spanId: hex(at + 1, 16), name: 'chat', startNs },
				...{ source: 'otlp', kind: at === 0 ? 'model_call' : 'other', model: 'm' },
			}),
		),
	)
	await started.store.insertRowBinary({
		...{ table: 'spans', columns: spanColumnNames, rows, deduplicationToken: 'stream' },
	})
	let isWatched = false
	const arrivals = new Arrivals({ count: async () => count })
	await arrivals.mayHaveArrived()
	keepRollups(jobs, started.store, {
		...{ joiner: new Joiner(started.store, systemClock, 'us'), arrivals, clock: systemClock, log: silentLog },
		...{ stepMs: 200, isWatched: () => isWatched },
	})
	jobs.start()
	const rolled = async () => (await started.store.query('SELECT 1 FROM counted_calls LIMIT 1')).length > 0
	// A step includes what was stored three seconds ago.
	await sleep(5000)
	expect(await rolled()).toBe(false)
	isWatched = true
	await until(rolled)
	await jobs.close()
	await control.end()
	await started.close()
}, 120_000)
