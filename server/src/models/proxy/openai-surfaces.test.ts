import { gzipSync, zstdCompressSync } from 'node:zlib'
import OpenAI, { toFile } from 'openai'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SpanRow } from '../../telemetry/index.ts'
import { useClientStage } from './testing/client-stage.ts'
import { mockSpeech } from './testing/openai-objects-wire.ts'
import { mockWords, readAnswer } from './testing.ts'

const model = 'gpt-mock'
const input = 'Grüße 👋'
const responseTokens = {
	inputTokens: 30,
	cacheReadTokens: 60,
	cacheWriteTokens: 10,
	outputTokens: 25,
	reasoningTokens: 15,
}

describe('the APIs of OpenAI with its official client', () => {
	const stage = useClientStage(({ connect, mock }) =>
		connect({ name: 'openai', provider: 'openai', key: 'sk-stored-openai', base_url: `${mock.url}/v1` }),
	)
	let openai: OpenAI
	let other: OpenAI
	beforeAll(() => {
		const clientOf = (apiKey: string) =>
			new OpenAI({ baseURL: `${stage.proxy.url}/proxy/openai/v1`, apiKey, maxRetries: 0 })
		openai = clientOf(stage.agent.secret)
		other = clientOf(stage.other.secret)
	})
	const quantities = ({ ledger }: SpanRow) =>
		Object.fromEntries(ledger.map(({ dimension, quantity }) => [dimension, quantity]))

	it('a response is answered, and its searches are in the ledger', async () => {
		const row = await stage.recordOf(async () => {
			const response = await openai.responses.create({ model, input })
			expect(response.output_text).toBe(mockWords.join(''))
		})
		expect(row).toMatchObject({
			...responseTokens,
			name: 'responses gpt-mock',
			usageSource: 'reported',
			status: 'ok',
		})
		expect(quantities(row)).toMatchObject({ web_search: 2, cache_write_30m: 10 })
	})

	it('a streamed response has the tokens of its last event', async () => {
		const row = await stage.recordOf(async () => {
			let text = ''
			for await (const event of await openai.responses.create({ model, input, stream: true }))
				if (event.type === 'response.output_text.delta') text += event.delta
			expect(text).toBe(mockWords.join(''))
		})
		expect(row).toMatchObject({ ...responseTokens, usageSource: 'reported', status: 'ok' })
		expect(row.timeToFirstTokenNs).toBeGreaterThan(0n)
	})

	// The fast lane leaves requests with `te` to node:http.
	it.each([
		['the fast lane', {}],
		['node:http', { te: 'trailers' }],
	])(
		'a streamed response that breaks off ends with a typed error event and a cut connection: %s',
		async (_lane, te) => {
			const created = '{"type":"response.created","response":{"id":"resp_1"}}'
			stage.mock.intercept = (_received, response) => {
				response.writeHead(200, { 'content-type': 'text/event-stream' })
				response.write(`event: response.created\ndata: ${created}\n\n`)
				setTimeout(() => response.destroy(), 20)
				return true
			}
			const answer = await fetch(`${stage.proxy.url}/proxy/openai/v1/responses`, {
				method: 'POST',
				headers: { authorization: `Bearer ${stage.agent.secret}`, 'content-type': 'application/json', ...te },
				body: JSON.stringify({ model, input, stream: true }),
			})
			const { text, isCut } = await readAnswer(answer)
			expect(isCut).toBe(true)
			const [, type, data] = /event: (\w+)\ndata: (.*)\n\n$/.exec(text) ?? []
			expect(type).toBe('error')
			const error = {
				code: 'upstream_unreachable',
				message: expect.stringContaining('broke off'),
				param: null,
			}
			expect(JSON.parse(data ?? '')).toMatchObject({ type: 'error', sequence_number: 0, ...error, error })
			const failing = async () => {
				for await (const _event of await openai.responses.create({ model, input, stream: true }));
			}
			await expect(failing()).rejects.toThrow('broke off')
			stage.mock.intercept = null
		},
	)

	it('a completion of a text is answered, whole or streamed, and recorded as such', async () => {
		const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }
		const chunk = (text: string, finish_reason: string | null = null) => ({
			...{ id: 'cmpl-1', object: 'text_completion', created: 1, model },
			choices: [{ text, index: 0, logprobs: null, finish_reason }],
		})
		stage.mock.intercept = (received, response) => {
			const { stream } = JSON.parse(received.body.toString())
			response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
			const events = [chunk('return '), chunk('1', 'stop'), { ...chunk(''), choices: [], usage }]
			const text = stream
				? `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
				: JSON.stringify({ ...chunk('return 1', 'stop'), usage })
			return response.end(text) === response
		}
		const recorded = { name: 'text_completion gpt-mock', inputTokens: 12, outputTokens: 3, status: 'ok' }
		const asked = { model, prompt: 'def one():', suffix: '\n' }
		const whole = await stage.recordOf(async () => {
			expect((await openai.completions.create(asked)).choices[0]?.text).toBe('return 1')
		})
		expect(whole).toMatchObject({ ...recorded, usageSource: 'reported', kind: 'model_call' })
		const streamed = await stage.recordOf(async () => {
			let text = ''
			const options = { stream: true, stream_options: { include_usage: true } } as const
			for await (const { choices } of await openai.completions.create({ ...asked, ...options }))
				text += choices[0]?.text ?? ''
			expect(text).toBe('return 1')
		})
		expect(streamed).toMatchObject({ ...recorded, usageSource: 'reported' })
		expect(streamed.timeToFirstTokenNs).toBeGreaterThan(0n)
		stage.mock.intercept = null
	})

	it('a stored response is open to the agent that made it, and to nobody else', async () => {
		const { id } = await openai.responses.create({ model, input })
		expect((await openai.responses.retrieve(id)).id).toBe(id)
		await openai.responses.inputItems.list(id)
		await openai.responses.cancel(id)
		await openai.responses.create({ model, input, previous_response_id: id })
		for (const attempt of [
			() => other.responses.retrieve(id),
			() => other.responses.delete(id),
			() => other.responses.cancel(id),
			() => other.responses.inputItems.list(id),
			() => other.responses.create({ model, input, previous_response_id: id }),
			() => other.responses.inputTokens.count({ model, input, previous_response_id: id }),
		]) {
			const before = stage.mock.requests.length
			await expect(attempt()).rejects.toMatchObject({ status: 404, code: 'not_found' })
			expect(stage.mock.requests.length).toBe(before)
		}
		await openai.responses.delete(id)
	})

	it('items of a response can be named only by the agent that created it', async () => {
		const id = (await openai.responses.create({ model, input })).output[0]?.id ?? ''
		for (const by of [[{ type: 'item_reference' as const, id }], [{ id }]]) {
			await openai.responses.create({ model, input: by })
			await expect(other.responses.create({ model, input: by })).rejects.toMatchObject({ status: 404 })
		}
	})

	it('a name written with escapes is decoded', async () => {
		const { id } = await openai.responses.create({ model, input })
		const hidden = [...id]
			.map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
			.join('')
		const response = await fetch(`${stage.proxy.url}/proxy/openai/v1/responses`, {
			method: 'POST',
			headers: { authorization: `Bearer ${stage.other.secret}`, 'content-type': 'application/json' },
			body: `{"model":"${model}","previous_response_id":"${hidden}"}`,
		})
		expect(response.status).toBe(404)
	})

	it('a name is read in every encoding that a provider could read', async () => {
		const { id } = await openai.responses.create({ model, input })
		const text = JSON.stringify({ model, previous_response_id: id })
		const post = (body: Buffer, headers: Record<string, string> = {}) =>
			fetch(`${stage.proxy.url}/proxy/openai/v1/responses`, {
				method: 'POST',
				headers: {
					authorization: `Bearer ${stage.other.secret}`,
					'content-type': 'application/json',
					...headers,
				},
				body,
			}).then(({ status }) => status)
		const wide = Buffer.from([...text].flatMap((sign) => [0, 0, 0, sign.charCodeAt(0)]))
		for (const body of [
			Buffer.from(`\ufeff${text}`),
			Buffer.from(text, 'utf16le'),
			Buffer.from(text, 'utf16le').swap16(),
			wide,
			Buffer.from(text.replace(/}$/, ',}')),
			Buffer.from(text.replace(/}$/, `,"x":"${'x'.repeat(500_000)}",}`)),
			Buffer.from(text.replace(/}$/, `,"x":[${'"file",'.repeat(50_000)}"y"]}`)),
		])
			expect([String(body.subarray(0, 20)), await post(body)]).toEqual([expect.anything(), 404])
		expect(await post(gzipSync(text), { 'content-encoding': 'gzip' })).toBe(404)
		expect(await post(zstdCompressSync(text), { 'content-encoding': 'zstd' })).toBe(404)
	})

	it('counting input tokens is not a model call', async () => {
		const row = await stage.recordOf(async () => {
			expect((await openai.responses.inputTokens.count({ model, input })).input_tokens).toBe(100)
		})
		expect(row).toMatchObject({ kind: 'other', name: 'responses/input_tokens gpt-mock', usageSource: '' })
	})

	it('the WebSocket of responses is answered with one 426', async () => {
		const response = await fetch(`${stage.proxy.url}/proxy/openai/v1/responses`, {
			headers: { authorization: `Bearer ${stage.agent.secret}` },
		})
		expect(response.status).toBe(403)
		const row = await stage.recordOf(async () => {
			expect(await statusOfUpgrade(stage, '/v1/responses', 'websocket')).toBe(426)
		})
		expect(row).toMatchObject({ status: 'error', errorType: 'upgrade_required', httpStatus: 426 })
	})

	it("an offer of HTTP/2, as made by Java's client, is ignored", async () => {
		const row = await stage.recordOf(async () => {
			expect(await statusOfUpgrade(stage, '/v1/models', 'h2c')).toBe(200)
		})
		expect(row).toMatchObject({ status: 'ok', httpStatus: 200 })
	})

	it('images: generated images are counted as image output, plain and streamed', async () => {
		const plain = await stage.recordOf(() => openai.images.generate({ model, prompt: 'x' }))
		expect(quantities(plain)).toEqual({ in_text: 10, in_image: 194, out_image: 4160 })
		const streamed = await stage.recordOf(async () => {
			const stream = await openai.images.generate({ model, prompt: 'x', stream: true, partial_images: 1 })
			const events = []
			for await (const event of stream) events.push(event.type)
			expect(events).toEqual(['image_generation.partial_image', 'image_generation.completed'])
		})
		expect(streamed).toMatchObject({ status: 'ok', usageSource: 'reported', outputTokens: 4160 })
	})

	it('images: an edit sends its form unchanged', async () => {
		const row = await stage.recordOf(async () =>
			openai.images.edit({
				model,
				prompt: 'x',
				image: await toFile(mockSpeech, 'a.png', { type: 'image/png' }),
			}),
		)
		expect(row).toMatchObject({ name: 'images/edits gpt-mock', inputTokens: 204 })
		expect(stage.mock.requests.at(-1)?.body.includes(mockSpeech)).toBe(true)
	})

	it('audio: speech comes back byte for byte, without figures and so unpriced', async () => {
		const row = await stage.recordOf(async () => {
			const speech = await openai.audio.speech.create({ model, voice: 'alloy', input })
			expect(Buffer.from(await speech.arrayBuffer()).equals(mockSpeech)).toBe(true)
		})
		expect(row).toMatchObject({ name: 'audio/speech gpt-mock', usageSource: 'missing', costNanoUsd: null })
	})

	it('audio: a transcription has audio tokens, and its model is read from the form', async () => {
		const row = await stage.recordOf(async () => {
			const file = await toFile(mockSpeech, 'a.mp3')
			expect((await openai.audio.transcriptions.create({ model, file })).text).toBe('Grüezi')
		})
		expect(row).toMatchObject({ modelRequested: model, kind: 'model_call' })
		expect(quantities(row)).toEqual({ in_text: 2, in_audio: 12, out_text: 45 })
	})

	it('files and batches belong to the agent that made them, the results of a batch too', async () => {
		const upload = async (client: OpenAI, text = '{}') =>
			client.files.create({ purpose: 'batch', file: await toFile(Buffer.from(text), 'a.jsonl') })
		const { id: input_file_id } = await upload(openai)
		const batch = { endpoint: '/v1/responses', completion_window: '24h', input_file_id } as const
		await expect(other.batches.create(batch)).rejects.toMatchObject({ status: 404 })
		const { id } = await openai.batches.create(batch)
		const { output_file_id } = await openai.batches.retrieve(id)
		const content = await openai.files.content(output_file_id as string)
		expect(Buffer.from(await content.arrayBuffer()).equals(mockSpeech)).toBe(true)
		await expect(other.files.content(output_file_id as string)).rejects.toMatchObject({ status: 404 })
		await expect(other.batches.cancel(id)).rejects.toMatchObject({ status: 404 })
		await expect(upload(other, `{"body":{"file_id":"${input_file_id}"}}`)).rejects.toMatchObject({
			status: 404,
		})
		await openai.batches.cancel(id)
		await openai.files.retrieve(input_file_id)
		await openai.files.delete(input_file_id)
	})

	it('lists of stored objects would show those of everyone, and are closed with a stored key', async () => {
		await expect(openai.files.list()).rejects.toMatchObject({ status: 403, code: 'path_not_allowed' })
		await expect(openai.batches.list()).rejects.toMatchObject({ status: 403, code: 'path_not_allowed' })
		const own = { 'x-service-api-key': stage.agent.secret }
		const mine = new OpenAI({ baseURL: openai.baseURL, apiKey: 'sk-mine', defaultHeaders: own })
		await mine.files.list()
		expect(stage.mock.requests.at(-1)?.headers.authorization).toBe('Bearer sk-mine')
	})

	it('a conversation and its items are open to the agent that made them', async () => {
		const { id } = await openai.conversations.create({})
		await openai.conversations.items.create(id, { items: [{ role: 'user', content: 'x', type: 'message' }] })
		await openai.conversations.items.list(id)
		await openai.responses.create({ model, input, conversation: id })
		for (const attempt of [
			() => other.conversations.retrieve(id),
			() => other.conversations.update(id, { metadata: {} }),
			() => other.conversations.delete(id),
			() => other.conversations.items.list(id),
			() => other.conversations.items.retrieve('msg_1', { conversation_id: id }),
			() => other.conversations.items.create(id, { items: [] }),
			() => other.responses.create({ model, input, conversation: id }),
			() => other.responses.create({ model, input, conversation: { id } }),
		]) {
			const before = stage.mock.requests.length
			await expect(attempt()).rejects.toMatchObject({ status: 404, code: 'not_found' })
			expect(stage.mock.requests.length).toBe(before)
		}
		await openai.conversations.delete(id)
	})

	it('a vector store is open to the agent that made it, and takes files of its own', async () => {
		const file = await openai.files.create({
			file: await toFile(Buffer.from('x'), 'a'),
			purpose: 'assistants',
		})
		const { id } = await openai.vectorStores.create({ file_ids: [file.id] })
		await openai.vectorStores.files.create(id, { file_id: file.id })
		await openai.vectorStores.search(id, { query: 'x' })
		const tools = [{ type: 'file_search' as const, vector_store_ids: [id] }]
		await openai.responses.create({ model, input, tools })
		const { id: ofOther } = await other.vectorStores.create({})
		for (const attempt of [
			() => other.vectorStores.retrieve(id),
			() => other.vectorStores.update(id, { name: 'x' }),
			() => other.vectorStores.delete(id),
			() => other.vectorStores.search(id, { query: 'x' }),
			() => other.vectorStores.files.list(id),
			() => other.vectorStores.files.content(file.id, { vector_store_id: id }),
			() => other.vectorStores.fileBatches.create(id, { file_ids: [] }),
			() => other.vectorStores.create({ file_ids: [file.id] }),
			() => other.vectorStores.files.create(ofOther, { file_id: file.id }),
			() => other.responses.create({ model, input, tools }),
		]) {
			const before = stage.mock.requests.length
			await expect(attempt()).rejects.toMatchObject({ status: 404, code: 'not_found' })
			expect(stage.mock.requests.length).toBe(before)
		}
		await expect(openai.vectorStores.list()).rejects.toMatchObject({ status: 403, code: 'path_not_allowed' })
	})

	it("a path that repeats the base URL's is below it, as clients of Groq send it", async () => {
		const base_url = `${stage.mock.url}/groq/openai/v1`
		await stage.connect({ name: 'groq', provider: 'openai_compatible', key: 'gsk-stored', base_url })
		const ask = (path: string) =>
			fetch(`${stage.proxy.url}/proxy/groq/${path}`, {
				method: 'POST',
				headers: { authorization: `Bearer ${stage.agent.secret}` },
				body: JSON.stringify({ model }),
			})
		for (const [path, operation, sent] of [
			['openai/v1/chat/completions', 'chat', 'chat/completions'],
			['v1/chat/completions', 'chat', 'chat/completions'],
			['chat/completions', 'chat', 'chat/completions'],
			// Of Mistral and many others.
			['v1/fim/completions', 'text_completion', 'fim/completions'],
			['v1/rerank', 'rerank', 'rerank'],
		] as const) {
			const row = await stage.recordOf(() => ask(path))
			expect(row).toMatchObject({ kind: 'model_call', name: `${operation} ${model}` })
			expect(stage.mock.requests.at(-1)?.path).toBe(`/groq/openai/v1/${sent}`)
		}
		for (const path of ['openai/v1/openai/v1/chat/completions', 'groq/v1/chat/completions'])
			expect((await ask(path)).status).toBe(403)
	})

	it('moderations are open and cost nothing', async () => {
		const row = await stage.recordOf(() => openai.moderations.create({ input: 'x' }))
		expect(row).toMatchObject({ name: 'moderations', kind: 'other', status: 'ok' })
	})
})

/** Coding agents try this before they fall back to POST. */
async function statusOfUpgrade(
	{ proxy, agent }: ReturnType<typeof useClientStage>,
	path: string,
	upgrade: string,
): Promise<number | undefined> {
	const { request } = await import('node:http')
	const headers = {
		authorization: `Bearer ${agent.secret}`,
		'openai-beta': 'responses_websockets=2026-02-06',
		...{
			connection: 'Upgrade, HTTP2-Settings',
			upgrade,
			'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
		},
		...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
	}
	return new Promise((resolve, reject) => {
		const asking = request(`${proxy.url}/proxy/openai${path}`, { headers }, (response) => {
			response.resume().on('end', () => resolve(response.statusCode))
		})
		asking.on('error', reject).end()
	})
}
