import { type IncomingMessage, request } from 'node:http'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { canary, useProxyStage } from './testing/proxy-stage.ts'

describe('an agent with selected models', () => {
	const stage = useProxyStage()
	const select = (...models: string[]) =>
		stage.proxy.setModelAccess(stage.agent.id, {
			mode: 'selected',
			connections: new Map([['gpt', models]]),
		})
	afterEach(() => stage.proxy.setModelAccess(stage.agent.id, { mode: 'all' }))
	const call = (body: string, path = '/proxy/gpt/v1/chat/completions', headers: object = {}) =>
		stage.send('POST', path, { authorization: `Bearer ${stage.agent.secret}`, ...headers }, body)

	it('can call those, through that connection', async () => {
		await select('gpt-*')
		expect((await call('{"model":"gpt-mock","messages":[]}')).status).toBe(200)
		expect(stage.mock.requests).toHaveLength(1)
	})

	it.each([
		['another model', '{"model":"o9","messages":[]}'],
		['no model', '{"messages":[]}'],
		['a model that is no text', '{"model":["gpt-mock"]}'],
		['the last of two models', '{"model":"gpt-mock","model":"o9"}'],
		['a second spelling', '{"model":"gpt-mock","Model":"o9"}'],
		['an escaped name', '{"model":"gpt-mock","\\u006dodel":"o9"}'],
		['no JSON', 'model=gpt-mock'],
		['a substitute', '{"model":"gpt-mock","fallbacks":[{"model":"gpt-2"},{"model":"o9"}]}'],
		['a substitute that the provider chooses', '{"model":"gpt-mock","fallbacks":"default"}'],
		['substitutes of OpenRouter', '{"model":"gpt-mock","models":["gpt-2","o9"]}'],
		['substitutes of Vercel', '{"model":"gpt-mock","providerOptions":{"gateway":{"models":["o9"]}}}'],
		['an adviser', '{"model":"gpt-mock","tools":[{"type":"advisor_20260301","model":"o9"}]}'],
		['a model of images', '{"model":"gpt-mock","tools":[{"type":"image_generation","svg":{"model":"o9"}}]}'],
	])('is refused with %s before the provider hears of it', async (_what, body) => {
		await select('gpt-*')
		const record = await stage.lastRecord(async () => {
			const message = expect.stringMatching(/An admin of the workspace can grant it\.$/)
			expect(await call(body)).toMatchObject({
				status: 403,
				json: { error: { type: 'permission_error', code: 'model_not_granted', message } },
			})
		})
		expect(record).toMatchObject({ status: 'denied', errorType: 'model_not_granted', connection: 'gpt' })
		expect(stage.mock.requests).toHaveLength(0)
	})

	it('is refused with a model in the query string, which may be the one that runs', async () => {
		await select('gpt-*')
		const path = '/proxy/gpt/v1/chat/completions?model=gpt-2'
		expect((await call('{"model":"gpt-mock","messages":[]}', path)).status).toBe(403)
		expect(stage.mock.requests).toHaveLength(0)
	})

	it('can name substitutes and models of tools that it may use', async () => {
		await select('gpt-*')
		const tools =
			'[{"type":"image_generation","model":"gpt-image"},{"type":"function","function":{"name":"f"},"model":"o9"}]'
		const body = `{"model":"gpt-mock","fallbacks":[{"model":"gpt-2"},"gpt-3"],"models":null,"tools":${tools},"messages":[]}`
		expect((await call(body)).status).toBe(200)
	})

	it('is refused on other connections, also with its own key', async () => {
		await select('*')
		const own = { 'x-service-api-key': stage.agent.secret, 'x-api-key': 'sk-ant-own' }
		const body = '{"model":"claude-mock","messages":[]}'
		for (const headers of [{ 'x-api-key': stage.agent.secret }, own]) {
			const answer = await stage.send('POST', '/proxy/claude/v1/messages', headers, body)
			expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('model_not_granted')])
		}
		expect(stage.mock.requests).toHaveLength(0)
	})

	it('loses a running stream when access to the model is revoked', async () => {
		await select('slow')
		const answer = await fetch(`${stage.proxy.url}/proxy/gpt/v1/chat/completions`, {
			method: 'POST',
			headers: { authorization: `Bearer ${stage.agent.secret}`, 'content-type': 'application/json' },
			body: '{"model":"slow","stream":true}',
		})
		let text = ''
		let isTaken = false
		const read = async () => {
			for await (const piece of answer.body ?? []) {
				text += Buffer.from(piece).toString()
				if (isTaken || !text.includes('word0')) continue
				isTaken = true
				await select('other')
			}
		}
		await expect(read()).rejects.toThrow('terminated')
		expect(isTaken).toBe(true)
		expect(text).toContain('model_not_granted')
		expect(text).not.toContain('[DONE]')
	})

	it('is checked in a compressed body as the provider reads it', async () => {
		await select('gpt-*')
		for (const [encoding, encode] of Object.entries({ gzip: gzipSync, zstd: zstdCompressSync })) {
			const post = (model: string) =>
				fetch(`${stage.proxy.url}/proxy/gpt/v1/chat/completions`, {
					method: 'POST',
					headers: { authorization: `Bearer ${stage.agent.secret}`, 'content-encoding': encoding },
					body: encode(JSON.stringify({ model, messages: [] })),
				})
			expect([encoding, (await post('o9')).status]).toEqual([encoding, 403])
			expect(stage.mock.requests).toHaveLength(0)
			expect([encoding, (await post('gpt-mock')).status]).toEqual([encoding, 200])
			expect(stage.mock.requests.splice(0)[0]?.headers['content-encoding']).toBe(encoding)
		}
	})
})

