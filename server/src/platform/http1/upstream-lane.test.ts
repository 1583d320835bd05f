import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Agent, buildConnector } from '../undici.ts'
import { UpstreamLane } from './upstream-lane.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end()
})

interface Received {
	events: string[]
	status: number
	headers: Record<string, unknown>
	body: string
	error: string
}

type Change = (event: string, controller: Dispatcher.DispatchController, received: Received) => void

function exchange(
	dispatcher: Dispatcher,
	options: Dispatcher.DispatchOptions,
	change: Change = () => undefined,
): Promise<Received> {
	return new Promise((resolve) => {
		const received: Received = { events: [], status: 0, headers: {}, body: '', error: '' }
		const note = (event: string, controller: Dispatcher.DispatchController) => {
			if (received.events.at(-1) !== event) received.events.push(event)
			change(event, controller, received)
		}
		dispatcher.dispatch(options, {
			onRequestStart: (controller) => note('sent', controller),
			onResponseStart: (controller, status, headers) => {
				Object.assign(received, { status, headers: { ...headers } })
				note('head', controller)
			},
			onResponseData: (controller, chunk) => {
				received.body += chunk.toString('latin1')
				note('data', controller)
			},
			onResponseEnd: (controller) => {
				note('end', controller)
				resolve(received)
			},
			onResponseError: (controller, error) => {
				received.error = (error as NodeJS.ErrnoException).code ?? error.message
				note('error', controller)
				resolve(received)
			},
		})
	})
}

/** A server that responds to each request with these bytes, one piece every 2 ms; `null` closes the connection. */
async function serve(
	pieces: readonly (string | null)[],
): Promise<{ origin: string; connections: () => number; ended: () => number; seen: string[] }> {
	let connections = 0
	const seen: string[] = []
	const open = new Set<Socket>()
	const server = createServer((socket) => {
		connections += 1
		open.add(socket)
		socket.on('error', () => undefined)
		socket.on('close', () => open.delete(socket))
		socket.on('data', (bytes) => {
			seen.push(bytes.toString('latin1'))
			void answer(socket)
		})
	})
	const answer = async (socket: Socket) => {
		for (const piece of pieces) {
			if (piece === null) socket.end()
			else socket.write(Buffer.from(piece, 'latin1'))
			if (pieces.length > 1) await sleep(2)
		}
	}
	ends.push(() => {
		for (const socket of open) socket.destroy()
		server.close()
	})
	const ended = () => connections - open.size
	return { origin: await listening(server), connections: () => connections, ended, seen }
}

