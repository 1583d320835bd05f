import { type ClientRequest, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import { newSpanRow, type SpanRow } from '../span-row.ts'
import { announceCall, startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { LiveTail, liveRoute } from './live-tail.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

interface Watcher {
	status: number
	text(): string
	until(holds: (text: string) => boolean): Promise<void>
	ended: Promise<void>
	request: ClientRequest
}

function watch(workspaceId: string, credential = 'key'): Promise<Watcher> {
	return new Promise((resolve, reject) => {
		const request = get(
			`${server.url}/v1/telemetry/live`,
			{ headers: { authorization: `${credential} ${workspaceId}` } },
			(response) => {
				let text = ''
				response.setEncoding('utf8').on('data', (chunk) => {
					text += chunk
				})
				response.on('error', () => undefined)
				const ended = new Promise<void>((end) => response.once('close', end))
				const until = async (holds: (text: string) => boolean) => {
					for (const deadline = performance.now() + 10_000; !holds(text); ) {
						if (performance.now() > deadline) throw new Error(`Not seen: ${text}`)
						await new Promise((wait) => setTimeout(wait, 5))
					}
				}
				resolve({ status: response.statusCode ?? 0, text: () => text, until, ended, request })
			},
		)
		request.once('error', reject)
	})
}

const span = (workspaceId: string, name: string): SpanRow =>
	newSpanRow({
		workspaceId,
		traceId: 'a'.repeat(32),
		spanId: 'b'.repeat(16),
		name,
		source: 'gateway',
		kind: 'tool_call',
		startNs: 1n,
	})

async function call(workspaceId: string, name: string): Promise<void> {
	const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)]
	const end = await announceCall(server, { workspaceId, traceId, spanId, name, startMs: 1 })
	await end()
	await server.recorder.whenRowsMade()
}

async function sendSpan(workspaceId: string, name: string): Promise<void> {
	const nowNs = String(BigInt(Date.now()) * 1_000_000n)
	const body = {
		resourceSpans: [
			{
				scopeSpans: [
					{ spans: [{ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), name, startTimeUnixNano: nowNs }] },
				],
			},
		],
	}
	const headers = { authorization: `ingest ${workspaceId}`, 'content-type': 'application/json' }
	expect(
		(await fetch(`${server.url}/v1/traces`, { method: 'POST', headers, body: JSON.stringify(body) })).status,
	).toBe(200)
}

test('a viewer sees calls and ingested spans of its workspace as they are recorded, and no others', async () => {
	const watcher = await watch('w1')
	await call('w2', 'foreign-call')
	await sendSpan('w2', 'foreign-span')
	await call('w1', 'own-call')
	await sendSpan('w1', 'own-span')
	await watcher.until((text) => text.includes('own-call') && text.includes('own-span'))
	expect(watcher.text()).not.toContain('foreign')
	const events = watcher
		.text()
		.split('\n\n')
		.filter((event) => event.startsWith('event: span'))
	expect(JSON.parse(events[0]?.split('\ndata: ')[1] as string)).toMatchObject({
		name: 'own-call',
		status: 'ok',
		source: 'gateway',
	})
	expect(events).toHaveLength(2)
	watcher.request.destroy()
})

test('a viewer without a right to read gets nothing', async () => {
	expect((await watch('w1', 'ingest')).status).toBe(401)
})

test('revocation ends the stream', async () => {
	const watcher = await watch('revoked')
	server.revoke('revoked')
	await watcher.ended
	expect(watcher.status).toBe(200)
})

test('of a large batch the first 200 spans are shown and the others counted', () => {
	const live = new LiveTail()
	const shown: string[] = []
	let missed = 0
	const leave = live.watch('w', {
		show: (event) => void shown.push(event),
		miss: (count) => {
			missed += count
		},
	})
	const rows = encodeSpanBlock(Array.from({ length: 250 }, (_, i) => span('w', `n${i}`)))
	live.publishEncoded('w', rows, 250)
	expect([shown.length, missed]).toEqual([200, 50])
	leave()
	live.publishEncoded('w', rows, 250)
	expect([shown.length, live.viewers('w')]).toEqual([200, 0])
})

test('a slow viewer needs bounded memory and is told how much it missed', () => {
	const live = new LiveTail()
	const written: string[] = []
	const listeners = new Map<string, () => void>()
	const response = {
		writableLength: 0,
		writableNeedDrain: false,
		writeHead: () => undefined,
		write(text: string) {
			written.push(text)
			this.writableLength += text.length
			this.writableNeedDrain = true
		},
		on: (event: string, listener: () => void) => listeners.set(event, listener),
		once: (event: string, listener: () => void) => listeners.set(event, listener),
	}
	const principal = { kind: 'platform_key', workspaceId: 'w', keyId: 'k', name: 'k', scopes: new Set() }
	const route = liveRoute({ live, stillValid: () => null, bufferBytes: 5000 })
	void route.handle(
		{ method: 'GET' } as IncomingMessage,
		response as unknown as ServerResponse,
		{ principal, search: '', guard: () => undefined } as never,
	)
	for (let i = 0; i < 100; i++) live.publish([span('w', `n${i}`)])
	expect(response.writableLength).toBeLessThan(5000)
	const shown = written.filter((text) => text.startsWith('event: span')).length
	const drain = () => {
		Object.assign(response, { writableLength: 0, writableNeedDrain: false })
		listeners.get('drain')?.()
	}
	drain()
	expect(written.at(-1)).toBe(`event: gap\ndata: {"missed":${100 - shown}}\n\n`)
	drain()
	live.publish([span('w', 'x'.repeat(5000))])
	expect(written.at(-1)).toBe('event: gap\ndata: {"missed":1}\n\n')
	listeners.get('close')?.()
	expect(live.viewers('w')).toBe(0)
})
