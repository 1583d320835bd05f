import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { readSocket } from './read-message.ts'

const sent = Buffer.from(Array.from({ length: 400_000 }, (_, at) => at % 251))

/** Sends everything in pieces of many sizes, and ends. */
async function sendAll(use: (socket: Socket) => Promise<void>): Promise<void> {
	const server = createServer(async (socket) => {
		for (let at = 0, size = 1; at < sent.length; at += size, size = (size * 7) % 9973) {
			socket.write(sent.subarray(at, at + size))
			if (size % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
		}
		socket.end()
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	try {
		await use(connect((server.address() as AddressInfo).port, '127.0.0.1'))
	} finally {
		server.close()
	}
}

it('delivers all bytes in order, also if the socket is paused now and then', () =>
	sendAll(async (socket) => {
		const pieces: Buffer[] = []
		let isPaused = false
		readSocket(socket, (piece) => {
			// Data that was in flight when it was paused may still arrive, as with `data` events.
			pieces.push(piece)
			if (isPaused || pieces.length % 5 !== 0) return
			isPaused = true
			socket.pause()
			setTimeout(() => {
				isPaused = false
				socket.resume()
			}, 1)
		})
		await once(socket, 'end')
		expect(Buffer.concat(pieces).equals(sent)).toBe(true)
	}))

it('leaves the rest to the next reader, including bytes that were put back', () =>
	sendAll(async (socket) => {
		const pieces: Buffer[] = []
		await new Promise<void>((resolve) => {
			const stop = readSocket(socket, (piece) => {
				stop()
				socket.pause()
				pieces.push(piece.subarray(0, 1))
				socket.unshift(piece.subarray(1))
				resolve()
			})
		})
		socket.on('data', (piece: Buffer) => pieces.push(piece))
		socket.resume()
		await once(socket, 'end')
		expect(Buffer.concat(pieces).equals(sent)).toBe(true)
	}))

it('schedules no extra tick per piece', () =>
	sendAll(async (socket) => {
		let planned = 0
		const { nextTick } = process
		readSocket(socket, () => {
			process.nextTick = (...args: Parameters<typeof nextTick>) => {
				planned += 1
				nextTick(...args)
			}
			queueMicrotask(() => {
				process.nextTick = nextTick
			})
		})
		await once(socket, 'end')
		expect(planned).toBe(0)
	}))
