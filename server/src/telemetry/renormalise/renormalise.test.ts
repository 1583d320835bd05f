import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { until } from '../../platform/jobs/testing.ts'
import { decodeSpanBlock } from '../blocks/span-block.ts'
import type { DecodeOptions } from '../otlp/decoded.ts'
import { requests, toJsonBody } from '../otlp/testing/requests.ts'
import { transcodeJson } from '../otlp/transcode-json.ts'
import { spanColumnNames } from '../span-columns.ts'
import { newSpanRow, type SpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { startTelemetryStore } from '../store.testing.ts'
import { mapperVersion, openRenormalisations, stagePartition, swapPartition } from './renormalise.ts'

let started: TestStore
beforeAll(async () => {
	started = await startTelemetryStore()
})
afterAll(() => started.close())

const dayNs = 86_400_000_000_000n
const nowNs = BigInt(Date.now()) * 1_000_000n
const spanId = (number: number) => number.toString(16).padStart(16, '0')

/** Spans of every dialect and of none, over two days, as the current mapper maps them. */
function mappedToday(): SpanRow[] {
	const samples = fc.sample(requests, 60).map((request) => {
		for (const { scopeSpans } of request.resourceSpans)
			for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
				const startTimeUnixNano = String(nowNs)
				Object.assign(span, { traceId: 'ab'.repeat(16), spanId: spanId(1), startTimeUnixNano })
			}
		return request
	})
	const rows = samples.flatMap((request) => decodeSpanBlock(transcodeJson(toJsonBody(request), options).rows))
	return rows.map((row, i) => ({ ...row, spanId: spanId(i + 1), startNs: nowNs - BigInt(i % 2) * dayNs }))
}

const options: DecodeOptions = {
	...{ workspaceId: '', retentionDays: 30, maxRowsBytes: 2 ** 26 },
	...{ oldestNs: 0n, nowNs, newestNs: 2n ** 63n - 1n },
}

/** The same span as mapped by a mapper that recognised nothing. */
function mappedBefore(row: SpanRow): SpanRow {
	const { attributes, resource, workspaceId, retentionDays, traceId, spanId, name, startNs } = row
	const {
		dialect: _,
		mapperVersion: __,
		...plain
	} = newSpanRow({
		...{ workspaceId, retentionDays, traceId, spanId, name, startNs, attributes, resource },
		...{ source: 'otlp', kind: 'other' },
	})
	const columns = Object.keys(plain).filter((key) => !mappedColumns.includes(key))
	const kept = Object.fromEntries(columns.map((key) => [key, row[key as keyof SpanRow]]))
	return { ...newSpanRow({ ...plain }), ...kept, serviceName: 'wrong', mapperVersion: mapperVersion - 1 }
}

const mappedColumns = [
	...['kind', 'errorType', 'toolName', 'mcpMethod', 'sessionId', 'userId', 'client', 'provider', 'model'],
	...['modelRequested', 'inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens', 'ledger'],
	...['reasoningTokens', 'usageSource', 'costNanoUsd', 'costSource', 'timeToFirstTokenNs', 'httpStatus'],
	...['rpcCode', 'dialect', 'mapperVersion', 'serviceName'],
]

async function insert(rows: readonly SpanRow[]): Promise<void> {
	const [first] = rows
	await started.store.insertRowBinary({
		...{ table: 'spans', columns: spanColumnNames, rows: rows.map(encodeSpanRow) },
		deduplicationToken: `${first?.workspaceId}-${rows.length}`.replaceAll(' ', '-'),
	})
}

const rowsOf = (workspace: string, more = '') =>
	started.store.query(
		`SELECT * EXCEPT (workspace_id, stored_at) FROM spans WHERE workspace_id = {workspace:String} ${more} ORDER BY span_id`,
		{ workspace },
	)

