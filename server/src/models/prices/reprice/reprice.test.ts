import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestAnswer, type TestApp } from '../../../accounts/identity/testing.ts'
import type { TestPerson } from '../../../accounts/identity/testing-people.ts'
import { createPriceCall, linesOf } from '../../../ledger/ledger.ts'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { newId } from '../../../platform/ids.ts'
import {
	encodeSpanRow,
	ledgerList,
	newSpanRow,
	type RecorderStats,
	type SpanRow,
	spanColumnNames,
} from '../../../telemetry/index.ts'
import { startTelemetryStore } from '../../../telemetry/store.testing.ts'
import { openPrices } from '../index.ts'

let telemetry: TestStore
beforeAll(async () => {
	telemetry = await startTelemetryStore()
})
afterAll(() => telemetry?.close())

const models = ['gpt-4o', 'gpt-4o-mini', 'unheard-of', 'claude-opus-5']
const calls = 2600
const rates = { in_text: 1_000_000_007, cache_read: 333_333_333, out_text: 2_000_000_001 }
const hourMs = 3_600_000
const priceCall = createPriceCall()
const priceless = { provider: 'openai_compatible', model: 'gone', startNs: 0n }
const sinceMs = Date.now() - 20 * hourMs
const noStats: RecorderStats = {
	...{
		acknowledgedRows: 0,
		storedRows: 0,
		pendingRows: 0,
		quarantinedRows: 0,
		damagedRecords: 0,
		damagedRows: 0,
	},
	...{ openCalls: 0, walBytes: 0, walMaxBytes: 0, oldestPendingMs: 0, lastFlushMs: 0 },
	...{ writeFailure: null, refusal: null, shipFailure: null },
}

