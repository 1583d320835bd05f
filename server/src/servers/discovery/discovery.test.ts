import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createSafeFetch } from '../../platform/safe-fetch.ts'
import {
	closedAddress,
	startEverythingServer,
	startEverythingSseServer,
	startModernServer,
	type TestMcpServer,
} from '../testing.ts'
import { discoverServer, UpstreamFailure } from './discovery.ts'
import { type Handle, startHandler } from './testing.ts'

const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
const ask = (url: string, timeoutMs = 3000, transportType: 'http' | 'sse' | null = null) =>
	discoverServer(
		safeFetch.dispatcher,
		{ url, headers: new Map([['x-secret', 'one']]), transportType },
		{
			messageMs: timeoutMs,
			totalMs: timeoutMs,
		},
	)
const ending: (() => Promise<void> | void)[] = []
afterEach(async () => {
	for (const end of ending.splice(0)) await end()
})
afterAll(() => safeFetch.close())

describe('discovery of real servers', () => {
	let everything: TestMcpServer
	let sse: TestMcpServer
	beforeAll(async () => {
		everything = await startEverythingServer()
		sse = await startEverythingSseServer()
	})
	afterAll(async () => {
		await everything.close()
		await sse.close()
	})

	it('speaks to a legacy server over streamable HTTP', async () => {
		const found = await ask(everything.url)
		expect(found).toMatchObject({ transportType: 'http', protocolVersion: '2025-11-25', toolsFailure: null })
		expect(found.tools?.find(({ name }) => name === 'echo')).toMatchObject({
			inputSchema: { properties: { message: { type: 'string' } } },
			annotations: { readOnlyHint: true },
		})
	})

	it('speaks to a server of 2024 over HTTP with server-sent events', async () => {
		const found = await ask(sse.url)
		expect(found).toMatchObject({ transportType: 'sse', toolsFailure: null })
		expect(found.tools?.map(({ name }) => name)).toContain('echo')
		expect((await ask(sse.url, 3000, 'sse')).tools).toEqual(found.tools)
	})

	it('speaks 2026-07-28 to a server that speaks nothing else, with the stored headers', async () => {
		const modern = await startModernServer()
		ending.push(modern.close)
		const found = await ask(modern.url)
		expect(found).toMatchObject({ transportType: 'http', protocolVersion: '2026-07-28' })
		expect(found.tools?.map(({ name }) => name)).toEqual(['echo', 'add', 'fail', 'slow'])
		expect(
			modern.requests.every(
				(headers) => headers['x-secret'] === 'one' && headers['mcp-protocol-version'] === '2026-07-28',
			),
		).toBe(true)
		expect(modern.requests.map((headers) => headers['mcp-method'])).toEqual(['server/discover', 'tools/list'])
	})

	it('prefers the modern era if both are spoken', async () => {
		const both = await startModernServer({ legacy: 'stateless' })
		ending.push(both.close)
		expect((await ask(both.url)).protocolVersion).toBe('2026-07-28')
	})
})

