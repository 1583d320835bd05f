import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { callJoins, traceLinks } from '../rollups/call-joins.ts'
import { spanColumnNames } from '../span-columns.ts'
import { newSpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { startTelemetryStore } from '../store.testing.ts'
import { dropExpired } from './partitions.ts'
import { openRetention, type RetentionView } from './retention.ts'

const dayMs = 24 * 60 * 60 * 1000
let engine: TestStore
beforeAll(async () => {
	engine = await startTelemetryStore()
})
afterAll(() => engine.close())

describeOnBothDatabases('how long telemetry is kept', (store) => {
	let app: TestApp
	let view: RetentionView
	beforeAll(async () => {
		app = await startTestApp(store(), {
			open: (core) => {
				const opened = openRetention({ ...core, telemetry: engine.store, retentionDays: 45, disk: null })
				view = opened.view
				return { operations: opened.operations }
			},
		})
	})
	afterAll(() => app.close())

	const unset = { traces_days: null, logs_days: null, metrics_days: null }
	const put = (body: object, token = app.owner.token) => app.request('PUT', '/v1/retention', { token, body })

	it("is the instance's until a workspace sets its own, for what arrives from then on", async () => {
		const person = await app.register()
		const shown = await app.request('GET', '/v1/retention', { token: person.token })
		expect(shown.body).toEqual({ ...unset, instance_days: 45 })
		expect(view.daysOf(person.workspaceId, 'traces')).toBe(45)
		const set = await put({ ...shown.body, traces_days: 7 }, person.token)
		expect([set.status, set.body]).toEqual([200, { ...unset, traces_days: 7, instance_days: 45 }])
		expect(view.daysOf(person.workspaceId, 'traces')).toBe(7)
		expect(view.daysOf(person.workspaceId, 'logs')).toBe(45)
		expect(view.daysOf(app.owner.workspaceId, 'traces')).toBe(45)
		await put(unset, person.token)
		expect(view.daysOf(person.workspaceId, 'traces')).toBe(45)
	})

	it("is one of five classes, and a workspace cannot set the instance's", async () => {
		expect((await put({ ...unset, logs_days: 8 })).status).toBe(400)
		expect((await put({ ...unset, instance_days: 90 })).status).toBe(400)
		expect((await put({ logs_days: 7 })).status).toBe(400)
	})
})

it('rows expire by whole partitions, each after its own retention and not a day earlier', async () => {
	const noon = Date.UTC(2026, 9, 1, 12)
	const row = (name: string, retentionDays: number) =>
		encodeSpanRow(
			newSpanRow({
				workspaceId: 'w1',
				traceId: 'a'.repeat(32),
				spanId: 'b'.repeat(16),
				name,
				source: 'otlp',
				kind: 'other',
				startNs: BigInt(noon) * 1_000_000n,
				retentionDays,
			}),
		)
	await engine.store.insertRowBinary({
		table: 'spans',
		columns: spanColumnNames,
		rows: [row('day', 1), row('week', 7), row('year', 365)],
		deduplicationToken: 'expire',
	})
	const namesAfter = async (days: number) => {
		await dropExpired(engine.store, noon + days * dayMs)
		const rows = await engine.store.query<{ name: string }>('SELECT name FROM spans ORDER BY name')
		return rows.map(({ name }) => name)
	}
	expect(await namesAfter(1)).toEqual(['day', 'week', 'year'])
	expect(await namesAfter(2)).toEqual(['week', 'year'])
	expect(await namesAfter(7)).toEqual(['week', 'year'])
	expect(await namesAfter(8)).toEqual(['year'])
	expect(await namesAfter(366)).toEqual([])
})

it('what is known of calls beyond their spans expires with them', async () => {
	const noon = Date.UTC(2026, 9, 1, 12)
	const at = `toDateTime(${noon / 1000}, 'UTC')`
	for (const days of [1, 7]) {
		await engine.store.command(
			`INSERT INTO ${callJoins} (workspace_id, retention_days, hour, user_id) SELECT 'w1', ${days}, toStartOfHour(${at}), 'jane'`,
		)
		await engine.store.command(
			`INSERT INTO ${traceLinks} (workspace_id, retention_days, started_at) SELECT 'w1', ${days}, ${at}`,
		)
	}
	await dropExpired(engine.store, noon + 2 * dayMs)
	for (const table of [callJoins, traceLinks])
		expect(await engine.store.query(`SELECT retention_days AS days FROM ${table}`)).toEqual([{ days: 7 }])
})

it('hours adjacent to an expired day are rolled up again, but not while it expires', async () => {
	const at = Date.UTC(2026, 8, 1, 0, 30)
	const row = {
		workspaceId: 'w3',
		traceId: 'a'.repeat(32),
		spanId: 'b'.repeat(16),
		name: 'n',
		retentionDays: 1,
	}
	await engine.store.insertRowBinary({
		table: 'spans',
		columns: spanColumnNames,
		rows: encodeSpanRow(
			newSpanRow({ ...row, source: 'otlp', kind: 'other', startNs: BigInt(at) * 1_000_000n }),
		),
		deduplicationToken: 'expire-rolled',
	})
	const aheadMs = async () => {
		const rows = await engine.store.query<{ hour: string; ahead: string }>(
			`SELECT toString(hour) AS hour, toInt64(max(marked_ms)) - toUnixTimestamp64Milli(now64(3)) AS ahead
			FROM call_hours WHERE workspace_id = 'w3' GROUP BY hour ORDER BY hour`,
		)
		return rows.map(({ hour, ahead }) => [hour, Number(ahead) > 0])
	}
	const hours = ['2026-08-31 23:00:00', '2026-09-01 00:00:00', '2026-09-01 01:00:00']
	expect(await aheadMs()).toEqual(hours.map((hour) => [hour, false]))
	await dropExpired(engine.store, at + 3 * dayMs)
	expect(await aheadMs()).toEqual(hours.map((hour) => [hour, true]))
})
