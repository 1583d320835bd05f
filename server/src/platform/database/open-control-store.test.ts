import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import type { Log } from '../log.ts'
import { openPostgres } from './open-control-store.ts'

afterEach(() => vi.useRealTimers())

const message = (type: string, body: Buffer) => {
	const head = Buffer.alloc(5)
	head.write(type)
	head.writeInt32BE(body.length + 4, 1)
	return Buffer.concat([head, body])
}
const ready = message('Z', Buffer.from('I'))
const signedIn = Buffer.concat([message('R', Buffer.alloc(4)), ready])
const refusal = 'SERROR\0VERROR\0C0A000\0Mcannot execute LISTEN during recovery\0\0'
const refused = Buffer.concat([message('E', Buffer.from(refusal)), ready])

/** Speaks as much of PostgreSQL's protocol as a standby that refuses LISTEN. */
async function startStandby() {
	const open = new Set<Socket>()
	let refusals = 0
	const server = createServer((socket) => {
		open.add(socket)
		socket.on('error', () => {}).on('close', () => open.delete(socket))
		socket.once('data', () => {
			socket.write(signedIn)
			socket.on('data', (data) => {
				if (data[0] !== 'Q'.charCodeAt(0)) return
				refusals += 1
				socket.write(refused)
			})
		})
	})
	await once(server.listen(0, '127.0.0.1'), 'listening')
	const { port } = server.address() as AddressInfo
	return {
		url: `postgres://u@127.0.0.1:${port}/d`,
		open: () => open.size,
		refusals: () => refusals,
		close: () => {
			for (const socket of open) socket.destroy()
			return new Promise((resolve) => server.close(resolve))
		},
	}
}

it('while PostgreSQL refuses to notify, no connection is left open by the attempts, and the log says it once', async () => {
	vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
	const standby = await startStandby()
	const lines: string[] = []
	const log = { warn: (_facts: object, text: string) => lines.push(text) } as unknown as Log
	const store = await openPostgres(standby.url, log)
	const stop = store.watch(() => {})
	for (let attempt = 1; attempt <= 4; attempt += 1) {
		await vi.waitFor(() => {
			vi.advanceTimersByTime(1000)
			expect(standby.refusals()).toBeGreaterThanOrEqual(attempt)
		})
	}
	await stop()
	// One connection is of the pool.
	await vi.waitFor(() => expect(standby.open()).toBe(1))
	expect(lines).toEqual(['control store: cannot listen for changes'])
	await store.close()
	await standby.close()
})