async function listening(server: Server): Promise<string> {
	await once(server.listen(0, '127.0.0.1'), 'listening')
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const plainAgent = () => {
	const agent = new Agent({ pipelining: 1, keepAliveTimeout: 10_000 })
	ends.push(() => agent.destroy())
	return agent
}

function newLane(): UpstreamLane {
	const lane = new UpstreamLane(buildConnector({ timeout: 2000 }), plainAgent())
	ends.push(() => lane.destroy())
	return lane
}

const post: Omit<Dispatcher.DispatchOptions, 'origin'> = {
	path: '/a?b=c',
	method: 'POST',
	headers: ['X-A', 'b', 'content-type', 'text/plain'],
	body: 'hello',
}
const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n'

const answers: readonly [string, readonly (string | null)[]][] = [
	['with a length', [`${head}Content-Length: 5\r\n\r\nhello`]],
	['with a length, in pieces', [`${head}Content-`, 'Length: 5\r\n', '\r\nhe', 'llo']],
	['in chunks', [`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n`]],
	[
		'in chunks, in pieces',
		[`${head}Transfer-Encoding: chunked\r\n\r`, '\n', '5\r', '\nhel', 'lo\r\n0', '\r\nx: y\r\n', '\r\n'],
	],
	['up to the end of the connection', [head, '\r\nhel', 'lo', null]],
	['of HTTP/1.0', ['HTTP/1.0 200 OK\r\n\r\nhello', null]],
	['without a body', ['HTTP/1.1 204 No Content\r\n\r\n']],
	['of no length', [`${head}Content-Length: 0\r\n\r\n`]],
	[
		'after early hints',
		['HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n', `${head}Content-Length: 5\r\n\r\nhello`],
	],
	['with a field twice', [`${head}Set-Cookie: a\r\nset-cookie: b\r\nContent-Length: 0\r\n\r\n`]],
	['with bytes above ASCII', ['HTTP/1.1 200 \xe9\r\nX: \xe9\r\nContent-Length: 1\r\n\r\n\xff']],
	['that is cut in its head', [head, null]],
	['that is cut in its body', [`${head}Content-Length: 50\r\n\r\nhello`, null]],
	['that is cut in its chunks', [`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`, null]],
	['that ends before it begins', [null]],
]
const malformed: readonly [string, string][] = [
	['no HTTP', 'hello\r\n\r\n'],
	['two lengths', `${head}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`],
	['a length beside chunks', `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
	['a size that is none', `${head}Transfer-Encoding: chunked\r\n\r\nz\r\nhello\r\n0\r\n\r\n`],
	['a chunk without its end', `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n`],
	['a head without an end', `${head}X: ${'y'.repeat(20_000)}`],
]

describe('the fast lane to servers', () => {
	it.each(answers)('reports a response %s as undici does', async (_name, pieces) => {
		const { origin, seen } = await serve(pieces)
		const ours = await exchange(newLane(), { origin, ...post })
		const nodes = await exchange(plainAgent(), { origin, ...post })
		// undici reports informational responses as separate heads, which every handler skips.
		expect(ours.body).toBe(nodes.body)
		expect(ours).toMatchObject({ status: nodes.status, headers: nodes.headers, error: nodes.error })
		expect(ours.events.at(-1)).toBe(nodes.events.at(-1))
		expect(seen[0]).toBe(seen[1])
	})

	it.each([
		['another protocol', '\x15\x03\x01\x00\x02\x02\x16'],
		['HTTP/0.9', '<html>hello</html>'],
		['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello'],
	])('does not wait for a head from a server that speaks %s', async (_name, bytes) => {
		const { origin } = await serve([bytes])
		const received = await exchange(newLane(), { origin, ...post })
		expect(received).toMatchObject({ events: ['sent', 'error'], error: expect.stringMatching(/^HPE_/) })
	})

	it.each(malformed)('refuses %s as undici does', async (_name, bytes) => {
		const { origin } = await serve([bytes])
		const ours = await exchange(newLane(), { origin, ...post })
		expect(ours.events.at(-1)).toBe('error')
		const nodes = await exchange(plainAgent(), { origin, ...post })
		expect(nodes.events.at(-1)).toBe('error')
	})

	it('keeps connections alive and reuses them, one request at a time', async () => {
		const { origin, connections } = await serve([`${head}Content-Length: 5\r\n\r\nhello`])
		const lane = newLane()
		for (let time = 0; time < 5; time += 1) await exchange(lane, { origin, ...post })
		expect(connections()).toBe(1)
		await Promise.all(Array.from({ length: 4 }, () => exchange(lane, { origin, ...post })))
		expect(connections()).toBe(4)
	})

	it.each([
		['with connection: close', `${head}Connection: close\r\nContent-Length: 5\r\n\r\nhello`],
		['followed by unsolicited bytes', `${head}Content-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n`],
		['with a very short keep-alive', `${head}Keep-Alive: timeout=2\r\nContent-Length: 5\r\n\r\nhello`],
	])('does not reuse a connection after a response %s', async (_name, bytes) => {
		const { origin, connections } = await serve([bytes])
		const lane = newLane()
		for (let time = 0; time < 3; time += 1)
			expect((await exchange(lane, { origin, ...post })).body).toBe('hello')
		expect(connections()).toBe(3)
	})

	it('does not take unsolicited bytes for the response to the next request', async () => {
		const { origin, connections, ended } = await serve([
			`${head}Content-Length: 5\r\n\r\nhello`,
			`${head}Content-Length: 4\r\n\r\nevil`,
		])
		const lane = newLane()
		expect((await exchange(lane, { origin, ...post })).body).toBe('hello')
		await expect.poll(ended, { timeout: 10_000 }).toBe(1)
		expect((await exchange(lane, { origin, ...post })).body).toBe('hello')
		expect(connections()).toBe(2)
	})

	it.each(['with a length', 'in chunks'])('waits while its handler pauses a response %s', async (kind) => {
		const server = createHttp((_request, response) => {
			const bytes = Buffer.alloc(1024 * 1024, 'x')
			response.writeHead(200, kind === 'in chunks' ? {} : { 'content-length': 8 * bytes.length })
			for (let left = 8; left > 0; left -= 1) response.write(bytes)
			response.end()
		})
		ends.push(() => server.close())
		const origin = await listening(server as unknown as Server)
		let pauses = 0
		let running = 0
		const received = await exchange(newLane(), { origin, ...post }, (event, controller) => {
			if (event !== 'data') return
			expect(controller.paused).toBe(false)
			running += 1
			if (running % 5 !== 0) return
			pauses += 1
			controller.pause()
			setTimeout(() => controller.resume(), 1)
		})
		expect(received.body.length).toBe(8 * 1024 * 1024)
		expect(pauses).toBeGreaterThan(3)
	})

	it('ends an exchange at once when its handler aborts it, even halfway', async () => {
		const { origin } = await serve([`${head}Content-Length: 50\r\n\r\nhello`])
		for (const at of ['sent', 'head', 'data']) {
			const received = await exchange(newLane(), { origin, ...post }, (event, controller) => {
				if (event === at) controller.abort(new Error(`at ${at}`))
			})
			expect(received.error).toBe(`at ${at}`)
		}
	})

	it('times out on a server that is silent before or within its response', async () => {
		const lane = newLane()
		const silent = await serve([''])
		const slow = await exchange(lane, { origin: silent.origin, ...post, headersTimeout: 200 })
		expect(slow.error).toBe('UND_ERR_HEADERS_TIMEOUT')
		const stops = await serve([`${head}Content-Length: 50\r\n\r\nhello`])
		const stopped = await exchange(lane, { origin: stops.origin, ...post, bodyTimeout: 200 })
		expect(stopped.error).toBe('UND_ERR_BODY_TIMEOUT')
		expect(lane.openConnections).toBe(0)
	})

	it('retries only a GET and what may be done twice when a kept-alive connection was closed', async () => {
		let count = 0
		const server = createServer((socket) => {
			socket.on('error', () => undefined)
			socket.once('data', () => {
				count += 1
				socket.write(`${head}Content-Length: 5\r\n\r\nhello`)
				socket.once('data', () => socket.destroy())
			})
		})
		ends.push(() => server.close())
		const origin = await listening(server)
		const lane = newLane()
		const get = { origin, path: '/', method: 'GET' } as const
		await exchange(lane, get)
		expect((await exchange(lane, get)).body).toBe('hello')
		expect((await exchange(lane, { origin, ...post, idempotent: true })).body).toBe('hello')
		expect(count).toBe(3)
		expect((await exchange(lane, { origin, ...post })).error).toMatch(/UND_ERR_SOCKET|ECONNRESET/)
		expect(count).toBe(3)
	})

	it('sends a POST over no rested connection that the server has closed, though nobody has noticed yet', async () => {
		const sockets: Socket[] = []
		const server = createServer((socket) => {
			sockets.push(socket.on('error', () => undefined))
			socket.on('data', () => socket.write(`${head}Content-Length: 5\r\n\r\nhello`))
		})
		ends.push(() => server.close(), vi.restoreAllMocks)
		const options = { origin: await listening(server), ...post }
		const lane = newLane()
		await exchange(lane, options)
		const started = performance.now()
		vi.spyOn(performance, 'now').mockReturnValue(started + 1500)
		expect((await exchange(lane, options)).body).toBe('hello')
		expect(sockets).toHaveLength(1)
		vi.spyOn(performance, 'now').mockReturnValue(started + 3000)
		sockets[0]?.destroy()
		expect((await exchange(lane, options)).body).toBe('hello')
		sockets[1]?.destroy()
	})

	it('retries a GET even if so many other origins were called meanwhile that its own was forgotten', async () => {
		const others: Promise<unknown>[] = []
		const server = createServer((socket) => {
			socket.on('error', () => undefined)
			socket.once('data', () => {
				socket.write(`${head}Content-Length: 5\r\n\r\nhello`)
				socket.once('data', () => {
					for (let port = 1; port <= 1000; port += 1)
						others.push(
							exchange(lane, { origin: `http://refused.invalid:${port}`, path: '/', method: 'GET' }),
						)
					socket.destroy()
				})
			})
		})
		ends.push(() => server.close())
		const connect = buildConnector({})
		const lane = new UpstreamLane((options, callback) => {
			if (options.hostname === 'refused.invalid') callback(new Error('refused'), null)
			else connect(options, callback)
		}, plainAgent())
		ends.push(() => lane.destroy())
		const get = { origin: await listening(server), path: '/', method: 'GET' } as const
		await exchange(lane, get)
		expect((await exchange(lane, get)).body).toBe('hello')
		await Promise.all(others)
	})

	it('leaves requests that are not plain to undici', async () => {
		const { origin, seen } = await serve([`${head}Content-Length: 5\r\n\r\nhello`])
		const taken: string[] = []
		const next = Object.assign(plainAgent(), {})
		const lane = new UpstreamLane(buildConnector({}), {
			dispatch: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
				taken.push(String(options.method))
				return next.dispatch(options, handler)
			},
			destroy: () => Promise.resolve(),
		} as never)
		ends.push(() => lane.destroy())
		await exchange(lane, { origin, ...post })
		expect(taken).toEqual([])
		await exchange(lane, { origin, ...post, headers: { connection: 'close' } })
		await exchange(lane, { origin, path: '/', method: 'HEAD' })
		const invalid = () => lane.dispatch({ origin, ...post, headers: ['X', 'a\r\nb: c'] }, {})
		expect(invalid).toThrow()
		expect(() => lane.dispatch({ origin, ...post, path: '/a b\r\nc' }, {})).toThrow()
		expect(taken).toEqual(['POST', 'HEAD', 'POST', 'POST'])
		expect(seen.join('')).not.toContain('b: c')
	})
})
