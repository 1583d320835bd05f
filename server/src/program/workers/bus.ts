import { randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { chooseSocketPath } from '../../platform/clickhouse/index.ts'
import { comeFrom } from '../../platform/http/index.ts'
import { http } from '../../platform/node-http.ts'
import type { Programs } from '../../servers/programs/index.ts'
import { busHeaders, withoutBusHeaders } from './bus-headers.ts'
import { serveProgram } from './serve-program.ts'

/** Where workers reach the primary, and the key of this start. */
export interface BusAddress {
	socketPath: string
	key: string
}

export interface Bus {
	address: BusAddress
	close(): Promise<void>
}

interface BusOptions {
	dataDir: string
	/** Takes a request that a worker forwards. */
	handle(request: IncomingMessage, response: ServerResponse): void
	/** Carries an exchange of a worker with a hosted program. */
	exchange: Programs['exchange']
}

/** Opens the unix socket (0600) on which the primary takes what workers cannot answer themselves. */
export async function openBus({ dataDir, handle, exchange }: BusOptions): Promise<Bus> {
	const { path, remove } = chooseSocketPath(dataDir, 'workers.sock')
	const key = randomBytes(32).toString('hex')
	rmSync(path, { force: true })
	const server = http.createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, (request, response) => {
		const { [busHeaders.peer]: peer, [busHeaders.program]: program } = request.headers
		if (!hasKey(request, key)) return void response.writeHead(403).end()
		if (typeof program === 'string') return serveProgram(exchange, program, request, response)
		withoutBusHeaders(request)
		comeFrom(request, String(peer))
		handle(request, response)
	})
	await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
	chmodSync(path, 0o600)
	return {
		address: { socketPath: path, key },
		close: async () => {
			server.closeAllConnections()
			await new Promise((resolve) => server.close(resolve))
			remove()
		},
	}
}

function hasKey({ headers }: IncomingMessage, key: string): boolean {
	const given = Buffer.from(String(headers[busHeaders.key] ?? ''))
	const expected = Buffer.from(key)
	return given.length === expected.length && timingSafeEqual(given, expected)
}
