import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestSqlite } from '../platform/database/testing.ts'
import { type ProxyUnderTest, startProxy, until } from './testing/start-proxy.ts'
import { type MockProvider, startMockProvider } from './testing.ts'

const canary = 'sk-canary-0a1b2c3d-do-not-show'
const messages = [{ role: 'user' as const, content: 'Hallo' }]

describe('refusals of the model proxy', () => {
	let mock: MockProvider
	let proxy: ProxyUnderTest
	let key: string
	let agent: Awaited<ReturnType<ProxyUnderTest['addAgent']>>
	let end: () => Promise<void>

	beforeAll(async () => {
		const database = await openTestSqlite()
		mock = await startMockProvider()
		proxy = await startProxy(database.store, { bodyLimitBytes: 100_000 })
		end = async () => {
			await proxy.close()
			await mock.close()
			await database.end()
		}
		const workspaceId = await proxy.addWorkspace()
		key = (await proxy.addKey(workspaceId)).secret
		agent = await proxy.addAgent(workspaceId)
		const dead = 'http://127.0.0.1:9'
		for (const [name, provider, base_url] of [
			['gpt', 'openai', mock.url],
			['claude', 'anthropic', mock.url],
			['dead-gpt', 'openai', dead],
			['dead-claude', 'anthropic', dead],
		]) {
			await proxy.api(key, 'POST', '/v1/provider-keys', { name, provider, base_url, key: canary })
		}
	})
	afterAll(() => end?.())
	beforeEach(() => {
		mock.intercept = null
		mock.requests.length = 0
	})

	const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
		const response = await fetch(proxy.url + path, { method, headers, ...(body !== undefined && { body }) })
		const text = await response.text()
		return {
			status: response.status,
			text,
			json: text.startsWith('{') ? JSON.parse(text) : null,
			headers: response.headers,
		}
	}
	const byKey = () => ({ authorization: `Bearer ${key}` })
	const lastRecord = async (work: () => Promise<unknown>) => {
		await until(() => proxy.liveRequests.size === 0)
		const before = proxy.recorded.length
		await work()
		await until(() => proxy.recorded.length > before)
		return proxy.recorded[before]
	}

	it.each([
		['/proxy/gpt/v1/chat/completions', 'openai'],
		['/proxy/openai/v1/chat/completions', 'openai'],
		['/proxy/claude/v1/messages', 'anthropic'],
		['/spotlight/anthropic/v1/messages', 'anthropic'],
	])('no credential on %s is a 401 in the shape of %s', async (path, shape) => {
		for (const headers of [{}, { 'x-api-key': 'sk-foreign' }, { authorization: 'Bearer nonsense' }]) {
			const { status, json } = await send('POST', path, headers, '{}')
			expect(status).toBe(401)
			if (shape === 'openai')
				expect(json).toMatchObject({
					error: { type: 'authentication_error', code: 'unauthenticated', param: null },
				})
			else expect(json).toMatchObject({ type: 'error', error: { type: 'authentication_error' } })
		}
		expect(mock.requests).toHaveLength(0)
	})

	it('an unknown connection is a 404 that the official clients raise, and it is recorded', async () => {
		const openai = new OpenAI({ baseURL: `${proxy.url}/proxy/nowhere/v1`, apiKey: key })
		const record = await lastRecord(async () => {
			const call = openai.chat.completions.create({ model: 'm', messages })
			await expect(call).rejects.toMatchObject({
				status: 404,
				code: 'not_found',
				message: '404 There is no connection named nowhere.',
			})
		})
		expect(record).toMatchObject({
			status: 'error',
			errorType: 'not_found',
			httpStatus: 404,
			connection: 'nowhere',
		})
		const anthropic = new Anthropic({ baseURL: `${proxy.url}/proxy/nowhere`, apiKey: key })
		await expect(anthropic.messages.create({ model: 'm', max_tokens: 1, messages })).rejects.toBeInstanceOf(
			Anthropic.NotFoundError,
		)
	})

	it.each([
		['POST', '/proxy/gpt/v1/responses'],
		['GET', '/proxy/gpt/v1/files'],
		['DELETE', '/proxy/gpt/v1/models/gpt-mock'],
		['GET', '/proxy/gpt/v1/chat/completions'],
		['POST', '/proxy/gpt/v1/v1/chat/completions'],
		['POST', '/proxy/gpt/v1/%63hat/completions'],
		['POST', '/proxy/gpt/admin/v1/chat/completions'],
		['GET', '/proxy/gpt'],
		['POST', '/proxy/claude/v1/messages/batches'],
		['POST', '/spotlight/gpt/v1/fine_tuning/jobs'],
	])('%s %s is closed with a stored key', async (method, path) => {
		const { status, text } = await send(method, path, byKey(), method === 'POST' ? '{}' : undefined)
		expect(status).toBe(403)
		expect(text).toContain('path_not_allowed')
		expect(mock.requests).toHaveLength(0)
	})

	it('listed paths are open with and without /v1, under both prefixes and with a query', async () => {
		for (const [path, upstream] of [
			['/proxy/gpt/chat/completions', '/chat/completions'],
			['/proxy/gpt/v1/chat/completions?a=1&b=%2F', '/v1/chat/completions?a=1&b=%2F'],
			['/spotlight/gpt/v1/embeddings', '/v1/embeddings'],
			['/proxy/claude/v1/messages?beta=true', '/v1/messages?beta=true'],
		] as const) {
			expect((await send('POST', path, byKey(), '{"model":"m"}')).status).toBe(200)
			expect(mock.requests.at(-1)?.path).toBe(upstream)
		}
	})

	it('our key is taken from every place that clients use, and is sent on from none', async () => {
		for (const headers of [
			{ 'x-api-key': key },
			{ 'x-service-api-key': key },
			{ 'x-goog-api-key': key },
			byKey(),
		]) {
			expect((await send('GET', '/proxy/gpt/v1/models', headers)).status).toBe(200)
		}
		expect((await send('GET', `/proxy/gpt/v1/models?after=x&key=${key}`)).status).toBe(200)
		expect(mock.requests.at(-1)?.path).toBe('/v1/models?after=x')
		const twice = await send('GET', '/proxy/gpt/v1/models', { ...byKey(), 'x-api-key': key })
		expect(twice).toMatchObject({ status: 400, json: { error: { code: 'ambiguous_credentials' } } })
		for (const { headers, path } of mock.requests)
			expect(JSON.stringify(headers) + path).not.toContain('sk_service_')
	})

	it('the own key of the caller goes beside x-service-api-key, and then every path is open', async () => {
		const own = { 'x-service-api-key': key, authorization: 'Bearer sk-mine' }
		expect((await send('POST', '/proxy/gpt/v1/images/generations', own, '{"model":"m"}')).status).toBe(404)
		expect(mock.requests.at(-1)).toMatchObject({
			path: '/v1/images/generations',
			headers: { authorization: 'Bearer sk-mine' },
		})
		await send('POST', '/proxy/claude/v1/messages', own, '{"model":"m"}')
		expect(mock.requests.at(-1)?.headers.authorization).toBe('Bearer sk-mine')
		await send(
			'POST',
			'/proxy/claude/v1/messages',
			{ 'x-service-api-key': key, 'x-api-key': 'sk-ant-mine' },
			'{"model":"m"}',
		)
		expect(mock.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': 'sk-ant-mine' })
		expect(JSON.stringify(mock.requests.map((one) => one.headers))).not.toContain(canary)
	})

	it('a ready name without a connection needs the own key of the caller', async () => {
		const refused = await send('POST', '/proxy/openai/v1/chat/completions', byKey(), '{}')
		expect(refused).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } })
		expect(refused.json.error.message).toContain('x-service-api-key')
	})

	it('an unreachable provider is a 502 in its shape, recorded as such', async () => {
		const record = await lastRecord(async () => {
			const answer = await send('POST', '/proxy/dead-gpt/v1/chat/completions', byKey(), '{"model":"m"}')
			expect(answer).toMatchObject({
				status: 502,
				json: { error: { type: 'server_error', code: 'upstream_unreachable' } },
			})
		})
		expect(record).toMatchObject({
			status: 'error',
			errorType: 'upstream_unreachable',
			usageSource: 'missing',
			modelRequested: 'm',
		})
		const answer = await send('POST', '/proxy/dead-claude/v1/messages', byKey(), '{}')
		expect(answer).toMatchObject({ status: 502, json: { type: 'error', error: { type: 'api_error' } } })
	})

	it('a body over the limit is a 413 and goes nowhere', async () => {
		const big = `{"model":"m","x":"${'x'.repeat(100_001)}"}`
		expect(await send('POST', '/proxy/gpt/v1/chat/completions', byKey(), big)).toMatchObject({
			status: 413,
			json: { error: { code: 'body_too_large' } },
		})
		expect(await send('POST', '/proxy/claude/v1/messages', byKey(), big)).toMatchObject({
			status: 413,
			json: { error: { type: 'request_too_large' } },
		})
		expect(mock.requests).toHaveLength(0)
	})

	it('a body that is no JSON is passed on: the provider judges it', async () => {
		await send('POST', '/proxy/gpt/v1/chat/completions', byKey(), '{"model": nonsense')
		expect(mock.requests.at(-1)?.body.toString()).toBe('{"model": nonsense')
	})

	it('an agent that is not active is refused at once, and recorded as denied', async () => {
		await proxy.setAgentStatus(agent.id, 'paused')
		const record = await lastRecord(async () => {
			const answer = await send('POST', '/proxy/gpt/v1/chat/completions', { 'x-api-key': agent.secret }, '{}')
			expect(answer).toMatchObject({
				status: 403,
				json: { error: { type: 'permission_error', code: 'agent_not_active' } },
			})
		})
		expect(record).toMatchObject({ status: 'denied', errorType: 'agent_not_active', agentId: agent.id })
		expect(mock.requests).toHaveLength(0)
		await proxy.setAgentStatus(agent.id, 'active')
	})

	it('pausing the agent cuts a running OpenAI stream with an error event and no [DONE]', async () => {
		const record = await lastRecord(async () => {
			const headers = { authorization: `Bearer ${agent.secret}` }
			const response = await fetch(`${proxy.url}/proxy/gpt/v1/chat/completions`, {
				method: 'POST',
				headers,
				body: '{"model":"slow","stream":true}',
			})
			setTimeout(() => void proxy.setAgentStatus(agent.id, 'paused'), 60)
			const text = await response.text()
			expect(text).toContain('word0')
			expect(text).toMatch(/\n\ndata: \{"error":\{[^\n]*"code":"agent_not_active"[^\n]*\n\n$/)
			expect(text).not.toContain('[DONE]')
		})
		expect(record).toMatchObject({
			status: 'denied',
			errorType: 'agent_not_active',
			httpStatus: 200,
			usageSource: 'estimated',
		})
		await until(() => mock.requests.at(-1)?.disconnectedAtMs !== null)
		await proxy.setAgentStatus(agent.id, 'active')
	})

	it('revoking the key cuts a running Anthropic stream, which its client raises', async () => {
		const revoked = await proxy.addAgent(agent.workspaceId)
		const anthropic = new Anthropic({
			baseURL: `${proxy.url}/proxy/claude`,
			apiKey: revoked.secret,
			maxRetries: 0,
		})
		const record = await lastRecord(async () => {
			const stream = anthropic.messages.stream({ model: 'slow', max_tokens: 9, messages })
			stream.once('text', () => void proxy.api(key, 'DELETE', `/v1/keys/${revoked.keyId}`))
			await expect(stream.finalMessage()).rejects.toThrow(/revoked|authentication_error/)
		})
		expect(record).toMatchObject({ status: 'denied', errorType: 'unauthenticated' })
		await until(() => mock.requests.at(-1)?.disconnectedAtMs !== null)
	})

	it('the provider quoting a key does not bring it into the record', async () => {
		mock.intercept = (received, response) => {
			const message = `Incorrect API key provided: ${received.headers.authorization}`
			response.writeHead(401, { 'content-type': 'application/json' })
			response.end(
				JSON.stringify({ error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }),
			)
			return true
		}
		const record = await lastRecord(() =>
			send('POST', '/proxy/gpt/v1/chat/completions', byKey(), '{"model":"m"}'),
		)
		expect(record).toMatchObject({ status: 'error', httpStatus: 401, errorType: 'invalid_request_error' })
		expect(record?.statusMessage).toContain('Incorrect API key provided')
		await until(() => proxy.stored().length === proxy.recorded.length)
		expect(proxy.shipped.map(String).join('')).not.toContain(canary)
	})

	it('tags, session, user and trace are taken from the request', async () => {
		const record = await lastRecord(() =>
			send(
				'POST',
				'/proxy/claude/v1/messages',
				{
					...byKey(),
					traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
					tracestate: 'vendor=1',
					'x-signalbox-session-id': 'session-1',
					'x-signalbox-user-id': 'user-1',
					'x-signalbox-tags': 'team=red, nightly',
					'user-agent': 'claude-cli/2.1.90 (external, cli)',
				},
				'{"model":"m"}',
			),
		)
		expect(record).toMatchObject({
			traceId: '0af7651916cd43dd8448eb211c80319c',
			parentSpanId: 'b7ad6b7169203331',
			traceState: 'vendor=1',
			sessionId: 'session-1',
			userId: 'user-1',
			client: 'claude-cli/2.1.90',
		})
		expect(record?.attributes.get('signalbox.tag.team')).toBe('red')
		expect(record?.attributes.get('signalbox.tag.nightly')).toBe('true')
		const byBody = await lastRecord(() => {
			const user_id = JSON.stringify({ device_id: 'd', account_uuid: 'a1', session_id: 's-2' })
			return send(
				'POST',
				'/proxy/claude/v1/messages',
				byKey(),
				JSON.stringify({ model: 'm', metadata: { user_id } }),
			)
		})
		expect(byBody).toMatchObject({ sessionId: 's-2', userId: 'a1' })
	})

	it('every call was recorded exactly once, under its own id', async () => {
		await until(() => proxy.stored().length === proxy.recorded.length)
		const ids = proxy.stored().map((row) => `${row.traceId}-${row.spanId}`)
		expect(new Set(ids).size).toBe(ids.length)
		expect(ids).toHaveLength(proxy.recorded.length)
	})
})