describeWithStore('mapping stored spans again', (store) => {
	let app: TestApp
	let workspace = ''
	const rows = mappedToday()
	beforeAll(async () => {
		app = await startTestApp(store(), {
			open: (core) => openRenormalisations({ ...core, telemetry: started.store }),
		})
		workspace = app.owner.workspaceId
		await insert(rows.map((row) => ({ ...row, workspaceId: `today of ${workspace}` })))
		await insert(rows.map((row) => mappedBefore({ ...row, workspaceId: workspace })))
		await insert(rows.map((row) => mappedBefore({ ...row, workspaceId: `other than ${workspace}` })))
		// Rows have the time of storing in milliseconds, and the watermark is half a second behind.
		await until(async () => (await settled()) > 0)
		app.jobs.start()
	})
	afterAll(() => app.close())

	const settled = async () => {
		const sql =
			'SELECT now64(3) > max(stored_at) + INTERVAL 600 MILLISECOND AS is FROM spans WHERE workspace_id LIKE {w:String}'
		return (await started.store.query<{ is: number }>(sql, { w: `%${workspace}` }))[0]?.is ?? 0
	}
	const call = (method: string, body?: object) =>
		app.request(method, '/v1/telemetry/renormalisations', { token: app.owner.token, ...(body && { body }) })
	const newest = async () => (await call('GET')).body.renormalisations[0]
	const done = () =>
		expect.poll(async () => (await newest()).status, { timeout: 50_000, interval: 100 }).toBe('done')
	const storedAt = () =>
		started.store.query(
			'SELECT span_id, stored_at FROM spans WHERE workspace_id = {workspace:String} ORDER BY span_id',
			{ workspace },
		)

	it('replaces rows of an older mapper by what the current mapper writes, and changes nothing else', async () => {
		const [others, times] = [await rowsOf(`other than ${workspace}`), await storedAt()]
		expect(await rowsOf(workspace)).not.toEqual(await rowsOf(`today of ${workspace}`))
		expect((await call('POST', {})).status).toBe(202)
		await done()
		expect(await newest()).toMatchObject({ spans: rows.length, finished_at: expect.any(String) })
		expect(await rowsOf(workspace)).toEqual(await rowsOf(`today of ${workspace}`))
		expect(await rowsOf(`other than ${workspace}`)).toEqual(others)
		expect(await storedAt()).toEqual(times)
	}, 60_000)

	it('finds nothing to do the second time', async () => {
		await call('POST', { start: '-90d', dialect: 'langfuse' })
		await done()
		expect((await newest()).spans).toBe(0)
	})

	it.each([0, 1, 2, 3])('continues after a kill %i statements into a swap', async (statements) => {
		const own = `killed after ${statements} in ${workspace}`
		const first = rows.filter(({ startNs }) => startNs === nowNs)
		await insert(first.map((row) => ({ ...row, workspaceId: `today ${own}` })))
		await insert(first.map((row) => mappedBefore({ ...row, workspaceId: own })))
		const [{ partition } = { partition: '' }] = await started.store.query<{ partition: string }>(
			'SELECT DISTINCT _partition_id AS partition FROM spans WHERE workspace_id = {own:String}',
			{ own },
		)
		const range = { startMs: 0, endMs: Date.now() + 1000, storedUpToMs: Date.now() + 1000 }
		const choice = { ...range, id: `of ${own}`, workspaceId: own, dialect: null, partition }
		// Another program's engine has what the killed one staged; this one has what was staged for another partition at most.
		const before = await rowsOf(own)
		await stagePartition(started.store, { ...choice, id: 'another' }, new AbortController().signal)
		expect(await swapPartition(started.store, choice)).toBe(false)
		expect(await rowsOf(own)).toEqual(before)
		expect(await stagePartition(started.store, choice, new AbortController().signal)).toBe(first.length)
		let left = statements
		const command = (sql: string, parameters?: Record<string, unknown>) => {
			if (!sql.startsWith('INSERT') && left-- === 0) throw new Error('killed')
			return started.store.command(sql, parameters)
		}
		await swapPartition({ ...started.store, command }, choice).catch((error: Error) => {
			if (error.message !== 'killed') throw error
		})
		expect(await swapPartition(started.store, choice)).toBe(statements < 3)
		expect(await rowsOf(own)).toEqual(await rowsOf(`today ${own}`))
	})
})
