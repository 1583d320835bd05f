import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHttp2 } from '../http/listen-http2.ts'
import { type Listener, listen } from '../http/listener.ts'
import { readBody } from '../http/read-body.ts'
import { LaneRequest } from './lane-request.ts'
import { openLane } from './open-lane.ts'

const mebibyte = 1024 * 1024
let byLane: Listener
let byNode: Listener
/** The lane that each request took, in order. */
const ways: string[] = []
const ended: string[] = []

beforeAll(async () => {
	byLane = await listen('127.0.0.1', 0, answer, { usesFastLane: (target) => target.startsWith('/lane/') })
	byNode = await listen('127.0.0.1', 0, answer)
})
afterAll(() => Promise.all([byLane, byNode].map((listener) => listener.close(0))))

function answer(request: IncomingMessage, response: ServerResponse): void {
	void answerLater(request, response)
}

async function answerLater(request: IncomingMessage, response: ServerResponse): Promise<void> {
	ways.push((request as unknown) instanceof LaneRequest ? 'lane' : 'node')
	response.on('close', () => ended.push(response.writableFinished ? 'whole' : 'cut'))
	response.setHeader('x-request-id', 'r')
	const way = request.url?.split(/[/?]/)[2]
	if (way === 'refused') {
		response.writeHead(403, { 'content-type': 'text/plain' }).end('no')
		return void request.resume()
	}
	if (way === 'never') return
	let body: Buffer
	try {
		body = await readBody(request, 4 * mebibyte)
	} catch {
		return void response.writeHead(413, { connection: 'close' }).end()
	}
	const digest = createHash('sha256').update(body).digest('hex')
	const echoed = JSON.stringify({
		url: request.url,
		headers: request.headers,
		raw: request.rawHeaders,
		digest,
	})
	if (way === 'empty') return void response.writeHead(204).end()
	if (way === 'end') return void response.end(echoed)
	if (way === 'length')
		return void response
			.writeHead(200, ['Content-Length', String(Buffer.byteLength(echoed)), 'X-Twice', 'a', 'X-Twice', 'b'])
			.end(echoed)
	if (way === 'stream') {
		response.writeHead(200, 'Fine', { 'content-type': 'text/event-stream', 'x-request-id': 'later' })
		response.flushHeaders()
		for (const part of echoed.match(/.{1,40}/gs) ?? []) {
			response.write(part)
			await sleep(0)
		}
		return void response.end()
	}
	if (way === 'flood') return void response.end(Buffer.alloc(64 * mebibyte, digest))
	response.setHeader('set-cookie', ['a=1', 'b=2'])
	response.writeHead(200)
	const large = Buffer.alloc(3 * mebibyte, digest)
	if (!response.write(large)) await once(response, 'drain')
	response.end('end')
}

async function open(listener: Listener): Promise<Socket> {
	const socket = connect(listener.port, '127.0.0.1')
	socket.on('error', () => undefined)
	await once(socket, 'connect')
	return socket
}

function requestOf(path: string, body = '', fields: readonly string[] = []): string {
	const lines = [`POST ${path} HTTP/1.1`, 'Host: a', `Content-Length: ${Buffer.byteLength(body)}`, ...fields]
	return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Everything received until the other side ends, or is silent for a while. */
/** The listener is in this process: it accepts in one turn of the event loop and reads in the next, however busy the machine is. */
async function untilRead(): Promise<void> {
	await sleep(2)
	for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve))
}

async function exchange(listener: Listener, pieces: readonly string[], until: RegExp): Promise<string> {
	const socket = await open(listener)
	let received = ''
	socket.on('data', (piece: Buffer) => {
		received += piece.toString('latin1')
	})
	for (const piece of pieces) {
		socket.write(piece)
		if (pieces.length > 1) await untilRead()
	}
	for (let waited = 0; waited < 5000 && !until.test(received) && !socket.closed; waited += 5) await sleep(5)
	socket.destroy()
	return received.replace(/\r\nDate: [^\r]+/g, '')
}