describe.each(['alone', 'route'])('a running stream over a connection (%s)', (way) => {
	const stage = useProxyStage()

	it('ends when the connection is deleted, also when another one gets its name', async () => {
		const connection = { name: 'alone', provider: 'openai', base_url: stage.mock.url, key: canary }
		const connect = () => stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', connection)
		const { id } = (await connect()).json
		const route = { name: 'route', targets: [{ connection: 'alone' }] }
		await stage.proxy.api(stage.key, 'POST', '/v1/routes', route)
		let text = ''
		const read = async () => {
			const answer = await fetch(`${stage.proxy.url}/proxy/${way}/v1/chat/completions`, {
				method: 'POST',
				headers: { ...stage.byKey(), 'content-type': 'application/json' },
				body: '{"model":"slow","stream":true}',
			})
			for await (const piece of answer.body ?? []) {
				const isFirst = text === ''
				text += Buffer.from(piece).toString()
				if (!isFirst) continue
				await stage.proxy.api(stage.key, 'DELETE', `/v1/provider-keys/${id}`)
				await connect()
			}
		}
		const record = await stage.lastRecord(() => expect(read()).rejects.toThrow('terminated'))
		expect(text).toContain('The connection alone was deleted meanwhile.')
		expect(text).toContain('"reason":"not_found"')
		expect(record).toMatchObject({ status: 'cut', errorType: 'not_found' })
	})
})

describe('a call whose body arrives slowly', () => {
	const stage = useProxyStage()
	const body = '{"model":"gpt-mock","messages":[]}'
	const path = '/v1/chat/completions'
	/** `work` runs between the head of the call and its body. */
	async function slowly(key: string, at: string, framing: object, work: () => Promise<unknown>) {
		const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...framing }
		const sent = request(`${stage.proxy.url}/proxy/${at}`, { method: 'POST', headers })
		const answered = new Promise<IncomingMessage>((resolve, reject) =>
			sent.once('response', resolve).once('error', reject),
		)
		answered.catch(() => {})
		sent.write(body.slice(0, 9))
		await new Promise((resolve) => setTimeout(resolve, 100))
		await work()
		sent.end(body.slice(9))
		const response = await answered
		return { status: response.statusCode, text: (await response.toArray()).join('') }
	}
	const connect = async (name: string) => {
		const connection = { name, provider: 'openai', base_url: stage.mock.url, key: canary }
		return (await stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', connection)).json.id
	}
	const change = (id: string, method: string, to?: object) =>
		stage.proxy.api(stage.key, method, `/v1/provider-keys/${id}`, to)
	const framings = {
		'on the plain path': { 'content-length': body.length },
		'on the general path': { 'transfer-encoding': 'chunked' },
	}

	describe.each(Object.entries(framings))('%s', (how, framing) => {
		const name = how.replaceAll(' ', '-')

		it('has the key that its connection has by then', async () => {
			const id = await connect(`${name}-key`)
			const answer = await slowly(stage.key, `${name}-key${path}`, framing, () =>
				change(id, 'PATCH', { key: 'sk-new' }),
			)
			expect(answer.status).toBe(200)
			expect(stage.mock.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-new'])
		})

		it('is refused when its connection was deleted, or its key lost the scope', async () => {
			const id = await connect(`${name}-gone`)
			const gone = await slowly(stage.key, `${name}-gone${path}`, framing, () => change(id, 'DELETE'))
			expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('not_found')])
			const { workspaceId } = stage.agent
			const { id: keyId, secret } = await stage.proxy.addKey(workspaceId, ['proxy:invoke'])
			const lost = await slowly(secret, `gpt${path}`, framing, () =>
				stage.proxy.api(stage.key, 'PATCH', `/v1/keys/${keyId}`, { scopes: ['mcp:invoke'] }),
			)
			expect([lost.status, lost.text]).toEqual([403, expect.stringContaining('proxy:invoke')])
			expect(stage.mock.requests).toEqual([])
		})
	})
})
