import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import type { SafeFetchOptions } from './safe-fetch.ts'

export const strict = {
	allowedNetworks: null,
	loopbackAllowed: false,
	forbidden: () => [],
} satisfies SafeFetchOptions
export const local = { ...strict, loopbackAllowed: true } satisfies SafeFetchOptions

interface Canary {
	port: number
	connections: number
	seen: IncomingMessage[]
	answer(request: IncomingMessage, response: ServerResponse): void
	reset(): void
}

/** A listener on every address of this machine that counts connections. */
export function useCanary(): Canary {
	const hello: Canary['answer'] = (_request, response) => response.end('hello')
	const canary: Canary = {
		port: 0,
		connections: 0,
		seen: [],
		answer: hello,
		reset: () => void Object.assign(canary, { connections: 0, seen: [], answer: hello }),
	}
	const server = createServer((request, response) => {
		canary.seen.push(request)
		canary.answer(request, response)
	})
	server.on('connection', () => {
		canary.connections += 1
	})
	beforeAll(async () => {
		await new Promise<void>((done) => server.listen(0, '::', done))
		canary.port = (server.address() as AddressInfo).port
	})
	afterAll(() => {
		server.closeAllConnections()
		server.close()
	})
	return canary
}
