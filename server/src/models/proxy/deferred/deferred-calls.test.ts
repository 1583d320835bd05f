import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { GoogleGenAI } from '@google/genai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import { type ProxyUnderTest, startProxy, until } from '../testing/start-proxy.ts'
import { type MockProvider, startMockProvider } from '../testing.ts'

const model = 'batched-model'
/** At 1,000 nano-dollars per token, and half of it in a batch. */
const resultCost = ((100 + 7) * 1000) / 2
const results = 250

const chatUsage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 }
const messageUsage = { input_tokens: 100, output_tokens: 7, service_tier: 'batch' }
const openAiLine = (at: number) => ({
	id: `batch_req_${at}`,
	custom_id: `request-${at}`,
	response: { status_code: 200, body: { id: `chatcmpl-${at}`, model, choices: [], usage: chatUsage } },
	error: null,
})
const anthropicLine = (at: number) => ({
	custom_id: `request-${at}`,
	result: { type: 'succeeded', message: { id: `msg_${at}`, type: 'message', model, usage: messageUsage } },
})
/** A text that looks like a list of results. */
const misleadingText = 'Write "inlinedResponses": [ {"response": 1} ]'
const geminiItem = (at: number) => ({
	metadata: { key: `request-${at}` },
	response: {
		candidates: [{ content: { role: 'model', parts: [{ text: misleadingText }] }, finishReason: 'STOP' }],
		usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 7, totalTokenCount: 107 },
		...{ modelVersion: model, responseId: `gem-${at}` },
	},
})
const failed = [
	{ custom_id: 'bad', response: { status_code: 400, body: { error: { type: 'invalid' } } } },
	{ custom_id: 'late', result: { type: 'expired' } },
]
const linesOf = (line: (at: number) => object) =>
	[...failed, ...Array.from({ length: results }, (_, at) => line(at))]
		.map((one) => `${JSON.stringify(one)}\n`)
		.join('')

