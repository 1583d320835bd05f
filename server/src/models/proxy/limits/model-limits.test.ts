import { describe, expect, it } from 'vitest'
import { canary, useProxyStage } from '../testing/proxy-stage.ts'
import { until } from '../testing/start-proxy.ts'

const stage = useProxyStage()
const chat = '/proxy/gpt/v1/chat/completions'
const messages = '/proxy/claude/v1/messages'
const byAgent = () => ({ authorization: `Bearer ${stage.agent.secret}` })
const ask = (path = chat, headers = stage.byKey(), body: object = {}) =>
	stage.send('POST', path, headers, JSON.stringify({ model: 'm', max_tokens: 30, ...body }))

/** Runs `work` under a new limit. */
async function under(limit: object, work: () => Promise<void>): Promise<void> {
	const { api } = stage.proxy
	const made = await api(stage.key, 'POST', '/v1/model-limits', { name: 'Tight', ...limit })
	expect(made.status).toBe(201)
	try {
		await work()
	} finally {
		await api(stage.key, 'DELETE', `/v1/model-limits/${made.json.id}`)
	}
}

describe('limits of model calls', () => {
	it('can be created, read, changed and deleted', async () => {
		const { api } = stage.proxy
		const post = (body: object) => api(stage.key, 'POST', '/v1/model-limits', { name: 'L', ...body })
		expect((await post({ scope: 'agent' })).status).toBe(400)
		expect((await post({ scope: 'workspace', scope_id: 'x', concurrency: 1 })).status).toBe(400)
		expect((await post({ scope: 'agent', scope_id: 'Bot', concurrency: 1 })).status).toBe(400)
		const { json } = await post({ scope: 'connection', scope_id: 'gpt', tokens_per_minute: 1000 })
		const at = `/v1/model-limits/${json.id}`
		const changed = await api(stage.key, 'PATCH', at, { ...json, concurrency: 2, tokens_per_minute: null })
		expect(changed.json).toMatchObject({ concurrency: 2, tokens_per_minute: null, enabled: true })
		expect((await api(stage.key, 'GET', at)).json).toEqual(changed.json)
		expect((await api(stage.key, 'GET', '/v1/model-limits')).json.model_limits).toEqual([changed.json])
		expect((await api(stage.key, 'DELETE', at)).status).toBe(204)
	})

	it.each([
		['OpenAI', chat, 'rate_limit_error'],
		['Anthropic', messages, 'rate_limit_error'],
	])(
		'refuse a request too many a minute in the shape of %s, and tell what is left',
		async (_name, path, type) => {
			await under({ scope: 'workspace', requests_per_minute: 2 }, async () => {
				const first = await ask(path)
				expect(first.headers.get('ratelimit-policy')).toMatch(/^"requests [0-9a-f-]{36}";q=2;w=60$/)
				expect(first.headers.get('ratelimit')).toMatch(/;r=1;t=30$/)
				await ask(path)
				const row = await stage.lastRecord(async () => {
					const { status, json, headers } = await ask(path)
					expect([status, json.error.type, json.error.code]).toEqual([429, type, 'model_calls_limited'])
					expect(json.error.message).toContain('“Tight” is reached: 2 requests in a minute')
					expect(Number(headers.get('retry-after'))).toBeGreaterThan(20)
				})
				expect(row).toMatchObject({ status: 'error', errorType: 'model_calls_limited', httpStatus: 429 })
				expect(stage.mock.requests).toHaveLength(2)
			})
		},
	)

	it('count tokens: estimated before a call, corrected after it', async () => {
		await under({ scope: 'key', tokens_per_minute: 400 }, async () => {
			// 150 tokens each, whatever was estimated.
			const statuses = [await ask(), await ask(), await ask()].map(({ status }) => status)
			expect(statuses).toEqual([200, 200, 200])
			const { status, json } = await ask()
			expect([status, json.error.message]).toEqual([429, expect.stringContaining('400 tokens in a minute')])
			expect((await ask(chat, byAgent())).status).toBe(200)
		})
	})

	it.each(['agent', 'connection'])('let no more run at a time for each %s, until one ends', async (scope) => {
		await under({ scope, concurrency: 1 }, async () => {
			const answers: (() => void)[] = []
			stage.mock.intercept = (_received, response) => {
				answers.push(() => {
					response.writeHead(200, { 'content-type': 'application/json' })
					response.end('{"model":"m"}')
				})
				return true
			}
			const first = ask(chat, byAgent())
			await until(() => answers.length === 1)
			const { status, json } = await ask(chat, byAgent())
			expect([status, json.error.message]).toEqual([429, expect.stringContaining('1 call at a time')])
			const other = scope === 'agent' ? ask(chat) : ask(messages, byAgent())
			await until(() => answers.length === 2)
			for (const answer of answers) answer()
			expect([(await first).status, (await other).status]).toEqual([200, 200])
			stage.mock.intercept = null
			expect((await ask(chat, byAgent())).status).toBe(200)
		})
	})

	it('of a connection make a route use the next one', async () => {
		const { api } = stage.proxy
		const extra = { name: 'gpt-2', provider: 'openai', key: 'sk-second', base_url: stage.mock.url }
		await api(stage.key, 'POST', '/v1/provider-keys', extra)
		const targets = [{ connection: 'gpt' }, { connection: 'gpt-2' }]
		await api(stage.key, 'POST', '/v1/routes', { name: 'spill', targets })
		await under({ scope: 'connection', scope_id: 'gpt', requests_per_minute: 1 }, async () => {
			for (let call = 0; call < 3; call += 1)
				expect((await ask('/proxy/spill/v1/chat/completions')).status).toBe(200)
			const keys = stage.mock.requests.map(({ headers }) => headers.authorization)
			expect(keys).toEqual([`Bearer ${canary}`, 'Bearer sk-second', 'Bearer sk-second'])
		})
		await stage.expectSoundRecords()
	})

	it.each([
		['an answer', 429, 'Slow down'],
		['no answer', 502, 'closed the connection'],
	])(
		'of the other targets of a route leave the client what the last one gave: %s',
		async (_name, status, text) => {
			const { api } = stage.proxy
			const extra = { name: `next-${status}`, provider: 'openai', key: 'sk-next', base_url: stage.mock.url }
			await api(stage.key, 'POST', '/v1/provider-keys', extra)
			const targets = [{ connection: 'gpt' }, { connection: extra.name }]
			await api(stage.key, 'POST', '/v1/routes', { name: `last-${status}`, targets, retries: 0 })
			await under({ scope: 'connection', scope_id: extra.name, requests_per_minute: 1 }, async () => {
				expect((await ask(`/proxy/${extra.name}/v1/chat/completions`)).status).toBe(200)
				stage.mock.intercept = (_received, response) => {
					if (status === 502) response.destroy()
					else response.writeHead(429).end('{"error":{"message":"Slow down","type":"requests","code":null}}')
					return true
				}
				const row = await stage.lastRecord(async () => {
					const got = await ask(`/proxy/last-${status}/v1/chat/completions`)
					expect([got.status, got.json.error.message]).toEqual([status, expect.stringContaining(text)])
				})
				stage.mock.intercept = null
				expect(row).toMatchObject({ connection: 'gpt', httpStatus: status })
				const refused = { connection: extra.name, status: null, error_type: 'model_calls_limited' }
				expect(JSON.parse(String(row?.attributes.get('signalbox.attempts')))).toMatchObject([
					{ connection: 'gpt' },
					refused,
				])
				// The record says also why the first target was not tried.
				const back = { name: `back-${status}`, targets: targets.toReversed(), retries: 0 }
				await api(stage.key, 'POST', '/v1/routes', back)
				const next = await stage.lastRecord(() => ask(`/proxy/back-${status}/v1/chat/completions`))
				expect(JSON.parse(String(next?.attributes.get('signalbox.attempts')))).toMatchObject([
					refused,
					{ connection: 'gpt', status: 200 },
				])
			})
		},
	)

	it('do not count a call that a budget refuses', async () => {
		const { api } = stage.proxy
		const budget = { name: 'Empty', scope: 'workspace', unit: 'tokens', limit: '10', window: 'day' }
		const made = await api(stage.key, 'POST', '/v1/budgets', budget)
		await under({ scope: 'workspace', requests_per_minute: 1, tokens_per_minute: 1000 }, async () => {
			// Ordinary calls and streams take different ways.
			for (const stream of [false, true, false])
				expect((await ask(chat, stage.byKey(), { stream, n: 2 })).status).toBe(402)
			await api(stage.key, 'DELETE', `/v1/budgets/${made.json.id}`)
			expect((await ask()).status).toBe(200)
		})
	})
})
