import { priceDimensions } from '@signalbox/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import { dimensions, linesOf } from '../../ledger/ledger.ts'
import { manualClock } from '../../platform/clock.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { openPrices, type Prices } from './index.ts'

describeOnBothDatabases('prices of a workspace', (store) => {
	const clock = manualClock(Date.parse('2026-11-21T08:00:00Z'))
	let prices: Prices
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), {
			clock,
			open: (core) => {
				prices = openPrices({ ...core, telemetry: { query: async () => [], command: async () => {} } })
				return prices
			},
		})
	})
	afterAll(() => app?.close())

	const send = (method: string, path: string, body?: object) =>
		app.request(method, path, { token: app.owner.token, ...(body && { body }) })
	const set = async (body: object) => (await send('POST', '/v1/prices', body)).body
	/** The price of a call with a million tokens in and out. */
	const priceOf = (
		model: string,
		{ connection = 'c', provider = 'openai', workspaceId = app.owner.workspaceId, terms = {} } = {},
	) =>
		prices.priceCall({
			...{ connection, provider, workspaceId, model, terms },
			lines: linesOf({ in_text: 1_000_000, out_text: 1_000_000 }),
			startNs: BigInt(clock.nowMs()) * 1_000_000n,
		})

	it('applies at once, before the table, only in its workspace, and names its source', async () => {
		expect(priceOf('house-model').costNanoUsd).toBeNull()
		const { id } = await set({ model: 'house-*', rates: { in_text: '100', out_text: '300' } })
		const { costNanoUsd, ledger } = priceOf('House-model')
		expect(costNanoUsd).toBe(400n)
		expect(ledger[0]?.price).toBe(`operator ${id} house-* 2026-11-21`)
		expect(priceOf('house-model', { workspaceId: 'other' }).costNanoUsd).toBeNull()
		expect(priceOf('house-model', { terms: { serviceTier: 'gold' } }).costNanoUsd).toBe(400n)
	})

	it('a factor applies to the price of the table; a rate of one dimension leaves the others unchanged', async () => {
		const [before] = [priceOf('gpt-4o')]
		await set({ model: 'gpt-4o', factor: '1/2' })
		expect(priceOf('gpt-4o').costNanoUsd).toBe((before.costNanoUsd ?? 0n) / 2n)
		expect(priceOf('gpt-4o').ledger[0]?.price).toMatch(/^operator .* on genai-prices /)
		await set({ model: 'gpt-4o', connection: 'azure-like', rates: { in_text: '7' } })
		const [input, output] = priceOf('gpt-4o', { connection: 'azure-like' }).ledger
		expect(input?.costNanoUsd).toBe(7n)
		expect(output?.price).toMatch(/^genai-prices /)
	})

	it('begins and ends at the given times', async () => {
		const from = new Date(clock.nowMs() + 60_000).toISOString()
		const { id } = await set({ model: 'later', rates: { in_text: '1', out_text: '1' }, effective_from: from })
		expect(priceOf('later').costNanoUsd).toBeNull()
		clock.advance(60_000)
		await app.feed.catchUp()
		expect(priceOf('later').costNanoUsd).toBe(2n)
		expect((await send('POST', `/v1/prices/${id}/end`, {})).status).toBe(201)
		expect(priceOf('later').costNanoUsd).toBeNull()
		expect((await send('POST', `/v1/prices/${id}/end`, {})).status).toBe(409)
		const { body } = await send('GET', '/v1/prices?limit=100')
		expect(body.prices.map((price: { id: string }) => price.id)).toContain(id)
		expect(body.table).toMatchObject({ source: 'genai-prices' })
	})

	it('shows what a model costs now', async () => {
		const { body } = await send('GET', '/v1/prices/effective?provider=anthropic&model=claude-opus-5')
		const rate = (name: string) => body.rates.find((one: { dimension: string }) => one.dimension === name)
		expect(rate('in_text')).toMatchObject({ nano_usd_per_million: '5000000000', factor: '1/1' })
		const none = await send('GET', '/v1/prices/effective?provider=anthropic&model=unheard-of')
		expect(none.body.rates).toEqual([])
	})

	it.each([
		['nothing', {}],
		['a price below zero', { rates: { in_text: '-1' } }],
		['a fraction', { rates: { in_text: '0.5' } }],
		['an unknown dimension', { rates: { thoughts: '1' } }],
		['a division by zero', { factor: '1/0' }],
		['the past', { factor: '1/2', effective_from: '2026-11-01T00:00:00.000Z' }],
		['an end before the start', { factor: '1/2', effective_until: '2026-11-01T00:00:00.000Z' }],
	])('refuses %s', async (_name, fields) => {
		const { status, body } = await send('POST', '/v1/prices', { model: 'm', ...fields })
		expect([status, body.code]).toEqual([400, 'invalid_request'])
	})

	it('the contract knows the dimensions of the ledger', () => {
		expect([...priceDimensions].sort()).toEqual(Object.keys(dimensions).sort())
	})

	it('is invisible to other workspaces', async () => {
		const { id } = await set({ model: 'ours', factor: '1/2' })
		const { token } = await app.register()
		expect((await app.request('POST', `/v1/prices/${id}/end`, { token, body: {} })).status).toBe(404)
		expect((await app.request('GET', '/v1/prices', { token })).body.prices).toEqual([])
	})
})
