import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type ServerResponse } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestSqlite } from '../../platform/database/testing.ts'
import { type ProxyUnderTest, startProxy, until } from './testing/start-proxy.ts'
import { anyVariant, piecesOf, type Variant } from './testing/stream-variants.ts'
import { type MockProvider, type ReceivedRequest, startMockProvider } from './testing.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const usage = {
	openai: {
		inputTokens: 20,
		cacheReadTokens: 100,
		cacheWriteTokens: 0,
		outputTokens: 20,
		reasoningTokens: 10,
	},
	anthropic: {
		inputTokens: 25,
		cacheReadTokens: 300,
		cacheWriteTokens: 40,
		outputTokens: 13,
		reasoningTokens: 5,
	},
}

const runs = process.env.LONG_TESTS ? 2000 : 80

describe('bytes pass unchanged', () => {
	let mock: MockProvider
	let proxy: ProxyUnderTest
	let key: string
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
		key = (await proxy.addKey(workspaceId)).secret
		for (const provider of ['openai', 'anthropic']) {
			const body = { name: provider, provider, key: 'sk-stored-key-1', base_url: mock.url }
			await proxy.api(key, 'POST', '/v1/provider-keys', body)
		}
	})
	afterAll(() => end?.())

	const call = (dialect: string, body: Buffer, headers: Record<string, string> = {}) =>
		new Promise<{ status: number; body: Buffer; headers: Record<string, unknown> }>((resolve, reject) => {
			const path = dialect === 'openai' ? '/proxy/openai/v1/chat/completions' : '/proxy/anthropic/v1/messages'
			const options = {
				method: 'POST',
				headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
			}
			const request = httpRequest(proxy.url + path, options, (response) => {
				const chunks: Buffer[] = []
				response.on('data', (chunk: Buffer) => chunks.push(chunk))
				response.on('error', reject)
				response.on('end', () =>
					resolve({
						status: response.statusCode ?? 0,
						body: Buffer.concat(chunks),
						headers: response.headers,
					}),
				)
			})
			request.on('error', reject)
			for (let at = 0; at < body.length; at += 7000) request.write(body.subarray(at, at + 7000))
			request.end()
		})

	const sendPieces =
		(variant: Variant, pieces: Buffer[]) => (_received: ReceivedRequest, response: ServerResponse) => {
			const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
			response.writeHead(200, {
				'content-type': variant.stream ? 'text/event-stream' : 'application/json',
				...(variant.encoding !== 'identity' && { 'content-encoding': variant.encoding }),
				...(variant.sized && { 'content-length': length }),
			})
			void (async () => {
				for (const piece of pieces) {
					response.write(piece)
					await new Promise((resolve) => setImmediate(resolve))
				}
				response.end()
			})()
			return true
		}

	it('for every chunking, encoding and line ending, with equal usage', async () => {
		const anyBody = fc.record({
			text: fc.string({ unit: 'grapheme', maxLength: 300 }),
			times: fc.integer({ min: 0, max: 60 }),
		})
		const property = fc.asyncProperty(anyVariant, anyBody, async (variant, { text, times }) => {
			const pieces = piecesOf(variant)
			const content = text.repeat(times)
			const sent = Buffer.from(
				`{ "model" : "fuzz","messages":[{"role":"user","content":${JSON.stringify(content)}}],\r\n"stream":${variant.stream}}`,
			)
			mock.intercept = sendPieces(variant, pieces)
			const before = proxy.recorded.length
			const answer = await call(variant.dialect, sent)
			expect(sha256(answer.body)).toBe(sha256(Buffer.concat(pieces)))
			expect(sha256(mock.requests.at(-1)?.body ?? Buffer.alloc(0))).toBe(sha256(sent))
			await until(() => proxy.recorded.length > before)
			expect(proxy.recorded.at(-1)).toMatchObject({
				...usage[variant.dialect],
				status: 'ok',
				usageSource: 'reported',
				modelRequested: 'fuzz',
				responseBytes: answer.body.length,
				requestBytes: sent.length,
			})
			mock.requests.length = 0
		})
		await fc.assert(property, { numRuns: runs })
	}, 1_200_000)

	it('also if they are invalid JSON, UTF-8 or encoding', async () => {
		for (const encoding of ['identity', 'gzip', 'br', 'zstd', 'unheard-of']) {
			const bytes = randomBytes(150_000)
			mock.intercept = (_received, response) => {
				const type = { 'content-type': 'text/event-stream' }
				response.writeHead(200, encoding === 'identity' ? type : { ...type, 'content-encoding': encoding })
				response.end(bytes)
				return true
			}
			const sent = randomBytes(100_000)
			const answer = await call('openai', sent)
			expect(answer.body.equals(bytes)).toBe(true)
			expect(mock.requests.at(-1)?.body.equals(sent)).toBe(true)
		}
	})

	it('with the headers of both sides, except for credentials, cookies and hop-by-hop headers', async () => {
		mock.intercept = (_received, response) => {
			response.writeHead(201, [
				['x-ratelimit-remaining', '7'],
				['x-twice', 'a'],
				['x-twice', 'b'],
				['x-request-id', 'req_upstream'],
				['set-cookie', 'session=1'],
				['strict-transport-security', 'max-age=1'],
			] as never)
			response.end('ok')
			return true
		}
		const answer = await call('anthropic', Buffer.from('{}'), {
			'anthropic-version': '2026-10-21',
			'anthropic-beta': 'a,b',
			'accept-encoding': 'br',
			'user-agent': 'my-client/1',
			cookie: 'a=1',
			'x-forwarded-for': '10.0.0.1',
			connection: 'x-private, keep-alive',
			'x-private': 'hop',
		})
		expect(answer.status).toBe(201)
		expect(answer.headers).toMatchObject({
			'x-ratelimit-remaining': '7',
			'x-twice': 'a, b',
			'x-request-id': 'req_upstream',
		})
		expect(answer.headers['x-signalbox-request-id']).toMatch(/^[0-9a-f-]{36}$/)
		expect(answer.headers).not.toHaveProperty('set-cookie')
		expect(answer.headers).not.toHaveProperty('strict-transport-security')
		const received = mock.requests.at(-1)?.headers
		expect(received).toMatchObject({
			'anthropic-version': '2026-10-21',
			'anthropic-beta': 'a,b',
			'accept-encoding': 'br',
			'user-agent': 'my-client/1',
			'x-api-key': 'sk-stored-key-1',
		})
		for (const name of ['cookie', 'authorization', 'x-forwarded-for', 'x-private'])
			expect(received).not.toHaveProperty(name)
	})

	it.each(['content-length', 'transfer-encoding'])(
		'beyond ASCII in a header, sent early (%s)',
		async (by) => {
			const notes = [Buffer.from('Grüße €').toString('latin1'), 'caf\xe9']
			mock.intercept = (_received, response) => {
				response.writeHead(200, { 'x-note': notes }).write(Buffer.alloc(0))
				setTimeout(() => response.end('ok'), 50)
				return true
			}
			const headers = { authorization: `Bearer ${key}`, [by]: by === 'content-length' ? 2 : 'chunked' }
			const request = httpRequest(`${proxy.url}/proxy/openai/v1/chat/completions`, {
				method: 'POST',
				headers,
			})
			request.end('{}')
			const [response] = await once(request, 'response')
			expect(response.headers['x-note']).toBe(notes.join(', '))
			expect((await response.toArray()).join('')).toBe('ok')
		},
	)

	it('a slow reader causes back-pressure on the provider instead of filling memory', async () => {
		let written = 0
		mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'application/octet-stream' })
			const piece = Buffer.alloc(64 * 1024, 1)
			const fill = () => {
				while (written < 64 * 1024 * 1024) {
					written += piece.length
					if (!response.write(piece)) return void response.once('drain', fill)
				}
				response.end()
			}
			fill()
			return true
		}
		const body = Buffer.from('{"model":"m"}')
		const options = {
			method: 'POST',
			headers: { authorization: `Bearer ${key}`, 'content-length': body.length },
		}
		const request = httpRequest(`${proxy.url}/proxy/openai/v1/chat/completions`, options)
		request.end(body)
		const response = await new Promise<import('node:http').IncomingMessage>((resolve) =>
			request.on('response', resolve),
		)
		response.pause()
		let last = -1
		while (written !== last) {
			last = written
			await new Promise((resolve) => setTimeout(resolve, 100))
		}
		expect(written).toBeLessThan(24 * 1024 * 1024)
		let got = 0
		response.on('data', (chunk: Buffer) => {
			got += chunk.length
		})
		response.resume()
		await new Promise((resolve) => response.on('end', resolve))
		expect(got).toBe(64 * 1024 * 1024)
	})
})
