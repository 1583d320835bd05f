import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { canary } from '../testing/proxy-stage.ts'
import { type ProxyUnderTest, startProxy, until } from '../testing/start-proxy.ts'
import { type MockProvider, startMockProvider } from '../testing.ts'
import { Conversations } from './read-contents.ts'

let proxy: ProxyUnderTest
let mock: MockProvider
let key: string
let end: () => Promise<void>
beforeAll(async () => {
	const database = await openTestSqlite()
	mock = await startMockProvider()
	proxy = await startProxy(database.store)
	end = async () => {
		await proxy.close()
		await mock.close()
		await database.end()
	}
})
afterAll(() => end())
beforeEach(async () => {
	key = (await proxy.addKey(await proxy.addWorkspace())).secret
	const connection = { name: 'gpt', provider: 'openai', base_url: mock.url, key: canary }
	await proxy.api(key, 'POST', '/v1/provider-keys', connection)
})

const say = (content: string) => ({ role: 'user', content })
const reply = { role: 'assistant', content: 'Hi.' }

/** Sends a request that is refused with this status, or answered, and returns its session. */
async function send(refusal: number | null, ...messages: object[]): Promise<string> {
	mock.intercept = refusal === null ? null : (_received, response) => refuse(response, refusal)
	const before = proxy.recorded.length
	const response = await fetch(`${proxy.url}/proxy/gpt/v1/chat/completions`, {
		method: 'POST',
		headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'gpt-5.6-sol', messages }),
	})
	await response.text()
	await until(() => proxy.recorded.length > before)
	return proxy.recorded[before]?.sessionId ?? ''
}

function refuse(response: ServerResponse, status: number): true {
	response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
	response.end(JSON.stringify({ error: { message: 'Not now.', type: 'rate_limit_error' } }))
	return true
}

it.each([429, 500, 503])(
	'a call that is made again after a %i has the session of the first',
	async (status) => {
		const first = await send(status, say('A'))
		expect(first).toMatch(/^inferred:/)
		expect(await send(status, say('A'))).toBe(first)
		expect(await send(null, say('A'))).toBe(first)
		expect(await send(null, say('A'), reply, say('more'))).toBe(first)
		expect(await send(null, say('A'))).not.toBe(first)
	},
)

it('a call that was refused for good is not retried, and neither is one that was answered', async () => {
	for (const status of [400, 401, 404, null]) {
		const first = await send(status, say(`${status}`))
		expect(await send(null, say(`${status}`))).not.toBe(first)
	}
})

it('each failed call is retried by one other, which of the same model, which begins after its end and not too late', () => {
	const conversations = new Conversations()
	const links = { own: 'k', earlier: [], uses: [] }
	const sessionOf = (fresh: string, startMs: number, model = 'm') =>
		conversations.sessionOf(links, fresh, { model, startMs })
	const fail = (session: string, startMs: number, endMs: number) =>
		conversations.noteFailed(links, { model: 'm' }, { session: sessionOf(session, startMs), endMs })
	fail('s1', 900, 1000)
	// These two were made beside it.
	expect(sessionOf('s2', 950)).toBe('s2')
	fail('s3', 960, 1010)
	expect([1500, 1600, 1700].map((startMs) => sessionOf(`r${startMs}`, startMs))).toEqual([
		's1',
		's3',
		'r1700',
	])
	expect(sessionOf('r1500', 1500)).toBe('s1')
	fail('s4', 2000, 2100)
	expect(sessionOf('other', 2200, 'of another model')).toBe('other')
	expect(sessionOf('late', 2100 + 120_001)).toBe('late')
})
