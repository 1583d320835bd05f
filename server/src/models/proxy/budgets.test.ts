import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { canary, useProxyStage } from './testing/proxy-stage.ts'

const stage = useProxyStage()
const chat = '/proxy/gpt/v1/chat/completions'
const messages = '/proxy/claude/v1/messages'
/** Long enough that its size bounds the tokens that the mock reports. */
const padding = 'x'.repeat(300)

interface Wanted {
	limit: string
	[name: string]: unknown
}

/** Runs `work` under a new budget, and returns what was spent. */
async function under(budget: Wanted, work: () => Promise<void>): Promise<string> {
	const { proxy, key } = stage
	const body = { name: 'Night shift', scope: 'workspace', window: 'month', contact: 'Ann', ...budget }
	const made = await proxy.api(key, 'POST', '/v1/budgets', body)
	expect(made.status).toBe(201)
	const path = `/v1/budgets/${made.json.id}`
	try {
		await work()
		await proxy.settled()
		await proxy.budgets.tell()
		return (await proxy.api(key, 'GET', path)).json.state?.spent
	} finally {
		await proxy.api(key, 'DELETE', path)
	}
}

const ask = (body: object, path = chat) =>
	stage.send('POST', path, stage.byKey(), JSON.stringify({ padding, max_tokens: 30, ...body }))

