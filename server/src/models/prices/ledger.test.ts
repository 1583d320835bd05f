import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import { openSpotlight } from '../../insights/spotlight/spotlight.ts'
import { createPriceCall, linesOf, toDecimalUsd } from '../../ledger/ledger.ts'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { openTestSqlite } from '../../platform/database/testing.ts'
import { encodeSpanRow, newSpanRow, type SpanRow, spanColumnNames } from '../../telemetry/index.ts'
import { startTelemetryStore } from '../../telemetry/store.testing.ts'
import { openPrices } from './index.ts'

let app: TestApp
let telemetry: TestStore
let database: Awaited<ReturnType<typeof openTestSqlite>>
const calls = 300

beforeAll(async () => {
	database = await openTestSqlite()
	telemetry = await startTelemetryStore()
	app = await startTestApp(database.store, {
		open: (core) => {
			const prices = openPrices({ ...core, telemetry: telemetry.store })
			const spotlight = openSpotlight({ ...core, telemetry: telemetry.store } as never)
			return { operations: [...prices.operations, ...spotlight.operations] }
		},
	})
	const rows = Array.from({ length: calls }, (_, at) => encodeSpanRow(callOf(at)))
	const columns = spanColumnNames
	await telemetry.store.insertRowBinary({ table: 'spans', columns, rows, deduplicationToken: 'ledger' })
})
afterAll(async () => {
	await app?.close()
	await telemetry?.close()
	await database?.end()
})

const models = ['gpt-4o', 'gpt-4o-mini', 'unheard-of']
const priceCall = createPriceCall()

/** Calls with every kind of usage, a third of them without a price. */
function callOf(at: number): SpanRow {
	const model = models[at % models.length] as string
	const startNs = (BigInt(Date.now()) - BigInt(at) * 1000n) * 1_000_000n
	const lines = linesOf({ in_text: 17 * at + 1, cache_read: 3 * at, out_text: at * at })
	return newSpanRow({
		workspaceId: app.owner.workspaceId,
		traceId: at.toString(16).padStart(32, '0'),
		spanId: at.toString(16).padStart(16, '0'),
		name: 'chat',
		source: 'model_proxy',
		kind: 'model_call',
		status: 'ok',
		agentId: `agent-${at % 2}`,
		connection: 'gpt',
		provider: 'openai',
		modelRequested: model,
		model,
		startNs,
		durationNs: 1n,
		...priceCall({ provider: 'openai', model, lines, startNs }),
	})
}

const get = async (path: string) => (await app.request('GET', path, { token: app.owner.token })).body

it('the sums of the ledger are those of Spotlight, to the nano', async () => {
	const [ledger, overview] = [await get('/v1/ledger'), await get('/v1/spotlight/overview')]
	expect(ledger.sums.cost_nano_usd).toBe(overview.cost_nano_usd)
	expect(BigInt(ledger.sums.cost_nano_usd)).toBeGreaterThan(0n)
	expect(overview.unpriced_calls).toBe(calls / 3)
})

it('shows each row once over all pages, and the rows add up', async () => {
	let path = '/v1/ledger?limit=97'
	const rows: { trace_id: string; line: number; cost_nano_usd: string | null; cost_usd: string | null }[] = []
	for (let cursor: string | null = ''; cursor !== null; ) {
		const page = await get(cursor ? `${path}&cursor=${encodeURIComponent(cursor)}` : path)
		rows.push(...page.ledger)
		cursor = page.next_cursor
		path = '/v1/ledger?limit=97'
	}
	const { sums } = await get('/v1/ledger?limit=1')
	expect(rows).toHaveLength(sums.rows)
	expect(new Set(rows.map(({ trace_id, line }) => `${trace_id} ${line}`)).size).toBe(rows.length)
	const total = rows.reduce((sum, { cost_nano_usd }) => sum + BigInt(cost_nano_usd ?? 0), 0n)
	expect(String(total)).toBe(sums.cost_nano_usd)
	for (const { cost_nano_usd, cost_usd } of [...rows, sums])
		expect(cost_usd).toBe(cost_nano_usd === null ? null : toDecimalUsd(BigInt(cost_nano_usd)))
	expect(rows.filter(({ cost_nano_usd }) => cost_nano_usd === null)).toHaveLength(sums.unpriced_rows)
})

it('filters by who called and what was billed', async () => {
	const asked = '&model=gpt-4o&dimension=out_text'
	const { ledger, sums } = await get(`/v1/ledger?agent_uuid=agent-1${asked}`)
	expect(await get(`/v1/ledger?agent=agent-1${asked}`)).toMatchObject({ ledger, sums })
	expect(sums.rows).toBe(50)
	for (const row of ledger)
		expect(row).toMatchObject({ agent_uuid: 'agent-1', model: 'gpt-4o', dimension: 'out_text' })
	const stranger = await app.register()
	const theirs = await app.request('GET', '/v1/ledger', { token: stranger.token })
	expect(theirs.body).toMatchObject({ ledger: [], sums: { rows: 0, cost_nano_usd: '0' } })
})

it('lists the models without a price', async () => {
	const { models: found } = await get('/v1/prices/unpriced')
	expect(found).toHaveLength(1)
	expect(found[0]).toMatchObject({ connection: 'gpt', model: 'unheard-of', calls: calls / 3 })
	const { workspaceId } = app.owner
	const own = newSpanRow({
		...{ workspaceId, traceId: 'e'.repeat(32), spanId: 'e'.repeat(16), name: 'chat', source: 'otlp' },
		...{ kind: 'model_call', status: 'ok', model: 'unheard-of', startNs: BigInt(Date.now()) * 1_000_000n },
	})
	const ids = { ...own, traceId: '2'.padStart(32, '0'), spanId: 'd'.repeat(16), model: 'by-the-client' }
	const rows = [own, ids].map((row) => encodeSpanRow(row))
	await telemetry.store.insertRowBinary({
		...{ table: 'spans', columns: spanColumnNames, rows, deduplicationToken: 'views' },
	})
	// The second is a view of the call that the proxy recorded.
	await telemetry.store.command(
		`INSERT INTO call_joins (workspace_id, hour, started_at, trace_id, span_id, is_hidden)
		SELECT workspace_id, toStartOfHour(started_at), started_at, trace_id, span_id, 1 FROM spans
		WHERE workspace_id = {workspace:String} AND model = 'by-the-client'`,
		{ workspace: workspaceId },
	)
	const { models: listed } = await get('/v1/prices/unpriced')
	expect(listed.map((one: { calls: number }) => one.calls)).toEqual([calls / 3, 1])
	const { unpriced_calls: counted } = await get('/v1/spotlight/overview')
	expect(counted).toBe(calls / 3 + 1)
})
