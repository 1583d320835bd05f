import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ControlStore } from '../../platform/database/database.ts'
import { openPostgres } from '../../platform/database/open-control-store.ts'
import { openTestPostgres } from '../../platform/database/testing.ts'
import { silentLog } from '../../platform/log.ts'
import { type ProxyUnderTest, startProxy } from './testing/start-proxy.ts'
import { type MockProvider, startMockProvider } from './testing.ts'

let database: Awaited<ReturnType<typeof openTestPostgres>>
let secondStore: ControlStore
let proxies: ProxyUnderTest[]
let mock: MockProvider
let key: string

beforeAll(async () => {
	database = await openTestPostgres()
	secondStore = await openPostgres(database.url, silentLog)
	mock = await startMockProvider({ keepRequests: false })
	const masterKey = randomBytes(32)
	proxies = [await startProxy(database.store, { masterKey }), await startProxy(secondStore, { masterKey })]
	const [first, second] = proxies as [ProxyUnderTest, ProxyUnderTest]
	key = (await first.addKey(await first.addWorkspace())).secret
	const connection = { name: 'gpt', provider: 'openai', base_url: mock.url, key: 'sk-stored' }
	await first.api(key, 'POST', '/v1/provider-keys', connection)
	const rates = { in_text: '1000000000', out_text: '1000000000' }
	await first.api(key, 'POST', '/v1/prices', { model: 'gpt-mock*', rates })
	await second.feed.catchUp()
})
afterAll(async () => {
	for (const proxy of proxies ?? []) await proxy.close().catch(() => {})
	await secondStore?.close()
	await database?.end()
	await mock?.close()
})

/** Over 300 bytes, which bounds the 120 input tokens that the mock reports. With its 30 output tokens a call costs 150,000. */
const body = JSON.stringify({ model: 'gpt-mock', max_tokens: 30, padding: 'x'.repeat(300) })
const costOfCall = 150_000

async function call(proxy: ProxyUnderTest): Promise<number> {
	const headers = { 'x-service-api-key': key, authorization: 'Bearer sk-own' }
	const response = await fetch(`${proxy.url}/proxy/gpt/v1/chat/completions`, {
		method: 'POST',
		headers,
		body,
	})
	await response.arrayBuffer()
	return response.status
}

it('a thousand concurrent calls over two programs spend no more than a hard budget, and its count equals the ledger', async () => {
	const [first, second] = proxies as [ProxyUnderTest, ProxyUnderTest]
	const limit = 50_000_000
	const budget = { name: 'Cap', scope: 'workspace', window: 'month', limit: String(limit) }
	const { json } = await first.api(key, 'POST', '/v1/budgets', budget)
	await second.feed.catchUp()
	const calls = Array.from({ length: 1000 }, (_, at) => call(at % 2 === 0 ? first : second))
	const statuses = await Promise.all(calls)
	const passed = statuses.filter((status) => status === 200).length
	expect(statuses.every((status) => status === 200 || status === 402)).toBe(true)
	const ledger = [...first.recorded, ...second.recorded].reduce(
		(sum, row) => sum + (row.costNanoUsd ?? 0n),
		0n,
	)
	expect(Number(ledger)).toBe(passed * costOfCall)
	expect(Number(ledger)).toBeLessThanOrEqual(limit)
	// Nobody is refused while less than half is spent.
	expect(Number(ledger)).toBeGreaterThan(limit / 2)
	await first.budgets.close()
	await second.budgets.close()
	const { json: after } = await first.api(key, 'GET', `/v1/budgets/${json.id}`)
	expect(after.state).toMatchObject({ spent: String(ledger), reserved: '0', uncertain: '0' })
}, 60_000)
