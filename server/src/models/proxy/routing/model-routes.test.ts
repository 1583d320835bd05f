import type { ServerResponse } from 'node:http'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canary, useProxyStage } from '../testing/proxy-stage.ts'
import type { ReceivedRequest } from '../testing.ts'

const stage = useProxyStage()
const path = '/v1/chat/completions'
const keyOf = ({ headers }: ReceivedRequest) => String(headers.authorization).replace('Bearer ', '')
const askedKeys = () => stage.mock.requests.map(keyOf)
const ask = (route: string, body: object = {}, headers = stage.byKey()) =>
	stage.send('POST', `/proxy/${route}${path}`, headers, JSON.stringify({ model: 'm', ...body }))

/** Creates a route; each test uses a unique name. */
async function addRoute(name: string, targets: object[], settings: object = {}) {
	const made = await stage.proxy.api(stage.key, 'POST', '/v1/routes', { name, targets, ...settings })
	expect(made.status).toBe(201)
	return made.json
}

/** Answers requests with this key by `answer`, and all others normally. */
function failWith(key: string, answer: (response: ServerResponse, count: number) => void) {
	let count = 0
	stage.mock.intercept = (received, response) => {
		if (keyOf(received) !== key) return false
		answer(response, ++count)
		return true
	}
}
const status =
	(code: number, headers: Record<string, string> = {}) =>
	(response: ServerResponse) => {
		response.writeHead(code, { 'content-type': 'application/json', ...headers })
		response.end('{"error":{"message":"No","type":"server_error"}}')
	}

beforeAll(async () => {
	for (const name of ['one', 'two', 'three']) {
		const connection = { name, provider: 'openai', key: `sk-${name}`, base_url: stage.mock.url }
		await stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', connection)
	}
})

const both = [{ connection: 'one' }, { connection: 'two' }]