const fields = ['Content-Type: application/json', 'X-A: b ', 'x-empty:', 'Accept: */*']
const cases: readonly [name: string, request: string, until: RegExp][] = [
	['an answer as a whole', requestOf('/lane/end', '{"a":1}', fields), /"digest":"[^"]+"\}$/],
	[
		'an answer whose length the handler gives',
		requestOf('/lane/length?a=b', 'x', fields),
		/"digest":"[^"]+"\}$/,
	],
	['an answer in pieces', requestOf('/lane/stream', 'ü'.repeat(900), fields), /\r\n0\r\n\r\n$/],
	['an answer without a body', requestOf('/lane/empty', 'x'), /\r\n\r\n$/],
	['a large body and a large answer', requestOf('/lane/large', 'y'.repeat(mebibyte)), /end\r\n0\r\n\r\n$/],
	['no body', requestOf('/lane/end'), /"digest":"[^"]+"\}$/],
	['a refusal before the body', requestOf('/lane/refused', 'z'.repeat(200_000)), /no\r\n0\r\n\r\n$/],
	['a body that is too large', requestOf('/lane/end', 'z'.repeat(5 * mebibyte)), /413[\s\S]*\r\n\r\n/],
	[
		'two requests at once',
		requestOf('/lane/end', 'a') + requestOf('/lane/length', 'b'),
		/digest[\s\S]+"digest":"[^"]+"\}$/,
	],
]

