import Anthropic, { toFile } from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SpanRow } from '../../telemetry/index.ts'
import { useClientStage } from './testing/client-stage.ts'

const messages = [{ role: 'user' as const, content: 'Grüße 👋' }]
const asked = { model: 'claude-opus-5', max_tokens: 9, messages }

describe('the APIs of Anthropic with its official client', () => {
	const stage = useClientStage(({ connect, mock }) =>
		connect({ name: 'anthropic', provider: 'anthropic', key: 'sk-ant-stored', base_url: mock.url }),
	)
	let client: Anthropic
	let other: Anthropic
	beforeAll(() => {
		const clientOf = (apiKey: string) =>
			new Anthropic({ baseURL: `${stage.proxy.url}/proxy/anthropic`, apiKey, maxRetries: 0 })
		client = clientOf(stage.agent.secret)
		other = clientOf(stage.other.secret)
	})
	beforeEach(() => {
		stage.mock.intercept = null
	})

	/** Makes the provider answer with this message. */
	const answerWith = (message: object) => {
		stage.mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'application/json' })
			const envelope = {
				id: 'msg_1',
				type: 'message',
				role: 'assistant',
				content: [],
				model: 'claude-opus-5',
			}
			response.end(JSON.stringify({ ...envelope, stop_reason: 'end_turn', ...message }))
			return true
		}
	}
	const lines = ({ ledger }: SpanRow) =>
		ledger.map(({ dimension, quantity, iteration, model }) => [dimension, quantity, iteration, model])

	it('caches of both lifetimes, server tools and an advisor are rows of the ledger', async () => {
		answerWith({
			usage: {
				input_tokens: 7,
				output_tokens: 3,
				...{ cache_read_input_tokens: 500, cache_creation_input_tokens: 150 },
				cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 100 },
				server_tool_use: { web_search_requests: 2 },
				iterations: [
					{ type: 'message', input_tokens: 7, output_tokens: 3 },
					{ type: 'advisor_message', model: 'claude-sonnet-5', input_tokens: 70, output_tokens: 30 },
				],
			},
		})
		const row = await stage.recordOf(() => client.messages.create(asked))
		const [first, second] = ['claude-opus-5', 'claude-sonnet-5']
		expect(lines(row)).toEqual([
			['in_text', 7, 0, first],
			['cache_read', 500, 0, first],
			['cache_write_5m', 50, 0, first],
			['cache_write_1h', 100, 0, first],
			['out_text', 3, 0, first],
			['web_search', 2, 0, first],
			['in_text', 70, 2, second],
			['out_text', 30, 2, second],
		])
		// 7 × $5 + 500 × $0.50 + 50 × $6.25 + 100 × $10 + 3 × $25 + 70 × $2 + 30 × $10 per million, and two searches at 1 ¢.
		expect(row.costNanoUsd).toBe(
			35_000n + 250_000n + 312_500n + 1_000_000n + 75_000n + 140_000n + 300_000n + 20_000_000n,
		)
	})

	it('batches belong to the agent that made them', async () => {
		const requests = [{ custom_id: 'a', params: asked }]
		const { id } = await client.messages.batches.create({ requests })
		expect((await client.messages.batches.retrieve(id)).id).toBe(id)
		const resultsOf = (by: Anthropic) => by.get(`/v1/messages/batches/${id}/results`).asResponse()
		expect(await (await resultsOf(client)).json()).toMatchObject({ custom_id: 'a' })
		for (const attempt of [
			() => other.messages.batches.retrieve(id),
			() => resultsOf(other),
			() => other.messages.batches.cancel(id),
			() => other.messages.batches.delete(id),
		]) {
			const before = stage.mock.requests.length
			await expect(attempt()).rejects.toMatchObject({ status: 404 })
			expect(stage.mock.requests.length).toBe(before)
		}
		await client.messages.batches.cancel(id)
		await client.messages.batches.delete(id)
		await expect(client.messages.batches.list()).rejects.toMatchObject({ status: 403 })
	})

	it('a code container can be reused by the agent whose call opened it', async () => {
		answerWith({ container: { id: 'container_01' }, usage: { input_tokens: 1, output_tokens: 1 } })
		await client.messages.create(asked)
		const again = { ...asked, container: 'container_01' } as typeof asked
		await client.messages.create(again)
		await expect(other.messages.create(again)).rejects.toMatchObject({ status: 404 })
	})

	it('files of the account that no agent uploaded through Signalbox cannot be used with a stored key', async () => {
		const content = [{ type: 'document' as const, source: { type: 'file' as const, file_id: 'file_011abc' } }]
		const naming = client.messages.create({
			...asked,
			messages: [{ role: 'user', content: content as never }],
		})
		await expect(naming).rejects.toMatchObject({ status: 404 })
	})

	it('files are open to the agent that uploaded them, in messages too', async () => {
		const { id } = await client.beta.files.upload({ file: await toFile(Buffer.from('x'), 'a.txt') })
		await client.beta.files.retrieveMetadata(id)
		const content = [{ type: 'document' as const, source: { type: 'file' as const, file_id: id } }]
		const message = { ...asked, messages: [{ role: 'user' as const, content }] }
		await client.beta.messages.create(message)
		for (const attempt of [
			() => other.beta.files.retrieveMetadata(id),
			() => other.beta.files.download(id),
			() => other.beta.files.delete(id),
			() => other.beta.messages.create(message),
		]) {
			const before = stage.mock.requests.length
			await expect(attempt()).rejects.toMatchObject({ status: 404 })
			expect(stage.mock.requests.length).toBe(before)
		}
		await expect(client.beta.files.list()).rejects.toMatchObject({ status: 403 })
		await client.beta.files.delete(id)
	})

	it('chat completions in the form of OpenAI are read as such, with the key in the right header', async () => {
		const baseURL = `${stage.proxy.url}/proxy/anthropic/v1`
		const openai = new OpenAI({ baseURL, apiKey: stage.agent.secret, maxRetries: 0 })
		const ask = { model: 'claude-mock', messages }
		const row = await stage.recordOf(() => openai.chat.completions.create(ask))
		expect(row).toMatchObject({
			...{ name: 'chat claude-mock', provider: 'anthropic', usageSource: 'reported' },
			...{ inputTokens: 20, cacheReadTokens: 100, outputTokens: 20, reasoningTokens: 10 },
		})
		const { headers } = stage.mock.requests.at(-1) ?? {}
		expect(headers).toMatchObject({ authorization: 'Bearer sk-ant-stored' })
		const streamed = await stage.recordOf(async () => {
			const options = { include_usage: true }
			const stream = await openai.chat.completions.create({ ...ask, stream: true, stream_options: options })
			for await (const _ of stream);
		})
		expect(streamed).toMatchObject({ status: 'ok', usageSource: 'reported', outputTokens: 20 })
	})
})
