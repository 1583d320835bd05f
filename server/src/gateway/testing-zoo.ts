import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type Received, sendEvents, sendJson } from './testing-upstream.ts'

/** A call as a misbehaving server sees it. What it writes to the socket bypasses HTTP. */
export interface MisbehavingCall {
	message: Received
	response: ServerResponse
	socket: Socket
	/** Writes the same piece until the other side disconnects, and counts the bytes. */
	flood(piece: string | Buffer): void
}

/** The error code for the caller, or `ok` where the behaviour is allowed or harmless. */
type Expected = string | 'ok'
export type Animal = [name: string, expected: Expected, bite: (bite: MisbehavingCall) => void]

const json = 'application/json'
const stream = 'text/event-stream'
const invalid = 'upstream_invalid_answer'
const unreachable = 'upstream_unreachable'
const million = 1024 * 1024

const fine = (id: number, text = 'fine') =>
	JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
const event = (message: object | string) =>
	`data: ${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
const head = (lines: string, status = '200 OK') => `HTTP/1.1 ${status}\r\n${lines}\r\n\r\n`
const withLength = (body: string | Buffer, type = json, length = Buffer.byteLength(body)) =>
	`${head(`content-type: ${type}\r\ncontent-length: ${length}`)}${body}`

/** A complete answer with this body; `write` takes the id of the call. */
const body =
	(write: (id: number) => string | Buffer, type = json) =>
	({ message, response }: MisbehavingCall) =>
		void response.writeHead(200, { 'content-type': type }).end(write(message.id))
/** Writes these bytes to the socket, bypassing HTTP. */
const raw =
	(write: (id: number) => string) =>
	({ message, socket }: MisbehavingCall) =>
		void socket.write(write(message.id))
/** A complete answer with a content coding that the client did not accept. */
const packed = (coding: string, pack: (plain: Buffer) => Buffer) => {
	const bytes = pack(Buffer.alloc(64 * million))
	return ({ response }: MisbehavingCall) =>
		void response.writeHead(200, { 'content-type': json, 'content-encoding': coding }).end(bytes)
}
const many = (count: number, write: (at: number) => object) =>
	Array.from({ length: count }, (_, at) => write(at))

/** Servers that are slow, or never finish. */
const slow: Animal[] = [
	['hangs before its headers', 'timeout', () => {}],
	['hangs in its body', 'timeout', raw(() => `${head(`content-type: ${json}\r\ncontent-length: 99`)}{"json`)],
	[
		'drips its body',
		'timeout',
		({ response }) => {
			response.writeHead(200, { 'content-type': json })
			every(100, response, () => response.write(' '))
		},
	],
	[
		'drips its headers',
		'timeout',
		({ socket, response }) => {
			socket.write('HTTP/1.1 200 OK\r\nx: ')
			every(100, response, () => socket.write('y'))
		},
	],
	['hangs in an event', 'timeout', raw(() => `${head(`content-type: ${stream}`)}data: {"jso`)],
	[
		'streams for ever',
		'timeout',
		({ response }) => {
			sendEvents(response, { method: 'notifications/progress', params: {} })
			every(100, response, () => response.write(': still there\n\n'))
		},
	],
	['streams comments for ever, as fast as it can', invalid, flooding(stream, `: ${'x'.repeat(60_000)}\n\n`)],
	['announces itself for ever (103)', 'timeout', ({ flood }) => flood('HTTP/1.1 103 Early Hints\r\n\r\n')],
]

/** Servers whose answers are too large. */
const large: Animal[] = [
	['answers 1 GB', invalid, flooding(json, 'x'.repeat(60_000))],
	['streams an event of 10 MB', invalid, body(() => event(`"${'x'.repeat(10 * million)}"`), stream)],
	['streams an event without an end', invalid, flooding(stream, 'data: '.padEnd(60_000, 'x'))],
	['sends a gzip bomb', invalid, packed('gzip', gzipSync)],
	['sends a brotli bomb', invalid, packed('br', (plain) => brotliCompressSync(plain.subarray(0, million)))],
	['sends a zstd bomb', invalid, packed('zstd', zstdCompressSync)],
	['sends 1 MB of headers', unreachable, raw(() => head(`x: ${'y'.repeat(million)}`))],
	['nests deeply', invalid, body((id) => fine(id).replace('"fine"', '['.repeat(9999) + ']'.repeat(9999)))],
	[
		'floods with progress',
		'ok',
		({ message, response }) => {
			const progressToken = message.id
			const notes = many(20_000, (progress) => ({
				method: 'notifications/progress',
				params: { progressToken, progress },
			}))
			response.writeHead(200, { 'content-type': stream })
			response.end(notes.map(event).join('') + event(fine(message.id)))
		},
	],
	[
		'floods with logs',
		'ok',
		({ message, response }) => {
			const note = event({
				method: 'notifications/message',
				params: { level: 'error', data: 'x'.repeat(100) },
			})
			response.writeHead(200, { 'content-type': stream }).end(note.repeat(10_000) + event(fine(message.id)))
		},
	],
	[
		'floods with requests',
		invalid,
		({ message, response }) => {
			const asked = many(2000, (at) => ({ id: `q${at}`, method: 'sampling/createMessage', params: {} }))
			response.writeHead(200, { 'content-type': stream })
			response.end(asked.map(event).join('') + event(fine(message.id)))
		},
	],
]

