import Anthropic from '@anthropic-ai/sdk'
import { tokenPrefixes } from '@signalbox/contract'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestSqlite } from '../../platform/database/testing.ts'
import type { SpanRow } from '../../telemetry/index.ts'
import { type ProxyUnderTest, startProxy, until } from './testing/start-proxy.ts'
import { type MockProvider, mockTokenCount, mockWords, startMockProvider } from './testing.ts'

const text = mockWords.join('')
const openAiTokens = {
	inputTokens: 20,
	cacheReadTokens: 100,
	cacheWriteTokens: 0,
	outputTokens: 20,
	reasoningTokens: 10,
}
const anthropicTokens = {
	inputTokens: 25,
	cacheReadTokens: 300,
	cacheWriteTokens: 40,
	outputTokens: 13,
	reasoningTokens: 5,
}

describe('the official clients', () => {
	let mock: MockProvider
	let proxy: ProxyUnderTest
	let openai: OpenAI
	let anthropic: Anthropic
	let agent: { id: string; keyId: string; name: string }
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
		const workspaceId = await proxy.addWorkspace()
		const { secret } = await proxy.addKey(workspaceId)
		const create = (body: object) => proxy.api(secret, 'POST', '/v1/provider-keys', body)
		await create({ name: 'openai', provider: 'openai', key: 'sk-stored-openai', base_url: `${mock.url}/v1` })
		await create({ name: 'anthropic', provider: 'anthropic', key: 'sk-ant-stored', base_url: mock.url })
		const added = await proxy.addAgent(workspaceId, 'tester')
		agent = added
		openai = new OpenAI({ baseURL: `${proxy.url}/proxy/openai/v1`, apiKey: added.secret })
		anthropic = new Anthropic({ baseURL: `${proxy.url}/proxy/anthropic`, apiKey: added.secret })
	})
	afterAll(() => end?.())

	/** The record of the one call that `work` makes. */
	const recordOf = async (work: () => Promise<unknown>): Promise<SpanRow> => {
		await proxy.settled()
		const before = proxy.recorded.length
		await work()
		await until(() => proxy.recorded.length > before && proxy.liveRequests.size === 0)
		expect(proxy.recorded.length).toBe(before + 1)
		return proxy.recorded[before] as SpanRow
	}

	const messages = [{ role: 'user' as const, content: 'Grüße 👋' }]
	const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }]

	it('openai: a chat completion is answered and recorded with agent, model and tokens', async () => {
		const row = await recordOf(async () => {
			const answer = await openai.chat.completions.create({ model: 'gpt-mock', messages })
			expect(answer.choices[0]?.message.content).toBe(text)
			expect(answer._request_id).toBe('req_mock')
		})
		expect(row).toMatchObject({
			...openAiTokens,
			source: 'model_proxy',
			kind: 'model_call',
			name: 'chat gpt-mock',
			status: 'ok',
			agentId: agent.id,
			agentName: 'tester',
			credentialId: agent.keyId,
			connection: 'openai',
			provider: 'openai',
			modelRequested: 'gpt-mock',
			model: 'gpt-mock-2026-11-01',
			usageSource: 'reported',
			costNanoUsd: null,
			timeToFirstTokenNs: null,
			httpStatus: 200,
			client: 'OpenAI-JS/7.55.0',
		})
		expect(row.attributes.get('signalbox.provider_request_id')).toBe('req_mock')
		expect(row.responseBytes).toBeGreaterThan(100)
		expect(row.requestBytes).toBe(mock.requests.at(-1)?.body.length)
		expect(proxy.seen).toContain(agent.id)
	})

	it('openai: a stream with include_usage has the reported tokens and a time to first token', async () => {
		const row = await recordOf(async () => {
			let got = ''
			const stream_options = { include_usage: true }
			const stream = await openai.chat.completions.create({
				model: 'gpt-mock',
				messages,
				stream: true,
				stream_options,
			})
			for await (const chunk of stream) got += chunk.choices[0]?.delta.content ?? ''
			expect(got).toBe(text)
		})
		expect(row).toMatchObject({
			...openAiTokens,
			status: 'ok',
			usageSource: 'reported',
			model: 'gpt-mock-2026-11-01',
		})
		expect(row.timeToFirstTokenNs).toBeGreaterThan(0n)
		expect(row.timeToFirstTokenNs).toBeLessThanOrEqual(row.durationNs)
	})

	it('openai: a stream without usage is marked as estimated, never as zero', async () => {
		const row = await recordOf(async () => {
			const stream = await openai.chat.completions.create({ model: 'gpt-mock', messages, stream: true })
			for await (const _chunk of stream);
		})
		expect(row.usageSource).toBe('estimated')
		expect(row.outputTokens).toBe(Math.ceil(Buffer.byteLength(text) / 4))
		expect(row.inputTokens).toBe(Math.ceil(row.requestBytes / 4))
	})

	it('openai: tool calls pass, plain and streamed', async () => {
		const call = { type: 'function', function: { name: 'weather', arguments: '{"city":"Zürich"}' } }
		await recordOf(async () => {
			const plain = await openai.chat.completions.create({ model: 'gpt-mock', messages, tools })
			expect(plain.choices[0]?.message.tool_calls?.[0]).toMatchObject(call)
		})
		const streamed = await recordOf(async () => {
			const runner = openai.chat.completions.stream({ model: 'gpt-mock', messages, tools })
			const final = await runner.finalChatCompletion()
			expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject(call)
		})
		expect(streamed).toMatchObject({ status: 'ok', usageSource: 'estimated' })
		expect(streamed.attributes.get('gen_ai.response.finish_reasons')).toEqual(['tool_calls'])
	})

	it('openai: embeddings and models are answered; only the former is a model call', async () => {
		const row = await recordOf(() => openai.embeddings.create({ model: 'embed-mock', input: 'Hallo' }))
		expect(row).toMatchObject({
			name: 'embeddings embed-mock',
			kind: 'model_call',
			inputTokens: 7,
			outputTokens: 0,
		})
		const list = await recordOf(async () => {
			expect((await openai.models.list()).data[0]?.id).toBe('gpt-mock')
		})
		expect(list).toMatchObject({ name: 'models', kind: 'other', usageSource: '', status: 'ok' })
	})

	it.each([400, 429, 500])('openai: an error %i is raised as such and recorded', async (status) => {
		const row = await recordOf(async () => {
			const failing = openai.chat.completions.create({ model: `error-${status}`, messages })
			await expect(failing).rejects.toMatchObject({ status, code: `mock_${status}` })
		})
		expect(row).toMatchObject({ status: 'error', httpStatus: status, usageSource: 'missing', inputTokens: 0 })
		expect(row.errorType).toMatch(/invalid_request_error|rate_limit_error|server_error/)
		expect(row.statusMessage).toBe(`The mock answers ${status}.`)
	})

	it('openai: an error event and a broken stream are raised by the client and recorded', async () => {
		for (const [model, errorType] of [
			['stream-error', 'server_error'],
			['cut', 'upstream_reset'],
		] as const) {
			const row = await recordOf(async () => {
				const stream = await openai.chat.completions.create({ model, messages, stream: true })
				const reading = (async () => {
					for await (const _chunk of stream);
				})()
				await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError)
			})
			expect(row).toMatchObject({ status: 'error', errorType, httpStatus: 200, usageSource: 'estimated' })
		}
	})

	it('anthropic: a message is answered and recorded', async () => {
		const row = await recordOf(async () => {
			const answer = await anthropic.messages.create({ model: 'claude-mock', max_tokens: 100, messages })
			expect(answer.content[0]).toMatchObject({ type: 'text', text })
			expect(answer._request_id).toBe('req_mock')
		})
		expect(row).toMatchObject({
			...anthropicTokens,
			name: 'chat claude-mock',
			provider: 'anthropic',
			model: 'claude-mock-20261101',
			usageSource: 'reported',
			status: 'ok',
		})
		expect(row.attributes.get('signalbox.cache_write_1h_tokens')).toBe(10)
		expect(row.attributes.get('signalbox.provider_request_id')).toBe('req_mock')
		expect(mock.requests.at(-1)?.headers['anthropic-version']).toBeTruthy()
	})

	it('anthropic: a stream has cumulative tokens counted once', async () => {
		const row = await recordOf(async () => {
			const message = await anthropic.messages
				.stream({ model: 'claude-mock', max_tokens: 100, messages })
				.finalMessage()
			expect(message.content[0]).toMatchObject({ type: 'text', text })
			expect(message.usage.output_tokens).toBe(18)
		})
		expect(row).toMatchObject({ ...anthropicTokens, usageSource: 'reported', status: 'ok' })
		expect(row.timeToFirstTokenNs).toBeGreaterThan(0n)
	})

	it('anthropic: tools, count_tokens and models work', async () => {
		const tool = { name: 'weather', input_schema: { type: 'object' as const } }
		const streamed = await recordOf(async () => {
			const asked = { model: 'claude-mock', max_tokens: 100, messages, tools: [tool] }
			const message = await anthropic.messages.stream(asked).finalMessage()
			expect(message.content[0]).toMatchObject({ type: 'tool_use', input: { city: 'Zürich' } })
		})
		expect(streamed).toMatchObject({ ...anthropicTokens, status: 'ok', usageSource: 'reported' })
		const row = await recordOf(async () => {
			const counted = await anthropic.messages.countTokens({ model: 'claude-mock', messages })
			expect(counted.input_tokens).toBe(mockTokenCount)
		})
		expect(row).toMatchObject({
			name: 'count_tokens claude-mock',
			kind: 'other',
			usageSource: '',
			inputTokens: 0,
		})
		expect((await anthropic.models.list()).data[0]?.id).toBe('claude-mock')
	})

	it.each([400, 429, 500])('anthropic: an error %i is raised as such and recorded', async (status) => {
		const row = await recordOf(async () => {
			const failing = anthropic.messages.create({ model: `error-${status}`, max_tokens: 1, messages })
			await expect(failing).rejects.toMatchObject({ status })
		})
		expect(row).toMatchObject({ status: 'error', httpStatus: status, usageSource: 'missing' })
	})

	it('anthropic: an error event and a broken stream are raised by the client and recorded', async () => {
		for (const [model, errorType] of [
			['stream-error', 'overloaded_error'],
			['cut', 'upstream_reset'],
		] as const) {
			const row = await recordOf(async () => {
				const stream = anthropic.messages.stream({ model, max_tokens: 9, messages })
				await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.AnthropicError)
			})
			expect(row).toMatchObject({ status: 'error', errorType, inputTokens: 25, cacheReadTokens: 300 })
			expect(row.usageSource).toBe('estimated')
		}
	})

	it('a client that disconnects is disconnected upstream at once, and the call is recorded once', async () => {
		const row = await recordOf(async () => {
			const abort = new AbortController()
			const stream = await openai.chat.completions.create(
				{ model: 'slow', messages, stream: true },
				{ signal: abort.signal },
			)
			let chunks = 0
			let abortedAtMs = 0
			for await (const _chunk of stream) {
				chunks += 1
				if (chunks !== 3) continue
				abortedAtMs = performance.now()
				abort.abort()
			}
			await until(() => mock.requests.at(-1)?.disconnectedAtMs !== null)
			expect((mock.requests.at(-1)?.disconnectedAtMs ?? 0) - abortedAtMs).toBeLessThan(5000)
		})
		expect(row).toMatchObject({
			status: 'interrupted',
			errorType: 'client_disconnected',
			usageSource: 'estimated',
		})
	})

	it("the stored key is sent in the provider's header, and no Signalbox credential is", async () => {
		await openai.chat.completions.create(
			{ model: 'gpt-mock', messages },
			{ headers: { cookie: 'a=1', 'x-signalbox-tags': 'x' } },
		)
		const toOpenAi = mock.requests.at(-1)?.headers
		expect(toOpenAi?.authorization).toBe('Bearer sk-stored-openai')
		expect(toOpenAi).not.toHaveProperty('cookie')
		expect(toOpenAi).not.toHaveProperty('x-signalbox-tags')
		await anthropic.messages.create({ model: 'claude-mock', max_tokens: 1, messages })
		const toAnthropic = mock.requests.at(-1)?.headers
		expect(toAnthropic?.['x-api-key']).toBe('sk-ant-stored')
		expect(toAnthropic).not.toHaveProperty('authorization')
		for (const { headers } of mock.requests) expect(JSON.stringify(headers)).not.toContain(tokenPrefixes.key)
	})
})
