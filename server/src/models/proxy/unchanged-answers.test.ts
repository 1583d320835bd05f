import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerBedrock, mockConverseUsage } from './testing/bedrock-wire.ts'
import { useClientStage } from './testing/client-stage.ts'
import { answerGemini } from './testing/gemini-wire.ts'

const encoders = {
	identity: (bytes: Buffer) => bytes,
	gzip: (bytes: Buffer) => gzipSync(bytes),
	br: (bytes: Buffer) => brotliCompressSync(bytes),
	zstd: (bytes: Buffer) => zstdCompressSync(bytes),
}
type Encoding = keyof typeof encoders

const gemini = { inputTokens: 30, cacheReadTokens: 70, outputTokens: 20, reasoningTokens: 15 }
const bedrock = {
	inputTokens: mockConverseUsage.inputTokens,
	cacheReadTokens: mockConverseUsage.cacheReadInputTokens,
	cacheWriteTokens: mockConverseUsage.cacheWriteInputTokens,
	outputTokens: mockConverseUsage.outputTokens,
}
const geminiPath = '/v1beta/models/gemini-mock:streamGenerateContent'
const textOf = (path: string) => (answerGemini('POST', path, {}).frames ?? []).join('')

/** All forms of streams except those of OpenAI and Anthropic. */
const forms = {
	'events of Gemini': {
		...{ path: `/proxy/gemini${geminiPath}?alt=sse`, type: 'text/event-stream', tokens: gemini },
		bytes: Buffer.from(textOf(`${geminiPath}?alt=sse`)),
	},
	'a JSON list of Gemini': {
		...{ path: `/proxy/gemini${geminiPath}`, type: 'application/json', tokens: gemini },
		bytes: Buffer.from(textOf(geminiPath)),
	},
	'binary messages of Bedrock': {
		...{ path: '/proxy/bedrock/model/mock/converse-stream', tokens: bedrock },
		type: 'application/vnd.amazon.eventstream',
		bytes: Buffer.concat(answerBedrock('/model/mock/converse-stream', {}).messages ?? []),
	},
}

describe('bytes pass unchanged, and are read', () => {
	const stage = useClientStage(async ({ connect, mock }) => {
		await connect({ name: 'gemini', provider: 'gemini', key: 'k', base_url: mock.url })
		await connect({ name: 'bedrock', provider: 'bedrock', key: 'k', base_url: mock.url })
	})
	const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

	it.each(Object.entries(forms))(
		'%s, in every chunking and encoding',
		async (_name, { path, type, bytes, tokens }) => {
			const { request } = await import('node:http')
			const call = (cuts: number[], encoding: Encoding) =>
				new Promise<Buffer>((resolve, reject) => {
					const encoded = encoders[encoding](bytes)
					const at = cuts.map((cut) => Math.floor((cut * encoded.length) / 1000)).sort((a, b) => a - b)
					stage.mock.intercept = (_received, response) => {
						const encodes = encoding !== 'identity' && { 'content-encoding': encoding }
						response.writeHead(200, { 'content-type': type, ...encodes })
						const edges = [0, ...at, encoded.length]
						for (const [index, edge] of edges.slice(1).entries())
							response.write(encoded.subarray(edges[index], edge))
						response.end()
						return true
					}
					// A client that does not decode.
					const asking = request(stage.proxy.url + path, {
						method: 'POST',
						headers: { 'x-api-key': stage.agent.secret },
					})
					asking.on('error', reject).on('response', (response) => {
						const parts: Buffer[] = []
						response
							.on('data', (part: Buffer) => parts.push(part))
							.on('end', () => resolve(Buffer.concat(parts)))
					})
					asking.end('{}')
				})
			const anyCuts = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 12 })
			const anyEncoding = fc.constantFrom(...(Object.keys(encoders) as Encoding[]))
			await fc.assert(
				fc.asyncProperty(anyCuts, anyEncoding, async (cuts, encoding) => {
					let got = Buffer.alloc(0)
					const row = await stage.recordOf(async () => {
						got = Buffer.from(await call(cuts, encoding))
					})
					expect(hash(got)).toBe(hash(encoders[encoding](bytes)))
					expect(row).toMatchObject({ ...tokens, status: 'ok', usageSource: 'reported' })
					const hashes = ['request', 'request_sent', 'response', 'response_passed'].map((of) =>
						row?.attributes.get(`signalbox.body_hash.${of}`),
					)
					const [asked, answered] = [hash(Buffer.from('{}')), hash(got)]
					expect(hashes).toEqual([asked, asked, answered, answered])
				}),
				{ numRuns: 25 },
			)
		},
	)

	it.each([
		['a stream', {}, 'no'],
		['a stream whose provider says so itself', { 'x-accel-buffering': 'yes' }, 'yes'],
		['an answer of known length', { 'content-length': '2' }, null],
	])('%s asks nginx not to buffer it, unless it is whole anyway', async (_answer, headers, expected) => {
		stage.mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'application/json', ...headers }).end('{}')
			return true
		}
		const answered = await fetch(`${stage.proxy.url}/proxy/gemini${geminiPath}`, {
			method: 'POST',
			headers: { 'x-api-key': stage.agent.secret },
			body: '{}',
		})
		expect(await answered.text()).toBe('{}')
		expect(answered.headers.get('x-accel-buffering')).toBe(expected)
	})
})