describe('a route', () => {
	it('is made, read, changed and deleted; connections and routes share their names', async () => {
		const { api } = stage.proxy
		const route = await addRoute('managed', [{ connection: 'one' }])
		expect(route).toMatchObject({ strategy: 'ordered', retries: 1, first_token_timeout_ms: null })
		expect(route.targets).toEqual([{ connection: 'one', model: null, weight: 1, for_models: ['*'] }])
		const at = `/v1/routes/${route.id}`
		const changed = await api(stage.key, 'PATCH', at, { ...route, retries: 3, total_timeout_ms: 5000 })
		expect(changed.json).toMatchObject({ retries: 3, total_timeout_ms: 5000, targets: route.targets })
		expect((await api(stage.key, 'GET', at)).json).toEqual(changed.json)
		expect((await api(stage.key, 'GET', '/v1/routes')).json.routes).toContainEqual(changed.json)
		expect((await api(stage.key, 'PATCH', at, { name: 'other' })).status).toBe(400)
		const taken = { name: 'managed', provider: 'openai', key: 'sk-x', base_url: stage.mock.url }
		expect((await api(stage.key, 'POST', '/v1/provider-keys', taken)).json.code).toBe('name_taken')
		const again = { name: 'one', targets: both }
		expect((await api(stage.key, 'POST', '/v1/routes', again)).json.code).toBe('name_taken')
		expect((await api(stage.key, 'POST', '/v1/routes', { ...again, name: 'managed' })).status).toBe(409)
		expect((await api(stage.key, 'DELETE', at)).status).toBe(204)
		expect((await ask('managed')).status).toBe(404)
	})

	it('says at once which of its connections do not exist', async () => {
		const route = await addRoute('half', [{ connection: 'one' }, { connection: 'gone' }])
		const warnings = ['There is no connection gone: its targets are passed over.']
		expect(route).toMatchObject({ warnings })
		const at = `/v1/routes/${route.id}`
		expect((await stage.proxy.api(stage.key, 'GET', at)).json).toMatchObject({ warnings })
		const changed = await stage.proxy.api(stage.key, 'PATCH', at, { ...route, targets: both })
		expect(changed.json).toMatchObject({ warnings: [] })
	})

	it.each([429, 500, 503, 529, 401, 404])(
		'continues with the next target after %i, and records both',
		async (code) => {
			await addRoute(`after-${code}`, both, { retries: 0 })
			failWith('sk-one', status(code))
			const row = await stage.lastRecord(async () => {
				const answer = await ask(`after-${code}`, { model: `m${code}` })
				expect([answer.status, answer.json.usage.total_tokens]).toEqual([200, 150])
			})
			expect(askedKeys()).toEqual(['sk-one', 'sk-two'])
			expect(row).toMatchObject({ connection: 'two', status: 'ok', usageSource: 'reported', httpStatus: 200 })
			expect(row?.attributes.get('signalbox.route')).toBe(`after-${code}`)
			const attempts = JSON.parse(String(row?.attributes.get('signalbox.attempts')))
			expect(attempts).toMatchObject([
				{ connection: 'one', status: code, error_type: 'server_error' },
				{ connection: 'two', status: 200 },
			])
		},
	)

	it.each([400, 413, 422])('passes on a %i, which every target would answer', async (code) => {
		await addRoute(`no-${code}`, both)
		failWith('sk-one', status(code))
		expect((await ask(`no-${code}`)).status).toBe(code)
		expect(askedKeys()).toEqual(['sk-one'])
	})

	it('continues if a provider cannot be reached, and answers with the last one’s error if all fail', async () => {
		await addRoute('dead-first', [{ connection: 'dead-gpt' }, { connection: 'two' }], { retries: 0 })
		expect((await ask('dead-first')).status).toBe(200)
		await addRoute('all-fail', both, { retries: 0 })
		stage.mock.intercept = (_received, response) => {
			status(503, { 'x-which': 'provider' })(response)
			return true
		}
		const answer = await ask('all-fail', { model: 'fails' })
		expect([answer.status, answer.headers.get('x-which')]).toEqual([503, 'provider'])
		expect(answer.text).toBe('{"error":{"message":"No","type":"server_error"}}')
	})

	it('retries a target after the wait that it requests', async () => {
		await addRoute('again', [{ connection: 'one' }], { retries: 2 })
		const times: number[] = []
		failWith('sk-one', (response, count) => {
			times.push(performance.now())
			if (count < 3) return status(429, { 'retry-after-ms': '60' })(response)
			response.writeHead(200, { 'content-type': 'application/json' })
			response.end('{"id":"x","model":"m","usage":{"prompt_tokens":1,"completion_tokens":1}}')
		})
		expect((await ask('again', { model: 'waits' })).status).toBe(200)
		expect(times).toHaveLength(3)
		for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThan(55)
	})

	it('retries with the key that the connection has after the wait', async () => {
		const connection = { name: 'rotated', provider: 'openai', key: 'sk-old', base_url: stage.mock.url }
		const made = await stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', connection)
		const at = `/v1/provider-keys/${made.json.id}`
		await addRoute('rotating', [{ connection: 'rotated' }], { retries: 1 })
		failWith('sk-old', status(429, { 'retry-after-ms': '500' }))
		const answered = ask('rotating', { model: 'rotates' })
		await expect.poll(askedKeys).toEqual(['sk-old'])
		expect((await stage.proxy.api(stage.key, 'PATCH', at, { key: 'sk-new' })).status).toBe(200)
		expect((await answered).status).toBe(200)
		expect(askedKeys()).toEqual(['sk-old', 'sk-new'])
	})

	it('does not wait too long: passes the refusal on with its retry-after', async () => {
		await addRoute('too-long', [{ connection: 'one' }], { retries: 2 })
		failWith('sk-one', status(429, { 'retry-after': '3600' }))
		const answer = await ask('too-long', { model: 'quota' })
		expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '3600'])
		expect(askedKeys()).toEqual(['sk-one'])
	})

	it('stops calling a target that fails repeatedly', async () => {
		await addRoute('breaker', both, { retries: 0 })
		failWith('sk-one', status(500))
		for (let call = 0; call < 6; call += 1) await ask('breaker', { model: 'breaks' })
		const row = await stage.lastRecord(() => ask('breaker', { model: 'breaks' }))
		expect(JSON.parse(String(row?.attributes.get('signalbox.attempts')))).toMatchObject([
			{ connection: 'one', status: null, error_type: 'circuit_open', duration_ms: 0 },
			{ connection: 'two', status: 200 },
		])
		expect(askedKeys().filter((key) => key === 'sk-one')).toHaveLength(5)
		expect(askedKeys().slice(-2)).toEqual(['sk-two', 'sk-two'])
		// Another model with the same key has a health of its own.
		await ask('breaker', { model: 'another' })
		expect(askedKeys().slice(-2)).toEqual(['sk-one', 'sk-two'])
	})

	it('has the success of a target whose client left at the last event', async () => {
		await addRoute('left', both, { retries: 0 })
		failWith('sk-one', (response, count) => {
			if (count !== 5) return status(500)(response)
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			// The connection stays open.
			response.write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n')
		})
		for (let call = 0; call < 4; call += 1) await ask('left', { model: 'left' })
		const row = await stage.lastRecord(async () => {
			const body = JSON.stringify({ model: 'left', stream: true })
			const leaving = new AbortController()
			const url = `${stage.proxy.url}/proxy/left${path}`
			const answer = await fetch(url, {
				...{ method: 'POST', body },
				headers: stage.byKey(),
				signal: leaving.signal,
			})
			let text = ''
			for await (const chunk of answer.body ?? []) {
				text += Buffer.from(chunk).toString()
				if (text.includes('[DONE]')) break
			}
			leaving.abort()
		})
		expect(row).toMatchObject({ connection: 'one', status: 'ok' })
		const attempts = JSON.parse(String(row?.attributes.get('signalbox.attempts')))
		expect(attempts).toMatchObject([{ connection: 'one', status: 200 }])
		for (let call = 0; call < 2; call += 1) await ask('left', { model: 'left' })
		expect(askedKeys().slice(-4)).toEqual(['sk-one', 'sk-two', 'sk-one', 'sk-two'])
	})

	it('has a time limit for the first token, and another for the whole call', async () => {
		await addRoute('slow', both, { retries: 0, first_token_timeout_ms: 100 })
		failWith('sk-one', (response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			response.write('data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant"}}]}\n\n')
		})
		const answer = await ask('slow', { stream: true })
		expect(answer.text).toContain('[DONE]')
		expect(answer.text).not.toContain('"id":"c"')
		await addRoute('never', [{ connection: 'one' }], { retries: 0, total_timeout_ms: 1000 })
		failWith('sk-one', () => {})
		const row = await stage.lastRecord(async () => {
			const late = await ask('never')
			expect([late.status, late.json.error.code]).toEqual([504, 'upstream_timeout'])
		})
		expect(row).toMatchObject({ status: 'cut', errorType: 'timeout' })
	})

	it('requests the model of the target, with all other bytes unchanged', async () => {
		await addRoute('renames', [
			{ connection: 'one', model: 'served "é"', for_models: ['gpt-*'] },
			{ connection: 'two', for_models: ['other'] },
		])
		const body = '{ "messages": [{"model":"inner"}],\r\n "model" :\t"gpt-4o" , "x":"\\"model\\":1" }'
		const send = () => stage.send('POST', `/proxy/renames${path}`, stage.byKey(), body)
		const row = await stage.lastRecord(send)
		expect(stage.mock.requests[0]?.body.toString()).toBe(body.replace('"gpt-4o"', '"served \\"é\\""'))
		expect(row).toMatchObject({ modelRequested: 'gpt-4o', connection: 'one' })
		expect(row?.attributes.get('signalbox.model_sent')).toBe('served "é"')
		await ask('renames', { model: 'other' })
		expect(askedKeys()).toEqual(['sk-one', 'sk-two'])
		expect((await ask('renames', { model: 'unknown' })).status).toBe(404)
	})

	it('spreads calls by weight', async () => {
		await addRoute('spread', [{ connection: 'one', weight: 9 }, { connection: 'two' }], {
			strategy: 'weighted',
		})
		for (let call = 0; call < 100; call += 1) await ask('spread')
		const ones = askedKeys().filter((key) => key === 'sk-one').length
		// A correct draw fails this in about one of a million runs.
		expect(ones).toBeGreaterThan(70)
		expect(ones).toBeLessThan(101)
		expect(askedKeys()).toContain('sk-one')
	})

	it('prefers the fastest target', async () => {
		await addRoute('soonest', both, { strategy: 'least_latency' })
		failWith('sk-one', (response) => {
			setTimeout(() => {
				response.writeHead(200, { 'content-type': 'application/json' })
				response.end('{"id":"x","model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}')
			}, 80)
		})
		for (let call = 0; call < 6; call += 1) await ask('soonest', { model: 'fast' })
		expect(askedKeys().slice(2)).toEqual(['sk-two', 'sk-two', 'sk-two', 'sk-two'])
	})

	it('gives an agent no access that it does not have directly', async () => {
		await addRoute('granted', both, { retries: 0 })
		const { agent, proxy } = stage
		const byAgent = { authorization: `Bearer ${agent.secret}` }
		const only = (connection: string) =>
			proxy.setModelAccess(agent.id, { mode: 'selected', connections: new Map([[connection, ['m']]]) })
		await only('two')
		expect((await ask('granted', {}, byAgent)).status).toBe(200)
		expect(askedKeys()).toEqual(['sk-two'])
		const refused = await ask('granted', { model: 'not-granted' }, byAgent)
		expect([refused.status, refused.json.error.code]).toEqual([403, 'model_not_granted'])
		await only('three')
		expect((await ask('granted', {}, byAgent)).status).toBe(403)
		expect(askedKeys()).toHaveLength(1)
		await proxy.setModelAccess(agent.id, { mode: 'all' })
	})

	describe('whose calls name their model in the path', () => {
		const gemini = 'v1beta/models/wanted:generateContent'
		const targets = [{ connection: 'g-one', model: 'other' }, { connection: 'g-two' }]
		const sentPaths = () => stage.mock.requests.map(({ path: sent }) => sent)
		const askGemini = (name: string, headers: Record<string, string> = stage.byKey()) =>
			stage.send('POST', `/proxy/${name}/${gemini}`, headers, '{"contents":[{"parts":[{"text":"EMP-1"}]}]}')
		beforeAll(async () => {
			for (const [name, provider] of [
				...[['g-one', 'gemini'] as const, ['g-two', 'gemini'] as const],
				...[['az', 'azure_openai'] as const, ['rock', 'bedrock'] as const],
			])
				await stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', {
					...{ name, provider, key: `sk-${name}`, base_url: stage.mock.url },
				})
			await addRoute('in-path', targets, { retries: 0 })
		})
		beforeEach(() => {
			stage.mock.intercept = ({ path: sent }, response) => {
				if (sent.includes('/other:')) status(503)(response)
				return sent.includes('/other:')
			}
		})

		it('records the model that the caller names, whichever target answers', async () => {
			const row = await stage.lastRecord(() => askGemini('in-path'))
			expect(sentPaths()).toEqual(['/v1beta/models/other:generateContent', `/${gemini}`])
			expect(row).toMatchObject({ name: 'chat wanted', modelRequested: 'wanted', model: 'wanted-001' })
			expect(row?.attributes.get('signalbox.model_sent')).toBeUndefined()
		})

		it('has the hooks of that model', async () => {
			const hook = { name: 'G', mode: 'enforce', action: 'deny', stages: ['request'], pattern: 'EMP-[0-9]' }
			const made = await stage.proxy.api(stage.key, 'POST', '/v1/hooks', { ...hook, models: ['wanted'] })
			expect((await askGemini('in-path')).status).toBe(403)
			expect(sentPaths()).toEqual([])
			await stage.proxy.api(stage.key, 'DELETE', `/v1/hooks/${made.json.id}`)
		})

		it('stays open to an agent that may use the model, whatever is changed meanwhile', async () => {
			const { agent, proxy } = stage
			const connections = new Map([['g-two', ['wanted']]])
			const change = () => proxy.setModelAccess(agent.id, { mode: 'selected', connections })
			await change()
			stage.mock.intercept = (_received, response) => {
				void change().then(() => setTimeout(() => response.end('{}'), 50))
				return true
			}
			await addRoute('slowly', [{ connection: 'g-two' }])
			const answer = await askGemini('slowly', { authorization: `Bearer ${agent.secret}` })
			expect([answer.status, answer.text]).toEqual([200, '{}'])
			await proxy.setModelAccess(agent.id, { mode: 'all' })
		})

		it.each([
			['az', 'openai/deployments/openai/chat/completions', 'openai/deployments/o%3A1/chat/completions'],
			['rock', 'model/a.b-v1%3A0/converse', 'model/o%3A1/converse'],
			['rock', 'model/model/converse', 'model/o%3A1/converse'],
			['g-two', 'v1beta/models/v1:generateContent', 'v1beta/models/o%3A1:generateContent'],
		])('names another model at %s: %s', async (connection, asked, sent) => {
			const name = `to-${asked.replaceAll(/[^a-z]+/g, '-')}`.slice(0, 20)
			await addRoute(name, [{ connection, model: 'o:1' }])
			await stage.send('POST', `/proxy/${name}/${asked}`, stage.byKey(), '{"messages":[]}')
			expect(sentPaths()).toEqual([`/${sent}`])
		})
	})

	it('sends the stored keys, never the caller’s own', async () => {
		await addRoute('own-key', both)
		const headers = { 'x-service-api-key': stage.key, authorization: 'Bearer sk-own' }
		expect((await ask('own-key', {}, headers)).status).toBe(200)
		expect(askedKeys()).toEqual(['sk-one'])
		expect(JSON.stringify(stage.mock.requests[0]?.headers)).not.toContain('sk-own')
	})

	it('stores each of these calls once, and no secret', async () => {
		await stage.expectSoundRecords()
		expect(canary).toBeTruthy()
	})
})