describe('a model proxy in trouble', () => {
	it('refuses before anything happens when the telemetry log is full', async () => {
		const database = await openTestSqlite()
		const mock = await startMockProvider()
		const proxy = await startProxy(database.store, { recorderMaxBytes: 1 })
		const { secret } = await proxy.addKey(await proxy.addWorkspace())
		await proxy.api(secret, 'POST', '/v1/provider-keys', {
			name: 'gpt',
			provider: 'openai',
			key: canary,
			base_url: mock.url,
		})
		const answer = await proxy.api(secret, 'POST', '/proxy/gpt/v1/chat/completions', { model: 'm' })
		expect(answer).toMatchObject({ status: 503, json: { error: { code: 'recorder_full' } } })
		expect(mock.requests).toHaveLength(0)
		await proxy.close()
		await mock.close()
		await database.end()
	})

	it('calls no address that the instance forbids, even when a connection to it is stored', async () => {
		const database = await openTestSqlite()
		const mock = await startMockProvider()
		const proxy = await startProxy(database.store, { loopbackAllowed: false })
		const workspaceId = await proxy.addWorkspace()
		const { secret } = await proxy.addKey(workspaceId)
		const create = (base_url: string) =>
			proxy.api(secret, 'POST', '/v1/provider-keys', {
				name: 'gpt',
				provider: 'openai',
				key: canary,
				base_url,
			})
		expect(await create(mock.url)).toMatchObject({ status: 403, json: { code: 'blocked_address' } })
		// A name that is judged only when it is connected to.
		const port = new URL(mock.url).port
		const made = await create(`http://localhost:${port}`)
		if (made.status === 201) {
			const answer = await proxy.api(secret, 'POST', '/proxy/gpt/v1/chat/completions', { model: 'm' })
			expect(answer).toMatchObject({ status: 403, json: { error: { code: 'blocked_address' } } })
		} else expect(made.json.code).toBe('blocked_address')
		expect(mock.requests).toHaveLength(0)
		await proxy.close()
		await mock.close()
		await database.end()
	})
})