describeWithStore('pricing again', (store) => {
	let app: TestApp
	let person: TestPerson
	const rows: SpanRow[] = []
	/** Acknowledged, but not in the store yet. */
	let inLog: SpanRow | null = null
	const commands: string[] = []
	let onCommand: (() => Promise<void>) | null = null
	beforeAll(async () => {
		app = await startTestApp(store(), {
			open: (core) =>
				openPrices({
					...{ ...core, recorder },
					telemetry: {
						query: (...query) => telemetry.store.query(...query),
						command: async (...command) => {
							commands.push(command[0])
							await onCommand?.()
							return telemetry.store.command(...command)
						},
					},
					statsOfAll: async () => ({ ...noStats, pendingRows: inLog ? 1 : 0, oldestPendingMs: hourMs }),
				}),
		})
		person = await app.register()
		rows.push(...Array.from({ length: calls }, (_, at) => callOf(at)))
		await insert(rows)
	})
	afterAll(() => app?.close())

	const insert = (some: readonly SpanRow[]) =>
		telemetry.store.insertRowBinary({
			table: 'spans',
			columns: spanColumnNames,
			rows: some.map((row) => encodeSpanRow(row)),
			deduplicationToken: `${person.workspaceId}:${some.at(-1)?.spanId}`,
		})
	async function storeLog(): Promise<boolean> {
		const wasInLog = inLog !== null
		if (inLog) await insert([inLog])
		inLog = null
		return wasInLog
	}
	const recorder = { storeSoon: () => void storeLog(), watched: storeLog }

	/** Calls on two days in every hour, some with terms that change their price. */
	function callOf(at: number): SpanRow {
		const model = models[at % models.length] as string
		const provider = model.startsWith('claude') ? 'anthropic' : 'openai'
		const startNs = BigInt(sinceMs + Math.floor((at * 19 * hourMs) / calls)) * 1_000_000n
		const lines = linesOf({ in_text: 17 * at + 1, cache_read: 3 * at, out_text: at * at })
		const geo = provider === 'anthropic' && at % 8 === 3 ? 'us' : ''
		const batch = at % 8 === 1
		return newSpanRow({
			workspaceId: person.workspaceId,
			traceId: (at + 1).toString(16).padStart(32, '0'),
			spanId: (at + 1).toString(16).padStart(16, '0'),
			name: 'chat',
			source: 'model_proxy',
			kind: 'model_call',
			status: 'ok',
			connection: 'gpt',
			provider,
			modelRequested: model,
			model,
			startNs,
			durationNs: 1n,
			attributes: new Map<string, string | boolean>([
				// OpenAI's form has no such field, but gateways in front of Claude write it.
				['signalbox.usage', JSON.stringify({ inference_geo: provider === 'openai' ? 'us' : geo })],
				...(batch ? ([['signalbox.batch', true]] as const) : []),
			]),
			...priceCall({ provider, model, lines, startNs, terms: { geo, batch } }),
		})
	}

	const send = async (method: string, path: string, body?: object) => {
		const answer = await app.request(method, path, { token: person.token, ...(body && { body }) })
		expect([path, answer.status]).toEqual([
			path,
			method === 'POST' && path.startsWith('/v1/prices') ? 201 : 200,
		])
		return answer.body
	}
	const reprice = (body: object) => send('POST', '/v1/ledger/reprice', { start: '-2d', ...body })
	const sums = async () => (await send('GET', '/v1/ledger?start=-2d&limit=1')).sums

	/** Rounds half to even, with integers only. */
	function costOf(quantity: number, rate: number): bigint {
		const [whole, rest] = [
			(BigInt(quantity) * BigInt(rate)) / 1_000_000n,
			(BigInt(quantity) * BigInt(rate)) % 1_000_000n,
		]
		return rest > 500_000n || (rest === 500_000n && whole % 2n === 1n) ? whole + 1n : whole
	}
	const own = ({ ledger }: SpanRow) =>
		ledger.reduce((sum, { dimension, quantity }) => sum + costOf(quantity, rates[dimension as 'in_text']), 0n)
	const total = (of: (row: SpanRow) => bigint | null) => rows.reduce((sum, row) => sum + (of(row) ?? 0n), 0n)

	it('with unchanged prices changes nothing', async () => {
		const { changed, calls: seen, cost_before_nano_usd: before, ...rest } = await reprice({ dry_run: false })
		expect([changed, seen, before]).toEqual([0, calls, String(total(({ costNanoUsd }) => costNanoUsd))])
		expect(rest).toMatchObject({ cost_after_nano_usd: before, unpriced_before: calls / 4 })
	})

	it('calls that were recorded before their connection had a vendor are priced by that of their connection', async () => {
		const lines = linesOf({ in_text: 1_000_000 })
		const target = { provider: 'openai_compatible', model: 'llama-3.3-70b-versatile' }
		const row = newSpanRow({
			...{ workspaceId: person.workspaceId, traceId: 'f'.repeat(32), spanId: 'f'.repeat(16), name: 'chat' },
			...{ source: 'model_proxy', kind: 'model_call', status: 'ok', connection: 'llama' },
			startNs: BigInt(sinceMs - 40 * hourMs) * 1_000_000n,
			...{ ...target, ...priceCall({ ...target, lines, startNs: BigInt(sinceMs) * 1_000_000n }) },
		})
		await telemetry.store.insertRowBinary({
			...{ table: 'spans', columns: spanColumnNames, rows: encodeSpanRow(row) },
			deduplicationToken: `${person.workspaceId}-llama`,
		})
		const times = { last_used_at: null, created_at: 1, updated_at: 1 }
		await store()
			.db.insertInto('connections')
			.values({
				...{ id: row.traceId, workspace_id: person.workspaceId, name: 'llama', provider: target.provider },
				...{ base_url: 'https://api.groq.com/openai/v1', sealed_key: null, last4: null, priced_as: null },
				...{ record_bodies: 1, inject_usage: 0, ...times },
			})
			.execute()
		const range = { start: '-3d', end: '-2d' }
		expect(await reprice(range)).toMatchObject({
			...{ calls: 1, changed: 1, unpriced_before: 1, unpriced_after: 0, cost_after_nano_usd: '590000000' },
		})
		const asked = `provider=${target.provider}&model=${target.model}&connection=llama`
		const { rates } = await send('GET', `/v1/prices/effective?${asked}`)
		expect(rates).toContainEqual(expect.objectContaining({ nano_usd_per_million: '590000000' }))
	})

	it('a call whose connection is gone keeps the prices that were set for the kind of it', async () => {
		const rate = { in_text: '1000000' }
		const { id } = await send('POST', '/v1/prices', {
			model: 'gone',
			provider: 'openai_compatible',
			rates: rate,
		})
		const row = newSpanRow({
			...{ workspaceId: person.workspaceId, traceId: 'd'.repeat(32), spanId: 'd'.repeat(16), name: 'chat' },
			...{ source: 'model_proxy', kind: 'model_call', status: 'ok', connection: 'gone', model: 'gone' },
			startNs: BigInt(sinceMs - 70 * hourMs) * 1_000_000n,
			attributes: new Map([['signalbox.connection.provider', 'openai_compatible']]),
			...{
				provider: 'groq',
				ledger: priceCall({ ...priceless, lines: linesOf({ in_text: 7_000_000 }) }).ledger,
			},
		})
		await telemetry.store.insertRowBinary({
			...{ table: 'spans', columns: spanColumnNames, rows: encodeSpanRow(row) },
			deduplicationToken: `${person.workspaceId}-gone`,
		})
		const range = { start: '-5d', end: '-3d' }
		expect(await reprice(range)).toMatchObject({ calls: 1, changed: 1, cost_after_nano_usd: '7000000' })
		expect((await send('POST', `/v1/prices/${id}/end`, {})).id).toBe(id)
	})

	it('in a dry run returns the new sums, and changes nothing', async () => {
		const given = Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, String(rate)]))
		await send('POST', '/v1/prices', { model: 'unheard*', rates: given })
		const before = await sums()
		const answer = await reprice({})
		const unheard = total((row) => (row.model === 'unheard-of' ? own(row) : 0n))
		expect(answer).toMatchObject({ revision: null, changed: calls / 4, unpriced_after: 0 })
		const more = BigInt(answer.cost_after_nano_usd) - BigInt(answer.cost_before_nano_usd)
		expect(more).toBe(unheard)
		expect(answer.models[0]).toMatchObject({ model: 'unheard-of', cost_after_nano_usd: String(unheard) })
		expect(await sums()).toEqual(before)
		expect((await reprice({ own_prices: 'at_call' })).changed).toBe(0)
		expect((await reprice({ models: ['gpt-*'] })).changed).toBe(0)
		expect((await reprice({ models: ['un_eard-of'] })).calls).toBe(0)
	})

	it('writes a version that every sum uses, exact to the nano, and keeps the previous one', async () => {
		const { revision, changed } = await reprice({ dry_run: false, models: ['unheard-*'] })
		expect([changed, typeof revision]).toEqual([calls / 4, 'string'])
		const expected = total((row) => (row.model === 'unheard-of' ? own(row) : row.costNanoUsd))
		expect(await sums()).toMatchObject({ cost_nano_usd: String(expected), unpriced_rows: 0 })
		const [stored] = await telemetry.store.query<{ sum: string; lines: string }>(
			`SELECT toString(sum(cost_nano_usd)) AS sum, toString(sum(arraySum(x -> ifNull(x, 0), ${ledgerList('ledger_cost_nano_usd')}))) AS lines
			FROM spans WHERE workspace_id = {workspace:String}`,
			{ workspace: person.workspaceId },
		)
		expect(stored).toEqual({ sum: String(expected), lines: String(expected) })
		const row = rows.find(({ model }) => model === 'unheard-of') as SpanRow
		const readVersions = async () =>
			(await send('GET', `/v1/ledger/versions?trace_id=${row.traceId}&span_id=${row.spanId}`)).versions
		const versions = await readVersions()
		// What a repricing leaves that is killed before the call gets the version.
		await telemetry.store.command(
			`INSERT INTO ledger_versions SELECT * REPLACE ('zzz' AS revision, 1 AS cost_nano_usd) FROM ledger_versions
			WHERE workspace_id = {workspace:String} AND span_id = unhex({span:String}) AND revision != ''`,
			{ workspace: person.workspaceId, span: row.spanId },
		)
		expect(await readVersions()).toEqual(versions)
		expect(versions).toMatchObject([
			{ revision: null, cost_nano_usd: null },
			{ revision, cost_nano_usd: String(own(row)) },
		])
		expect(versions[0].rows[0]).toMatchObject({
			cost_nano_usd: null,
			nano_usd_per_million: null,
			price: null,
		})
		expect((await reprice({ dry_run: false })).changed).toBe(0)
		const { audit } = await send('GET', '/v1/audit?action=ledger.reprice&limit=1')
		expect(audit[0]).toMatchObject({ target: { kind: 'ledger_revision' }, detail: { own_prices: 'now' } })
	})

	it('is refused while another one runs, which could overwrite its prices with older ones', async () => {
		const rate = { in_text: '5', cache_read: '5', out_text: '5' }
		await send('POST', '/v1/prices', { model: 'unheard*', rates: rate })
		const answers: TestAnswer[] = []
		const body = { start: '-2d', dry_run: false, own_prices: 'at_call' }
		onCommand = async () => {
			onCommand = null
			answers.push(await app.request('POST', '/v1/ledger/reprice', { token: person.token, body }))
		}
		const { changed } = await reprice({ dry_run: false })
		expect(answers).toMatchObject([{ status: 409, body: { code: 'conflict' } }])
		expect(changed).toBe(calls / 4)
	})

	it('leaves out a version that a killed repricing left, also after the call got a later one', async () => {
		const row = rows.find(({ model }) => model === 'unheard-of') as SpanRow
		const readCosts = async () => {
			const { versions } = await send(
				'GET',
				`/v1/ledger/versions?trace_id=${row.traceId}&span_id=${row.spanId}`,
			)
			return versions.map((version: { cost_nano_usd: string }) => version.cost_nano_usd)
		}
		const before = await readCosts()
		const leftBy = (revision: string) =>
			telemetry.store.command(
				`INSERT INTO ledger_versions SELECT * REPLACE ({revision:String} AS revision, 1 AS cost_nano_usd) FROM (
					SELECT * FROM ledger_versions WHERE workspace_id = {workspace:String} AND span_id = unhex({span:String}) AND revision = ''
				)`,
				{ workspace: person.workspaceId, span: row.spanId, revision },
			)
		await leftBy(newId(Date.now()))
		await leftBy(newId(Date.now()))
		const rate = { in_text: '7', cache_read: '7', out_text: '7' }
		await send('POST', '/v1/prices', { model: 'unheard*', rates: rate })
		await reprice({ dry_run: false })
		const after = await readCosts()
		expect(after).toHaveLength(before.length + 1)
		expect(after.slice(0, -1)).toEqual(before)
	})

	it('reads its values in one subquery, since an erasure between two would give calls the prices of others', () => {
		const update = commands.find((sql) => sql.startsWith('ALTER TABLE spans UPDATE'))
		const lists = update?.match(/\(SELECT [^()]*\(?groupArray.*?ORDER BY trace_id, span_id\)/gs)
		expect(lists?.length).toBeGreaterThan(1)
		expect(new Set(lists).size).toBe(1)
	})

	it('causes new rollups of the changed hours', async () => {
		const [marked] = await telemetry.store.query<{ hours: string }>(
			`SELECT toString(count()) AS hours FROM (SELECT hour FROM call_hours WHERE workspace_id = {workspace:String}
			GROUP BY hour HAVING max(marked_ms) > toUnixTimestamp64Milli(now64(3)))`,
			{ workspace: person.workspaceId },
		)
		expect(Number(marked?.hours)).toBeGreaterThanOrEqual(20)
	})

	it('does not reach another workspace', async () => {
		const { token } = await app.register()
		const body = { start: '-2d', dry_run: false }
		expect((await app.request('POST', '/v1/ledger/reprice', { token, body })).body).toMatchObject({
			calls: 0,
		})
	})

	it('includes calls that only the log has when it is asked for, and so does the ledger', async () => {
		inLog = callOf(calls + 2)
		const { changed, cost_after_nano_usd } = await reprice({ dry_run: false })
		const before = await sums()
		expect([inLog, changed, cost_after_nano_usd]).toEqual([null, 1, before.cost_nano_usd])
		const late = callOf(calls)
		inLog = late
		expect((await sums()).rows).toBe(before.rows + late.ledger.length)
	})
})