/** Servers that violate HTTP. */
const wire: Animal[] = [
	['resets', unreachable, ({ socket }) => void socket.resetAndDestroy()],
	['says nothing and hangs up', unreachable, ({ socket }) => void socket.end()],
	['answers and hangs up', 'ok', ({ message, socket }) => void socket.end(withLength(fine(message.id)))],
	['promises more than it sends', unreachable, ({ socket }) => void socket.end(withLength('{}', json, 99))],
	['sends more than it promised', invalid, raw((id) => withLength(fine(id), json, 20))],
	[
		'sends an answer nobody asked for after its own',
		'ok',
		raw((id) => withLength(fine(id)) + withLength(fine(id + 1, 'poison'))),
	],
	[
		'lies about its chunks',
		invalid,
		raw(() => `${head(`content-type: ${json}\r\ntransfer-encoding: chunked`)}3\r\n{"jsonrpc"\r\n`),
	],
	[
		'has a length and chunks',
		invalid,
		raw(
			(id) =>
				`${head(`content-type: ${json}\r\ncontent-length: 5\r\ntransfer-encoding: chunked`)}0\r\n\r\n${fine(id)}`,
		),
	],
	['speaks HTTP/0.9', invalid, ({ message, socket }) => void socket.end(fine(message.id))],
	[
		'speaks TLS on a plain port',
		invalid,
		({ socket }) => void socket.end(Buffer.from('15030300020228', 'hex')),
	],
	[
		'switches protocols',
		invalid,
		raw(() => head('upgrade: x\r\nconnection: upgrade', '101 Switching Protocols')),
	],
	[
		'says 100 first',
		'ok',
		({ message, socket }) =>
			void socket.end(`${head('x: y', '100 Continue')}${withLength(fine(message.id))}`),
	],
	['says 204', invalid, ({ response }) => void response.writeHead(204).end()],
	[
		'says 202 with an answer',
		'ok',
		({ message, response }) => sendJson(response, 202, JSON.parse(fine(message.id))),
	],
	[
		'redirects to itself',
		'upstream_http_error',
		({ response }) => void response.writeHead(302, { location: '/mcp' }).end(),
	],
	[
		'redirects inside',
		'upstream_http_error',
		({ response }) => void response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
	],
	[
		'fails with a page',
		'upstream_http_error',
		({ response }) => void response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>'.repeat(999)),
	],
	['calls its JSON text', invalid, body(fine, 'text/plain')],
	['calls its stream JSON', invalid, body((id) => event(fine(id)))],
]

/** Servers that violate the protocol in their messages. */
const content: Animal[] = [
	['sends half a JSON', invalid, body((id) => fine(id).slice(0, -5))],
	[
		'sends bytes that are no text',
		invalid,
		body((id) => Buffer.from(fine(id).replace('fine', '\xff\xfe'), 'latin1')),
	],
	['sends a NUL', invalid, body((id) => fine(id).replace('fine', '\0'))],
	['begins with a byte order mark', invalid, body((id) => `\ufeff${fine(id)}`)],
	[
		'mixes its line ends',
		'ok',
		body((id) => `: x\r\rid: 1\r\n\n\revent: message\r\ndata: ${fine(id)}\n\r`, stream),
	],
	['forgets the empty line', 'upstream_disconnected', body((id) => `data: ${fine(id)}\n`, stream)],
	['answers another request', invalid, body((id) => fine(id + 1))],
	['answers with its id as text', invalid, body((id) => fine(id).replace(`:${id},`, `:"${id}",`))],
	['answers twice', 'ok', body((id) => event(fine(id)) + event(fine(id, 'again')), stream)],
	[
		'answers another request first',
		'ok',
		body((id) => event(fine(id + 1, 'not ours')) + event(fine(id)), stream),
	],
	['answers in a batch', invalid, body((id) => `[${fine(id)}]`)],
	['answers null', invalid, body((id) => `{"jsonrpc":"2.0","id":${id},"result":null}`)],
	[
		'answers and fails at once',
		invalid,
		body((id) => `{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":""}}`),
	],
	[
		'fails with a code of another type',
		invalid,
		body((id) => `{"jsonrpc":"2.0","id":${id},"error":{"code":"E","message":[]}}`),
	],
	['reaches for prototypes', invalid, body((id) => fine(id).replace('"content"', '"__proto__"'))],
	['says it twice', invalid, body((id) => fine(id).replace('"content"', '"content":[],"content"'))],
	[
		'asks what does not exist',
		'ok',
		body((id) => event({ id: 1, method: 'notifications/progress' }) + event(fine(id)), stream),
	],
]

export const zoo: Animal[] = [...slow, ...large, ...wire, ...content]

function flooding(type: string, piece: string): Animal[2] {
	return ({ response, flood }) => {
		response.writeHead(200, { 'content-type': type }).flushHeaders()
		flood(piece)
	}
}

function every(ms: number, response: ServerResponse, act: () => void): void {
	const timer = setInterval(act, ms)
	response.once('close', () => clearInterval(timer))
}
