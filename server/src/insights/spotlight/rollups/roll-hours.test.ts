import { expect, test } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { openTestRunner, until } from '../../../platform/jobs/testing.ts'
import { silentLog } from '../../../platform/log.ts'
import { encodeSpanRow, newSpanRow, type SpanRow, spanColumnNames } from '../../../telemetry/index.ts'
import { startTelemetryStore } from '../../../telemetry/store.testing.ts'
import { readOverview } from '../overview.ts'
import { keepRollups } from './roll-hours.ts'

test('the job joins what arrives while the program runs, and ends with it', async () => {
	const started = await startTelemetryStore()
	const control = await openTestSqlite()
	const { jobs } = openTestRunner(control.store)
	keepRollups(jobs, started.store, { clock: systemClock, log: silentLog })
	jobs.start()
	const startMs = Date.now()
	const seen = (id: string, fields: Partial<SpanRow>) =>
		started.store.insertRowBinary({
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
	const overview = () =>
		readOverview(started.store, 'w1', { startMs: startMs - 60_000, endMs: startMs + 60_000 })
	await seen('a', { source: 'model_proxy' })
	await until(async () => (await overview()).calls === 1)
	await seen('b', { scopeName: 'sdk', userId: 'jane' })
	await until(async () => (await overview()).calls === 1)
	expect(await overview()).toMatchObject({ calls: 1, users: 1 })
	await jobs.close()
	await control.end()
	await started.close()
}, 30_000)