describe('discovery of misbehaving servers', () => {
	const serve = async (handle: Handle<Record<string, never>>) => {
		const { url, close } = await startHandler(handle)
		ending.push(close)
		return url
	}
	const reply = (response: ServerResponse, body: unknown, status = 200) =>
		response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
	const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
	/** A modern server that responds to `tools/list` as the test specifies. */
	const listing = (list: (params: { cursor?: string }) => unknown) =>
		serve((message: { id?: number; method?: string; params?: { cursor?: string } }, response) =>
			reply(response, {
				jsonrpc: '2.0',
				id: message.id,
				result: message.method === 'server/discover' ? discovered : list(message.params ?? {}),
			}),
		)

	it('ends within its time limit whatever happens', async () => {
		const silent = await serve(() => {})
		const dripping = await serve((_message, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			const timer = setInterval(() => response.write(': still here\n\n'), 20)
			response.on('close', () => clearInterval(timer))
		})
		for (const url of [silent, dripping]) {
			const started = performance.now()
			await expect(ask(url, 500)).rejects.toThrow('It did not answer in time.')
			expect(performance.now() - started).toBeLessThan(5000)
		}
	})

	it('tries the legacy era when the probe of the modern one gets no response', async () => {
		const url = await serve((message: { id?: number; method?: string }, response) => {
			if (message.method === 'server/discover') return
			if (message.id === undefined) return void response.writeHead(202).end()
			const result =
				message.method === 'initialize'
					? { protocolVersion: '2025-06-18', capabilities: { tools: {} } }
					: { tools: [{ name: 'late' }] }
			reply(response, { jsonrpc: '2.0', id: message.id, result })
		})
		expect(await ask(url, 1000)).toMatchObject({ protocolVersion: '2025-06-18', tools: [{ name: 'late' }] })
	})

	it('does not mistake a server that is slow to respond for a legacy one', async () => {
		const seen: unknown[] = []
		const url = await serve((message: { id?: number; method?: string }, response, request) => {
			seen.push(message.method ?? request.method)
			const result = message.method === 'tools/list' ? { tools: [{ name: 'late' }] } : discovered
			setTimeout(() => reply(response, { jsonrpc: '2.0', id: message.id, result }), 600)
		})
		expect(await ask(url, 3000)).toMatchObject({ protocolVersion: '2026-07-28', tools: [{ name: 'late' }] })
		expect(await ask(url, 1200)).toMatchObject({ protocolVersion: '2026-07-28' })
		expect(seen).not.toContain('initialize')
	})

	it('does not mistake a server that listed its versions and is then late for a legacy one', async () => {
		const methods: unknown[] = []
		const url = await serve((message: { id?: number; method?: string }, response) => {
			methods.push(message.method)
			const error = { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } }
			if (methods.length === 1) reply(response, { jsonrpc: '2.0', id: message.id, error }, 400)
		})
		await expect(ask(url, 2000)).rejects.toThrow('It did not answer in time.')
		expect(methods).toEqual(['server/discover', 'server/discover'])
	})

	it('treats 401 as a missing credential, never as a sign of an era', async () => {
		let requests = 0
		const url = await serve((_message, response) => {
			requests += 1
			response.writeHead(401).end()
		})
		await expect(ask(url)).rejects.toThrow('It answered 401')
		expect(requests).toBe(1)
	})

	it('reads all pages of tools, within its limits', async () => {
		const pages = await listing(({ cursor }) => ({
			tools: [{ name: `t${cursor ?? 0}` }],
			...(cursor !== '2' && { nextCursor: String(Number(cursor ?? 0) + 1) }),
		}))
		expect((await ask(pages)).tools?.map(({ name }) => name)).toEqual(['t0', 't1', 't2'])
		const endless = await listing(({ cursor }) => ({
			tools: [],
			nextCursor: String(Number(cursor ?? 0) + 1),
		}))
		expect(await ask(endless)).toMatchObject({
			tools: null,
			toolsFailure: 'Its list of tools has more than 100 pages.',
		})
		const many = await listing(() => ({
			tools: Array.from({ length: 2001 }, (_, index) => ({ name: `t${index}` })),
		}))
		expect((await ask(many)).toolsFailure).toBe('It has more than 2000 tools.')
		const huge = await listing(() => ({ tools: [{ name: 'big', description: 'x'.repeat(9 * 1024 * 1024) }] }))
		expect((await ask(huge)).toolsFailure).toContain('larger than')
	})

	it('omits invalid definitions and keeps the others complete', async () => {
		let deep: unknown = {}
		for (let level = 0; level < 70; level += 1) deep = { deep }
		const good = {
			name: 'good',
			inputSchema: { $ref: 'http://169.254.169.254/schema.json' },
			'x-own': [1, { a: null }],
		}
		const url = await listing(() => ({
			tools: [
				null,
				'text',
				{},
				{ name: '' },
				{ name: 7 },
				{ name: 'a'.repeat(257) },
				{ name: 'nul\0' },
				{ name: 'deep', inputSchema: deep },
				good,
				{ name: 'good', twice: true },
			],
		}))
		expect((await ask(url)).tools).toEqual([good])
	})

	it('sends stored headers to no other origin', async () => {
		const seen: IncomingMessage[] = []
		const other = await serve((_message, response, request) => {
			seen.push(request)
			reply(response, {})
		})
		const redirecting = await serve((_message, response) =>
			response.writeHead(307, { location: other.replace('127.0.0.1', 'localhost') }).end(),
		)
		await expect(ask(redirecting)).rejects.toThrow('another origin')
		const foreignEndpoint = await serve((_message, response, request) => {
			if (request.method === 'POST') return void response.writeHead(404).end()
			response
				.writeHead(200, { 'content-type': 'text/event-stream' })
				.write(`event: endpoint\ndata: ${other}\n\n`)
		})
		await expect(ask(foreignEndpoint)).rejects.toThrow('endpoint of another origin')
		expect(seen).toEqual([])
	})

	it('removes characters from server output that a store could not keep', async () => {
		const url = await serve((message: { id?: number }, response) =>
			reply(response, {
				jsonrpc: '2.0',
				id: message.id,
				result: { protocolVersion: 'a\0b\ud800', capabilities: {} },
			}),
		)
		await expect(ask(url)).rejects.toThrow('It speaks the unknown protocol revision a b\ufffd.')
	})

	it('describes in one sentence what is wrong', async () => {
		await expect(ask(await closedAddress())).rejects.toThrow('The connection was refused.')
		await expect(ask('http://127.0.0.1:1/mcp')).rejects.toThrow('web clients refuse')
		await expect(ask('http://nothing.invalid/mcp')).rejects.toThrow(/host name/)
		await expect(ask(await serve((_message, response) => response.end('<html>')))).rejects.toThrow(
			'is no MCP message',
		)
		await expect(ask(await serve((_message, response) => response.writeHead(404).end()))).rejects.toThrow(
			'No MCP server answers at this address.',
		)
		const blocked = await ask('http://169.254.169.254/mcp').catch((error: UpstreamFailure) => error)
		expect(blocked).toBeInstanceOf(UpstreamFailure)
		expect(blocked).toMatchObject({ blocked: true })
	})
})