describeWithStore('what a provider does later', (store) => {
	let mock: MockProvider
	let proxies: [ProxyUnderTest, ProxyUnderTest]
	let key: string
	let otherKey: string
	let agent: Awaited<ReturnType<ProxyUnderTest['addAgent']>>
	beforeAll(async () => {
		mock = await startMockProvider({ keepRequests: false })
		mock.intercept = ({ method, path }, response) => answer(method, path, response)
		const masterKey = randomBytes(32)
		proxies = [await startProxy(store(), { masterKey }), await startProxy(store(), { masterKey })]
		const [first, second] = proxies
		const workspaceId = await first.addWorkspace()
		key = (await first.addKey(workspaceId)).secret
		otherKey = (await first.addKey(workspaceId)).secret
		agent = await first.addAgent(workspaceId)
		for (const [name, provider] of Object.entries({ gpt: 'openai', claude: 'anthropic', gem: 'gemini' }))
			await first.api(key, 'POST', '/v1/provider-keys', {
				...{ name, provider, base_url: mock.url, key: 'sk-stored' },
			})
		const rates = { in_text: '1000000000', out_text: '1000000000' }
		await first.api(key, 'POST', '/v1/prices', { model: `${model}*`, rates })
		await second.feed.catchUp()
	})
	afterAll(async () => {
		for (const proxy of proxies ?? []) await proxy.close()
		await mock?.close()
	})

	let made = 0
	/** The download of results breaks off after this many bytes. */
	let cutAfter = Number.POSITIVE_INFINITY
	function answer(method: string, path: string, response: ServerResponse): boolean {
		if (path.includes('/v1beta/')) return answerGemini(path, response)
		if (path.endsWith('/content')) return sendLines(response, openAiLine)
		if (path.endsWith('/results')) return sendLines(response, anthropicLine)
		if (method === 'POST') made += 1
		const id = /[a-z]+_\d+$/.exec(path)?.[0]
		const done = { status: 'completed', output_file_id: `file-of_${id}`, usage: messageUsage }
		const begun = { status: 'queued', background: true, usage: null }
		const word = path.includes('responses') ? 'resp' : path.includes('messages') ? 'msgbatch' : 'batch'
		const json = { id: id ?? `${word}_${made}`, model, ...(id ? done : begun) }
		response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
		return true
	}
	function answerGemini(path: string, response: ServerResponse): boolean {
		response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' })
		if (path.includes(':batchGenerateContent'))
			return end(response, { name: `batches/gem_${++made}`, metadata: { state: 'BATCH_STATE_PENDING' } })
		const items = [{ error: { code: 3 } }, ...Array.from({ length: results }, (_, at) => geminiItem(at))]
		const output = { inlinedResponses: { inlinedResponses: items } }
		const metadata = { state: 'BATCH_STATE_SUCCEEDED', displayName: misleadingText, output }
		return end(response, {
			name: path.split('/').slice(-2).join('/'),
			metadata,
			done: true,
			response: output,
		})
	}
	function end(response: ServerResponse, json: object): true {
		const bytes = Buffer.from(JSON.stringify(json, null, 2))
		for (let at = 0; at < bytes.length; at += 1009) response.write(bytes.subarray(at, at + 1009))
		response.end()
		return true
	}
	function sendLines(response: ServerResponse, line: (at: number) => object): boolean {
		const bytes = gzipSync(linesOf(line))
		response.writeHead(200, { 'content-type': 'application/x-jsonl', 'content-encoding': 'gzip' })
		response.write(bytes.subarray(0, Math.min(cutAfter, bytes.length)))
		if (cutAfter < bytes.length) setTimeout(() => response.destroy(), 20)
		else response.end()
		return true
	}

	const call = async (proxy: ProxyUnderTest, by: string, method: string, path: string, body?: object) => {
		const response = await fetch(`${proxy.url}/proxy/${path}`, {
			method,
			headers: {
				...{ authorization: `Bearer ${by}`, 'content-type': 'application/json' },
				...(method === 'POST' && { 'x-signalbox-session-id': `session-of-${path}` }),
			},
			...(body && { body: JSON.stringify(body) }),
		})
		const text = await response.text()
		return { status: response.status, text, json: text.startsWith('{"id') ? JSON.parse(text) : null }
	}
	const settled = (objectId: string): SpanRow[] =>
		proxies.flatMap(({ recorded }) =>
			recorded.filter(({ attributes }) => attributes.get('signalbox.deferred.object') === objectId),
		)
	const sumOf = (rows: readonly SpanRow[]) => rows.reduce((sum, row) => sum + Number(row.costNanoUsd), 0)

	it.each([
		['openai', 'gpt/v1/batches', (id: string) => `gpt/v1/files/file-of_${id}/content`],
		['anthropic', 'claude/v1/messages/batches', (id: string) => `claude/v1/messages/batches/${id}/results`],
	])(
		'%s: each result of a batch is one call at batch prices, whoever reads it how often',
		async (_name, path, resultsOf) => {
			const [first, second] = proxies
			const { json: begun } = await call(first, key, 'POST', path, { input_file_id: undefined })
			await call(second, otherKey, 'GET', `${path}/${begun.id}`)
			await first.settled()
			const origin = first.recorded.find(({ sessionId }) => sessionId === `session-of-${path}`) as SpanRow
			expect(origin).toMatchObject({ kind: 'other', costNanoUsd: null, usageSource: '' })

			cutAfter = 500
			await expect(call(first, key, 'GET', resultsOf(begun.id))).rejects.toThrow()
			cutAfter = Number.POSITIVE_INFINITY
			const reads = [first, second, first, second].map((proxy, at) =>
				call(proxy, at % 2 ? key : otherKey, 'GET', resultsOf(begun.id)),
			)
			const texts = (await Promise.all(reads)).map(({ text }) => text)
			expect(new Set(texts)).toEqual(new Set([linesOf(path.startsWith('gpt') ? openAiLine : anthropicLine)]))

			await until(() => settled(begun.id).length >= results)
			await call(second, key, 'GET', resultsOf(begun.id))
			const rows = settled(begun.id)
			expect(rows).toHaveLength(results)
			expect(new Set(rows.map(({ spanId }) => spanId)).size).toBe(results)
			expect(sumOf(rows)).toBe(results * resultCost)
			const { traceId, spanId: parentSpanId, sessionId, credentialId, startNs } = origin
			const whose = { traceId, parentSpanId, sessionId, credentialId, model, usageSource: 'reported' }
			for (const row of rows) expect(row).toMatchObject({ ...whose, inputTokens: 100, outputTokens: 7 })
			expect(Number(startNs - (rows[0] as SpanRow).startNs) / 1e6).toBeLessThan(1)
		},
	)

	it('gemini: each inline result of a batch is one call, with the vendor’s client', async () => {
		const [first, second] = proxies
		const clientOf = ({ url }: ProxyUnderTest, apiKey: string) =>
			new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${url}/proxy/gem`, apiVersion: 'v1beta' } })
		const src = [{ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }]
		const { name = '' } = await clientOf(first, key).batches.create({ model, src })
		const id = name.split('/').at(-1) as string
		for (const proxy of [first, second, first]) {
			const { state, dest } = await clientOf(proxy, otherKey).batches.get({ name })
			expect([state, dest?.inlinedResponses?.length]).toEqual(['JOB_STATE_SUCCEEDED', results + 1])
		}
		await until(() => settled(id).length >= results)
		expect(settled(id)).toHaveLength(results)
		expect(sumOf(settled(id))).toBe(results * resultCost)
		const names = settled(id).map(({ attributes }) => attributes.get('signalbox.deferred.result'))
		expect(new Set(names).size).toBe(results)
		expect(names).toContain('request-7 gem-7')
		await expect(clientOf(first, agent.secret).batches.get({ name })).rejects.toMatchObject({ status: 404 })
		const file = clientOf(first, key).batches.create({ model, src: { fileName: 'files/of-others' } })
		await expect(file).rejects.toMatchObject({ status: 404 })
	})

	it('deferred work belongs to the agent that began it, and counts in its budgets; with nothing left no batch can be begun', async () => {
		const [first] = proxies
		const limit = results * resultCost
		const budget = { name: 'Cap', scope: 'agent', scope_id: agent.id, window: 'month', limit: String(limit) }
		const { json } = await first.api(key, 'POST', '/v1/budgets', budget)
		const { json: batch } = await call(first, agent.secret, 'POST', 'gpt/v1/batches')
		await call(first, agent.secret, 'GET', `gpt/v1/batches/${batch.id}`)
		const file = `gpt/v1/files/file-of_${batch.id}/content`
		expect((await call(first, key, 'GET', file)).status).toBe(404)
		expect((await call(first, agent.secret, 'GET', file)).status).toBe(200)
		await until(() => settled(batch.id).length === results)
		expect(new Set(settled(batch.id).map(({ agentId }) => agentId))).toEqual(new Set([agent.id]))
		await until(() => first.recorded.length > 0)
		await expect
			.poll(async () => {
				await first.budgets.tell()
				return (await first.api(key, 'GET', `/v1/budgets/${json.id}`)).json.state.spent
			})
			.toBe(String(limit))
		expect((await call(first, agent.secret, 'POST', 'gpt/v1/batches')).status).toBe(402)
		await first.api(key, 'DELETE', `/v1/budgets/${json.id}`)
	})

	it('a background response is one call, as soon as it reports its usage', async () => {
		const [first, second] = proxies
		const before = first.recorded.length
		const { json: begun } = await call(first, key, 'POST', 'gpt/v1/responses', { model, background: true })
		await until(() => first.recorded.length > before)
		expect(first.recorded[before]).toMatchObject({ kind: 'other', usageSource: '', costNanoUsd: null })
		for (const proxy of [first, second, first]) await call(proxy, key, 'GET', `gpt/v1/responses/${begun.id}`)
		await until(() => settled(begun.id).length > 0)
		await call(second, key, 'GET', `gpt/v1/responses/${begun.id}`)
		expect(settled(begun.id)).toHaveLength(1)
		expect(settled(begun.id)[0]).toMatchObject({ kind: 'model_call', costNanoUsd: BigInt(2 * resultCost) })
	})
})