describe('a budget', () => {
	beforeAll(async () => {
		const rates = { in_text: '1000000000', out_text: '1000000000' }
		await stage.proxy.api(stage.key, 'POST', '/v1/prices', { model: 'house-model*', rates })
	})

	it('counts the same as the ledger, to the nano', async () => {
		let cost: bigint | null | undefined
		const spent = await under({ limit: '5000000000' }, async () => {
			const row = await stage.lastRecord(() => ask({ model: 'house-model' }))
			cost = row?.costNanoUsd
		})
		expect(cost).toBeGreaterThan(0n)
		expect(spent).toBe(String(cost))
	})

	it("without enough left refuses before anything is sent, in the provider's error format", async () => {
		const row = await new Promise<Awaited<ReturnType<typeof stage.lastRecord>>>((resolve, reject) => {
			under({ limit: '10' }, async () => {
				const record = await stage.lastRecord(async () => {
					const { status, json, headers } = await ask({ model: 'gpt-4o' })
					expect([status, json.error.code]).toEqual([402, 'budget_exhausted'])
					expect(json.error.message).toMatch(/“Night shift” \(\$0\.00000001 per month\).*Ask Ann\./s)
					expect([headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([null, 'false'])
				})
				const { status, json } = await ask({ model: 'claude-sonnet-4-5' }, messages)
				expect([status, json.type, json.error.code]).toEqual([402, 'error', 'budget_exhausted'])
				expect(stage.mock.requests).toHaveLength(0)
				resolve(record)
			}).then((spent) => expect(spent).toBe('0'), reject)
		})
		expect(row).toMatchObject({ status: 'error', errorType: 'budget_exhausted', modelRequested: 'gpt-4o' })
	})

	it('holds what a vendor asks for, over a connection of the OpenAI-compatible kind', async () => {
		const account = { name: 'by-groq', provider: 'openai_compatible', base_url: stage.mock.url, key: canary }
		await stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', { ...account, priced_as: 'groq' })
		const path = '/proxy/by-groq/v1/chat/completions'
		const llama = { model: 'llama-3.3-70b-versatile' }
		await under({ limit: '10' }, async () => {
			expect((await ask(llama, path)).json.error.code).toBe('budget_exhausted')
			expect((await ask({ ...llama, stream: true }, path)).json.error.code).toBe('budget_exhausted')
			expect((await ask({ model: 'unheard-of' }, path)).json.error.code).toBe('model_unpriced')
		})
		await under({ limit: '5000000000' }, async () => {
			expect((await ask(llama, path)).status).toBe(200)
		})
	})

	it('holds what each target of a route asks for: after another model, the one that the caller names', async () => {
		const targets = [{ connection: 'gpt', model: 'house-model-1' }, { connection: 'gpt' }]
		await stage.proxy.api(stage.key, 'POST', '/v1/routes', { name: 'both', targets, retries: 0 })
		stage.mock.intercept = ({ body }, response) => {
			const fails = body.includes('house-model-1')
			if (fails) response.writeHead(404).end()
			return fails
		}
		await under({ limit: '5000000000' }, async () => {
			const { json } = await ask({ model: 'unheard-of' }, '/proxy/both/v1/chat/completions')
			expect(json.error.code).toBe('model_unpriced')
			expect(stage.mock.requests).toHaveLength(1)
		})
	})

	it.each([
		['refuses', 503],
		['breaks off', null],
	])('refuses what is left to try of a route with its 402, whose first target %s', async (_how, status) => {
		const targets = [{ connection: 'gpt', model: `house-model-${status}` }, { connection: 'gpt' }]
		const name = `broken-${status}`
		await stage.proxy.api(stage.key, 'POST', '/v1/routes', { name, targets, retries: 0 })
		stage.mock.intercept = (_received, response) => {
			if (status === null) response.destroy()
			else response.writeHead(status).end()
			return true
		}
		let row: Awaited<ReturnType<typeof stage.lastRecord>>
		const spent = await under({ limit: '5000000000' }, async () => {
			row = await stage.lastRecord(async () => {
				const answer = await ask({ model: 'unheard-of' }, `/proxy/${name}/v1/chat/completions`)
				expect([answer.status, answer.json.error.code]).toEqual([402, 'model_unpriced'])
			})
		})
		expect(row).toMatchObject({
			status: 'error',
			errorType: 'model_unpriced',
			httpStatus: 402,
			costNanoUsd: 0n,
		})
		expect(JSON.parse(String(row?.attributes.get('signalbox.attempts')))).toMatchObject([
			{ status, ...(status && { error_type: `http_${status}` }) },
			{ connection: 'gpt', status: null, error_type: 'model_unpriced', duration_ms: 0 },
		])
		expect(spent).toBe('0')
	})

	it('counts the last answer of a route as the ledger does, if a limit refuses the other targets', async () => {
		const { api } = stage.proxy
		const other = { name: 'claude-2', provider: 'anthropic', base_url: stage.mock.url, key: canary }
		await api(stage.key, 'POST', '/v1/provider-keys', other)
		const targets = [{ connection: 'claude' }, { connection: other.name }]
		await api(stage.key, 'POST', '/v1/routes', { name: 'spent', targets, retries: 0 })
		const only = { name: 'L', scope: 'connection', scope_id: other.name, requests_per_minute: 1 }
		const limit = await api(stage.key, 'POST', '/v1/model-limits', only)
		await ask({ model: 'house-model' }, `/proxy/${other.name}/v1/messages`)
		stage.mock.intercept = (_received, response) => {
			const usage = '{"input_tokens":120,"output_tokens":1}'
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			response.write(`data: {"type":"message_start","message":{"model":"house-model","usage":${usage}}}\n\n`)
			response.end('data: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n')
			return true
		}
		let row: Awaited<ReturnType<typeof stage.lastRecord>>
		const spent = await under({ limit: '5000000000' }, async () => {
			const body = { model: 'house-model', stream: true }
			row = await stage.lastRecord(() => ask(body, '/proxy/spent/v1/messages'))
		})
		await api(stage.key, 'DELETE', `/v1/model-limits/${limit.json.id}`)
		expect(row).toMatchObject({ connection: 'claude', errorType: 'overloaded_error', costNanoUsd: 121_000n })
		expect(spent).toBe('121000')
	})

	it('refuses a body that it cannot read, and decodes one with a content encoding', async () => {
		await under({ limit: '5000000000' }, async () => {
			const unread = `\ufeff${JSON.stringify({ model: 'house-model', max_tokens: 30 })}`
			const { status, json } = await stage.send('POST', chat, stage.byKey(), unread)
			expect([status, json.error.code]).toEqual([400, 'invalid_json'])
			expect(stage.mock.requests).toHaveLength(0)
		})
		await under({ limit: '1000' }, async () => {
			const headers = { ...stage.byKey(), 'content-encoding': 'gzip' }
			const body = gzipSync(JSON.stringify({ model: 'house-model', max_tokens: 1_000_000 }))
			const answer = await fetch(stage.proxy.url + chat, { method: 'POST', headers, body })
			expect(answer.status).toBe(402)
		})
	})

	it('releases what was reserved if the provider refuses or is unreachable', async () => {
		const spent = await under({ limit: '5000000000' }, async () => {
			expect(await ask({ model: 'error-429' }).then(({ status }) => status)).toBe(402)
			await ask({ model: 'gpt-4o' }, '/proxy/dead-gpt/v1/chat/completions')
		})
		expect(spent).toBe('0')
	})

	it('handles models without a price as configured', async () => {
		await under({ limit: '5000000000' }, async () => {
			const { status, json } = await ask({ model: 'unheard-of' })
			expect([status, json.error.code]).toEqual([402, 'model_unpriced'])
			expect(json.error.message).toContain('There is no price for unheard-of')
			expect(json.error.message).toMatch(
				/(Ask Ann|can set a price, or let the budget allow unpriced models)\.$/,
			)
		})
		const allowed = { limit: '5000000000', unpriced: 'allow' }
		expect(await under(allowed, async () => void (await ask({ model: 'unheard-of' })))).toBe('0')
		const ceiling = { limit: '5000', unpriced: 'ceiling', unpriced_ceiling: '2000' }
		const statuses: number[] = []
		const spent = await under(ceiling, async () => {
			for (let call = 0; call < 3; call += 1) statuses.push((await ask({ model: 'unheard-of' })).status)
		})
		expect([spent, statuses]).toEqual(['4000', [200, 200, 402]])
	})

	it('uses prices set by the workspace', async () => {
		const spent = await under({ limit: '5000000000' }, async () => void (await ask({ model: 'house-model' })))
		expect(spent).toBe('150000')
	})

	it.each([
		[
			'OpenAI',
			chat,
			(word: string) => `data: {"choices":[{"index":0,"delta":{"content":"${word}"}}]}\n\n`,
			'[DONE]',
		],
		[
			'Anthropic',
			messages,
			(word: string) =>
				`event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${word}"}}\n\n`,
			'message_stop',
		],
	])(
		'that is used up while %s answers stops the stream with its error event',
		async (_name, path, frame, end) => {
			const word = 'w'.repeat(30)
			let frames = 0
			stage.mock.intercept = (_received, response) => {
				response.writeHead(200, { 'content-type': 'text/event-stream' })
				const heartbeat = setInterval(() => {
					frames += 1
					response.write(frame(word))
					if (frames < 300) return
					clearInterval(heartbeat)
					response.end(`data: ${end}\n\n`)
				}, 2)
				response.on('close', () => clearInterval(heartbeat))
				return true
			}
			let text = ''
			const body = { model: 'm', stream: true, max_tokens: 20, padding: '' }
			const spent = await under({ unit: 'tokens', limit: '400', unpriced: 'allow' }, async () => {
				text = (await ask(body, path)).text
			})
			expect(text).toMatch(/call_cut.*budget_exhausted/)
			expect(text).not.toContain(end)
			// One chunk more than is paid for, at ten tokens each.
			const passed = text.split(word).length - 1
			expect(passed * 10).toBeLessThanOrEqual(400 + 10)
			expect(passed * 10).toBeGreaterThan(200)
			expect(frames).toBeLessThan(300)
			expect(Number(spent)).toBeGreaterThan(200)
		},
	)

	it('stores each of these calls once, and no secret', async () => {
		await stage.expectSoundRecords()
		expect(canary).toBeTruthy()
	})
})
