import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import { tokenPrefixes } from '@signalbox/contract'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { canary, useProxyStage } from './testing/proxy-stage.ts'
import { until } from './testing/start-proxy.ts'
import { readAnswer } from './testing.ts'

const messages = [{ role: 'user' as const, content: 'Hallo' }]

describe('refusals of the model proxy', () => {
	const stage = useProxyStage()

	it.each([
		['/proxy/gpt/v1/chat/completions', 'openai'],
		['/proxy/openai/v1/chat/completions', 'openai'],
		['/proxy/claude/v1/messages', 'anthropic'],
		['/spotlight/anthropic/v1/messages', 'anthropic'],
	])('no credential on %s is a 401 in the shape of %s', async (path, shape) => {
		for (const headers of [{}, { 'x-api-key': 'sk-foreign' }, { authorization: 'Bearer nonsense' }]) {
			const { status, json } = await stage.send('POST', path, headers, '{}')
			expect(status).toBe(401)
			if (shape === 'openai')
				expect(json).toMatchObject({
					error: { type: 'authentication_error', code: 'unauthenticated', param: null },
				})
			else expect(json).toMatchObject({ type: 'error', error: { type: 'authentication_error' } })
		}
		expect(stage.mock.requests).toHaveLength(0)
	})

	it('an unknown connection is a 404 that the official clients raise, and it is recorded', async () => {
		const openai = new OpenAI({ baseURL: `${stage.proxy.url}/proxy/nowhere/v1`, apiKey: stage.key })
		const record = await stage.lastRecord(async () => {
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
		const anthropic = new Anthropic({ baseURL: `${stage.proxy.url}/proxy/nowhere`, apiKey: stage.key })
		const refused = await anthropic.messages.create({ model: 'm', max_tokens: 1, messages }).catch((e) => e)
		expect(refused).toBeInstanceOf(Anthropic.NotFoundError)
		expect(refused.requestID).toBe(refused.error.request_id)
	})

	it.each([
		['POST', '/proxy/gpt/v1/evals'],
		['GET', '/proxy/gpt/v1/vector_stores'],
		['GET', '/proxy/gpt/v1/conversations'],
		['GET', '/proxy/gpt/v1/files'],
		['DELETE', '/proxy/gpt/v1/models/gpt-mock'],
		['GET', '/proxy/gpt/v1/chat/completions'],
		['POST', '/proxy/gpt/v1/v1/chat/completions'],
		['POST', '/proxy/gpt/v1/%63hat/completions'],
		['POST', '/proxy/gpt/admin/v1/chat/completions'],
		['GET', '/proxy/gpt'],
		['GET', '/proxy/claude/v1/messages/batches'],
		['POST', '/spotlight/gpt/v1/fine_tuning/jobs'],
	])('%s %s is closed with a stored key', async (method, path) => {
		const { status, text } = await stage.send(
			method,
			path,
			stage.byKey(),
			method === 'POST' ? '{}' : undefined,
		)
		expect(status).toBe(403)
		expect(text).toContain('path_not_allowed')
		expect(stage.mock.requests).toHaveLength(0)
	})

	it('listed paths are open with and without /v1, under both prefixes and with a query', async () => {
		for (const [path, upstream] of [
			['/proxy/gpt/chat/completions', '/chat/completions'],
			['/proxy/gpt/v1/chat/completions?a=1&b=%2F', '/v1/chat/completions?a=1&b=%2F'],
			['/spotlight/gpt/v1/embeddings', '/v1/embeddings'],
			['/proxy/claude/v1/messages?beta=true', '/v1/messages?beta=true'],
		] as const) {
			expect((await stage.send('POST', path, stage.byKey(), '{"model":"m"}')).status).toBe(200)
			expect(stage.mock.requests.at(-1)?.path).toBe(upstream)
		}
	})

	it('the Signalbox key is accepted in every place that clients use, and never forwarded', async () => {
		for (const headers of [
			{ 'x-api-key': stage.key },
			{ 'x-service-api-key': stage.key },
			{ 'x-goog-api-key': stage.key },
			stage.byKey(),
		]) {
			expect((await stage.send('GET', '/proxy/gpt/v1/models', headers)).status).toBe(200)
		}
		expect((await stage.send('GET', `/proxy/gpt/v1/models?after=x&key=${stage.key}`)).status).toBe(200)
		expect(stage.mock.requests.at(-1)?.path).toBe('/v1/models?after=x')
		const twice = await stage.send('GET', '/proxy/gpt/v1/models', {
			...stage.byKey(),
			'x-api-key': stage.key,
		})
		expect(twice).toMatchObject({ status: 400, json: { error: { code: 'ambiguous_credentials' } } })
		for (const { headers, path } of stage.mock.requests)
			expect(JSON.stringify(headers) + path).not.toContain(tokenPrefixes.key)
	})

	it('with x-service-api-key the caller can use its own key, and then every path is open', async () => {
		const own = { 'x-service-api-key': stage.key, authorization: 'Bearer sk-mine' }
		expect((await stage.send('POST', '/proxy/gpt/v1/evals', own, '{"model":"m"}')).status).toBe(404)
		expect(stage.mock.requests.at(-1)).toMatchObject({
			path: '/v1/evals',
			headers: { authorization: 'Bearer sk-mine' },
		})
		await stage.send('POST', '/proxy/claude/v1/messages', own, '{"model":"m"}')
		expect(stage.mock.requests.at(-1)?.headers.authorization).toBe('Bearer sk-mine')
		await stage.send(
			'POST',
			'/proxy/claude/v1/messages',
			{ 'x-service-api-key': stage.key, 'x-api-key': 'sk-ant-mine' },
			'{"model":"m"}',
		)
		expect(stage.mock.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': 'sk-ant-mine' })
		expect(JSON.stringify(stage.mock.requests.map((one) => one.headers))).not.toContain(canary)
	})

	it("a built-in name without a connection needs the caller's own key", async () => {
		const refused = await stage.send('POST', '/proxy/openai/v1/chat/completions', stage.byKey(), '{}')
		expect(refused).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } })
		expect(refused.json.error.message).toContain('x-service-api-key')
	})

	it("an unreachable provider is a 502 in the provider's error format, recorded as such", async () => {
		const record = await stage.lastRecord(async () => {
			const answer = await stage.send(
				'POST',
				'/proxy/dead-gpt/v1/chat/completions',
				stage.byKey(),
				'{"model":"m"}',
			)
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
		const answer = await stage.send('POST', '/proxy/dead-claude/v1/messages', stage.byKey(), '{}')
		expect(answer).toMatchObject({ status: 502, json: { type: 'error', error: { type: 'api_error' } } })
	})

	it('a body over the limit is a 413 and is not sent', async () => {
		const big = `{"model":"m","x":"${'x'.repeat(100_001)}"}`
		expect(await stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), big)).toMatchObject({
			status: 413,
			json: { error: { code: 'body_too_large' } },
		})
		expect(await stage.send('POST', '/proxy/claude/v1/messages', stage.byKey(), big)).toMatchObject({
			status: 413,
			json: { error: { type: 'request_too_large' } },
		})
		expect(stage.mock.requests).toHaveLength(0)
	})

	it('a body that is not JSON is passed on: the provider decides about it', async () => {
		await stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), '{"model": nonsense')
		expect(stage.mock.requests.at(-1)?.body.toString()).toBe('{"model": nonsense')
	})

	it('an agent that is not active is refused at once, and recorded as denied', async () => {
		await stage.proxy.setAgentStatus(stage.agent.id, 'paused')
		const record = await stage.lastRecord(async () => {
			const answer = await stage.send(
				'POST',
				'/proxy/gpt/v1/chat/completions',
				{ 'x-api-key': stage.agent.secret },
				'{}',
			)
			const message = expect.stringMatching(
				/ is paused\. A member of the workspace can resume or start it\.$/,
			)
			expect(answer).toMatchObject({
				status: 403,
				json: { error: { type: 'permission_error', code: 'agent_not_active', message } },
			})
		})
		expect(record).toMatchObject({ status: 'denied', errorType: 'agent_not_active', agentId: stage.agent.id })
		expect(stage.mock.requests).toHaveLength(0)
		await stage.proxy.setAgentStatus(stage.agent.id, 'active')
	})

	it('pausing the agent cuts a running OpenAI stream with an error event and no [DONE]', async () => {
		const record = await stage.lastRecord(async () => {
			const headers = { authorization: `Bearer ${stage.agent.secret}` }
			const response = await fetch(`${stage.proxy.url}/proxy/gpt/v1/chat/completions`, {
				method: 'POST',
				headers,
				body: '{"model":"slow","stream":true}',
			})
			setTimeout(() => void stage.proxy.setAgentStatus(stage.agent.id, 'paused'), 60)
			const { text, isCut } = await readAnswer(response)
			expect(isCut).toBe(true)
			expect(text).toContain('word0')
			expect(text).toMatch(
				/\n\ndata: \{"error":\{[^\n]*"code":"call_cut"[^\n]*"reason":"agent_not_active"\}\}\n\n$/,
			)
			expect(text).toContain('had been sent by then and may have taken effect')
			expect(text).not.toContain('[DONE]')
		})
		expect(record).toMatchObject({
			status: 'cut',
			errorType: 'agent_not_active',
			statusMessage: expect.stringContaining('may have taken effect'),
			httpStatus: 200,
			usageSource: 'estimated',
		})
		await until(() => stage.mock.requests.at(-1)?.disconnectedAtMs !== null)
		await stage.proxy.setAgentStatus(stage.agent.id, 'active')
	})

	it('pausing the agent cuts a call that has reached its provider, and never reports it as refused', async () => {
		const record = await stage.lastRecord(async () => {
			const { intercept } = stage.mock
			stage.mock.intercept = () => true
			const before = stage.mock.requests.length
			const headers = { 'x-api-key': stage.agent.secret }
			const answered = stage.send('POST', '/proxy/claude/v1/messages', headers, '{"model":"m"}')
			await until(() => stage.mock.requests.length > before)
			await stage.proxy.setAgentStatus(stage.agent.id, 'paused')
			const { status, json } = await answered
			stage.mock.intercept = intercept
			expect([status, json.error.code, json.error.reason]).toEqual([403, 'call_cut', 'agent_not_active'])
			expect(json.error.message).toContain('may have taken effect')
		})
		expect(record).toMatchObject({ status: 'cut', errorType: 'agent_not_active' })
		await stage.proxy.setAgentStatus(stage.agent.id, 'active')
	})

	it('revoking the key cuts a running Anthropic stream, which its client raises', async () => {
		const revoked = await stage.proxy.addAgent(stage.agent.workspaceId)
		const anthropic = new Anthropic({
			baseURL: `${stage.proxy.url}/proxy/claude`,
			apiKey: revoked.secret,
			maxRetries: 0,
		})
		const record = await stage.lastRecord(async () => {
			const stream = anthropic.messages.stream({ model: 'slow', max_tokens: 9, messages })
			stream.once('text', () => void stage.proxy.api(stage.key, 'DELETE', `/v1/keys/${revoked.keyId}`))
			await expect(stream.finalMessage()).rejects.toThrow(/"code":"call_cut","reason":"unauthenticated"/)
		})
		expect(record).toMatchObject({ status: 'cut', errorType: 'unauthenticated' })
		await until(() => stage.mock.requests.at(-1)?.disconnectedAtMs !== null)
	})

	it('a key that is revoked while the body of its call comes is refused', async () => {
		const revoked = await stage.proxy.addAgent(stage.agent.workspaceId)
		const body = JSON.stringify({ model: 'gpt-mock', messages })
		const headers = {
			authorization: `Bearer ${revoked.secret}`,
			'content-type': 'application/json',
			'content-length': String(Buffer.byteLength(body)),
		}
		const before = stage.mock.requests.length
		const sent = request(`${stage.proxy.url}/proxy/gpt/v1/chat/completions`, { method: 'POST', headers })
		const answered = once(sent, 'response')
		sent.flushHeaders()
		// Long enough for the head to be checked.
		await sleep(200)
		await stage.proxy.api(stage.key, 'DELETE', `/v1/keys/${revoked.keyId}`)
		const record = await stage.lastRecord(async () => {
			sent.end(body)
			const [response] = (await answered) as [IncomingMessage]
			response.resume()
			expect(response.statusCode).toBe(401)
		})
		expect(record).toMatchObject({ status: 'denied', errorType: 'unauthenticated', httpStatus: 401 })
		expect(stage.mock.requests).toHaveLength(before)
	})

	it('every call was recorded exactly once, under its own id, without the key of the provider', () =>
		stage.expectSoundRecords())
})