describe('the fast lane', () => {
	it.each(cases)('responds to %s as node:http does', async (_name, request, until) => {
		ways.length = 0
		const ours = await exchange(byLane, [request], until)
		expect(new Set(ways)).toEqual(new Set(['lane']))
		const nodes = await exchange(byNode, [request], until)
		expect(normal(ours)).toEqual(normal(nodes))
		expect(ours).toMatch(until)
	})

	it('accepts a body in pieces of any size', async () => {
		const request = requestOf('/lane/end', 'abcdefghij'.repeat(30))
		const end = request.indexOf('\r\n\r\n') + 4
		const pieces = [request.slice(0, end), ...(request.slice(end).match(/.{1,29}/gs) ?? [])]
		ways.length = 0
		const ours = await exchange(byLane, pieces, /"digest":"[^"]+"\}$/)
		expect(ways).toEqual(['lane'])
		expect(normal(ours)).toEqual(normal(await exchange(byNode, [request], /"digest":"[^"]+"\}$/)))
	})

	it.each([
		['a head in two pieces', (text: string) => [text.slice(0, 30), text.slice(30)]],
		[
			'a chunked body',
			() => ['POST /lane/end HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'],
		],
		['another target', () => [requestOf('/other/end', 'a')]],
		['a field twice', () => [requestOf('/lane/end', 'a', ['X-A: 1', 'x-a: 2'])]],
		['the end of the connection', () => [requestOf('/lane/end', 'a', ['Connection: close'])]],
		['an expectation', () => [requestOf('/lane/end', 'a', ['Expect: 100-continue'])]],
		['GET', () => ['GET /lane/end HTTP/1.1\r\nHost: a\r\n\r\n']],
	])('hands over %s unchanged', async (_name, piecesOf) => {
		const pieces = piecesOf(requestOf('/lane/end', 'a'))
		ways.length = 0
		const ours = await exchange(byLane, pieces, /"digest":"[^"]+"\}$/)
		expect(ways).toEqual(['node'])
		expect(normal(ours)).toEqual(normal(await exchange(byNode, pieces, /"digest":"[^"]+"\}$/)))
	})

	it('hands over a connection after it has served requests on it', async () => {
		ways.length = 0
		const get = 'GET /lane/end HTTP/1.1\r\nHost: a\r\n\r\n'
		const all = [
			requestOf('/lane/end', 'a') + requestOf('/lane/end', 'b') + get + requestOf('/lane/end', 'c'),
		]
		const ours = await exchange(byLane, all, /(digest[\s\S]+){4}\}$/)
		expect(ways).toEqual(['lane', 'lane', 'node', 'node'])
		expect(normal(ours)).toEqual(normal(await exchange(byNode, all, /(digest[\s\S]+){4}\}$/)))
	})

	it.each([
		['with an unknown protocol', 'abc\r\n\r\n'],
		['with two lengths', requestOf('/lane/end', 'abc', ['Content-Length: 1'])],
		['with a length and chunks', requestOf('/lane/end', '0\r\n\r\n', ['Transfer-Encoding: chunked'])],
		['with a bare line feed', requestOf('/lane/end', 'a').replace('Host: a\r\n', 'Host: a\n')],
		['with a folded line', requestOf('/lane/end', 'a').replace('Host: a\r\n', 'Host: a\r\n b\r\n')],
		['with a space in a name', requestOf('/lane/end', 'a', ['X A: b'])],
		['with a head that is too long', requestOf('/lane/end', 'a', [`X: ${'y'.repeat(20_000)}`])],
	])('leaves requests %s to node:http', async (_name, request) => {
		const end = /\r\n\r\n/
		expect(normal(await exchange(byLane, [request], end))).toEqual(
			normal(await exchange(byNode, [request], end)),
		)
	})

	it('refuses malformed bytes only after the responses to the requests before them', async () => {
		// A head in two pieces is read by node:http.
		const split = (text: string) => [text.slice(0, 30), text.slice(30)]
		const garbage = 'abc\r\n\r\n'
		const refusal = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'
		const stream = requestOf('/lane/stream', 'x'.repeat(20_000))
		const whole = await exchange(byNode, [stream], /\r\n0\r\n\r\n$/)
		for (const listener of [byLane, byNode]) {
			const behind = [...split(stream), garbage, garbage]
			expect(await exchange(listener, behind, /400/)).toBe(whole + refusal)
			// What follows a request that closes the connection is not a request.
			const closing = [requestOf('/lane/end', 'a', ['Connection: close']) + stream]
			expect((await exchange(listener, closing, /400|"digest"/)).match(/HTTP.1.1 \d+/g)).toEqual([
				'HTTP/1.1 200',
			])
		}
		const inBody = 'POST /lane/end HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n'
		expect(await exchange(byLane, [inBody], /400/)).toBe(refusal)
		for (const listener of [byLane, byNode])
			expect(await exchange(listener, [...split(stream), inBody, garbage], /400/)).toBe(whole + refusal)
	})

	it.each(['/lane/never', '/lane/flood'])(
		'tells the handler of %s that its client has disconnected',
		async (path) => {
			ended.length = 0
			const socket = await open(byLane)
			socket.write(requestOf(path, 'a'))
			socket.pause()
			await sleep(50)
			socket.destroy()
			await expect.poll(() => ended, { timeout: 10_000 }).toEqual(['cut'])
		},
	)

	it('ends a body that its client stops sending', async () => {
		const socket = await open(byLane)
		socket.write(requestOf('/lane/end', 'abc').slice(0, -1))
		await sleep(20)
		ended.length = 0
		socket.end()
		await expect.poll(() => ended.length, { timeout: 10_000 }).toBe(1)
	})

	const megabytes = 'a'.repeat(16 * mebibyte)
	const chunked = `POST /lane/end HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1000000\r\n${megabytes}\r\n0\r\n\r\n`
	it.each([
		['the lane', () => byLane, requestOf('/lane/end', megabytes)],
		['node:http', () => byNode, requestOf('/lane/end', megabytes)],
		['node:http, in chunks,', () => byNode, chunked],
	])(
		'by %s a client can send a refused body to its end, since many read the response only then',
		async (...given) => {
			const [, listenerOf, request] = given
			const socket = await open(listenerOf())
			const errors: Error[] = []
			let received = ''
			socket.on('error', (error) => errors.push(error))
			await new Promise((resolve) => socket.write(request, resolve))
			socket.on('data', (piece: Buffer) => {
				received += piece.toString()
			})
			await once(socket, 'close')
			expect(errors).toEqual([])
			expect(received).toMatch(/^HTTP\/1\.1 413 /)
		},
	)

	it('ends idle connections, but none that waits for a response', async () => {
		const server = createServer()
		openLane(server, { takes: () => true, handle: answer, keepAliveMs: 100, patienceMs: 100 })
		await once(server.listen(0, '127.0.0.1'), 'listening')
		const listener = { port: (server.address() as AddressInfo).port } as Listener
		const [silent, idle, stalled, waiting] = await Promise.all([1, 2, 3, 4].map(() => open(listener)))
		const closed: string[] = []
		for (const [name, socket] of Object.entries({ silent, idle, stalled, waiting }))
			socket?.on('close', () => closed.push(name)).resume()
		idle?.write(requestOf('/lane/end', 'a'))
		stalled?.write(requestOf('/lane/end', 'abc').slice(0, -1))
		waiting?.write(requestOf('/lane/never', 'a'))
		await expect.poll(() => closed.toSorted(), { timeout: 10_000 }).toEqual(['idle', 'silent', 'stalled'])
		await sleep(1500)
		expect(closed).toHaveLength(3)
		waiting?.destroy()
		server.close()
	})

	it.each([
		['the lane', () => true],
		['node:http', () => false],
	])(
		'of %s keeps a connection on which a request arrived in time while the process was busy',
		async (...given) => {
			const listener = await listen('127.0.0.1', 0, answer, { usesFastLane: given[1], keepAliveMs: 1000 })
			const socket = await open(listener)
			socket.write(requestOf('/lane/end', 'a'))
			expect(String(await once(socket, 'data'))).toContain('Keep-Alive: timeout=1\r\n')
			await sleep(1200)
			// Timers are the first thing after an immediate.
			await new Promise((resolve) => setImmediate(resolve))
			socket.write(requestOf('/lane/end', 'b'))
			const untilMs = performance.now() + 2500
			while (performance.now() < untilMs);
			await Promise.race([once(socket, 'data'), once(socket, 'close')])
			expect(socket.bytesRead).toBeGreaterThan(400)
			expect(socket.closed).toBe(false)
			await expect.poll(() => socket.closed, { timeout: 10_000 }).toBe(true)
			await listener.close(0)
		},
	)

	it('gives connections of HTTP/2 to what serves them, also if their first bytes come in pieces, and closes them', async () => {
		const http2 = openHttp2(answer)
		const listener = await listen('127.0.0.1', 0, answer, { usesFastLane: () => true, http2 })
		const ask = async (session: ClientHttp2Session, path: string) => {
			const stream = session.request({ ':method': 'POST', ':path': path })
			stream.end('abc')
			let text = ''
			for await (const piece of stream) text += piece
			return text
		}
		const session = connectHttp2(`http://127.0.0.1:${listener.port}`)
		expect(JSON.parse(await ask(session, '/lane/end'))).toMatchObject({ url: '/lane/end' })
		expect(await Promise.all([1, 2, 3].map(() => ask(session, '/lane/end')))).toHaveLength(3)
		const pieces = await open(listener)
		pieces.write('PRI * HTTP')
		await sleep(50)
		// An empty frame of SETTINGS, which is answered with SETTINGS.
		pieces.write('/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0')
		expect((await once(pieces, 'data'))[0][3]).toBe(4)
		expect(await exchange(listener, [requestOf('/lane/end', 'a')], /digest/)).toContain('200 OK')
		await Promise.all([once(session, 'close'), once(pieces, 'close'), listener.close(100)])
	})

	it('ends connections of HTTP/2 that do nothing', async () => {
		const http2 = openHttp2(answer, 100)
		const listener = await listen('127.0.0.1', 0, answer, { usesFastLane: () => true, http2 })
		await once(connectHttp2(`http://127.0.0.1:${listener.port}`), 'close')
		await listener.close(100)
	})

	it('lets running responses finish when the listener closes, and aborts them after the grace period', async () => {
		const listener = await listen('127.0.0.1', 0, answer, { usesFastLane: () => true })
		const idle = await open(listener)
		const running = await open(listener)
		const stuck = await open(listener)
		idle.write(requestOf('/lane/end', 'a'))
		await once(idle, 'data')
		running.write(requestOf('/lane/stream', 'a'.repeat(3000)))
		stuck.write(requestOf('/lane/never', 'a'))
		await once(running, 'data')
		let received = ''
		running.on('data', (piece: Buffer) => {
			received += piece.toString()
		})
		const closed = listener.close(500)
		await Promise.all([once(idle, 'close'), once(running, 'close'), once(stuck, 'close'), closed])
		expect(received).toMatch(/0\r\n\r\n$/)
	})
})

/** Normalises a response: each side writes the framing headers in its own case and order; everything else must be equal. */
function normal(text: string): string[] {
	const withoutIds = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
	return withoutIds.split(/(?=HTTP\/1\.1 \d)/).map((message) => {
		const [head = '', body = ''] = message.split(/\r\n\r\n([\s\S]*)/)
		return `${head.split('\r\n').map(sorted).toSorted().join('\n')}\n\n${/chunked/.test(head) ? unchunked(body) : body}`
	})
}

const sorted = (line: string) => line.replace(/^[^:]+/, (name) => name.toLowerCase())

function unchunked(body: string): string {
	let text = ''
	for (let at = 0; at < body.length; ) {
		const end = body.indexOf('\r\n', at)
		const size = Number.parseInt(body.slice(at, end), 16)
		text += body.slice(end + 2, end + 2 + size)
		at = end + 4 + size
	}
	return text
}
