import Anthropic from '@anthropic-ai/sdk'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SpanRow } from '../telemetry/index.ts'
import { useClientStage } from './testing/client-stage.ts'

const messages = [{ role: 'user' as const, content: 'Grüße 👋' }]
const asked = { model: 'claude-opus-5', max_tokens: 9, messages }

describe('the surfaces of Anthropic with its official client', () => {
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

	/** Lets the provider answer with this message. */
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

	it('caches of both lives, server tools and an advisor are rows of the ledger', async () => {
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
		// 7 × $5 + 500 × $0.50 + 50 × $6.25 + 100 × $10 + 3 × $25 + 70 × $2 + 30 × $10 a million, and two searches at 1 ¢.
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

	it('a container of code is named again by the agent whose call opened it', async () => {
		answerWith({ container: { id: 'container_01' }, usage: { input_tokens: 1, output_tokens: 1 } })
		await client.messages.create(asked)
		const again = { ...asked, container: 'container_01' } as typeof asked
		await client.messages.create(again)
		await expect(other.messages.create(again)).rejects.toMatchObject({ status: 404 })
	})

	it('files of the account, which no agent made through us, are not named with a stored key', async () => {
		const content = [{ type: 'document' as const, source: { type: 'file' as const, file_id: 'file_011abc' } }]
		const naming = client.messages.create({
			...asked,
			messages: [{ role: 'user', content: content as never }],
		})
		await expect(naming).rejects.toMatchObject({ status: 404 })
	})
})
