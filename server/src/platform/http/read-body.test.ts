import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { Problem } from '../errors.ts'
import { readBody } from './read-body.ts'

let server: Server
afterEach(() => {
	server.closeAllConnections()
	server.close()
})

async function readAfter(ending: 'end' | 'resetAndDestroy' | 'destroy'): Promise<unknown> {
	const read = new Promise((resolve) => {
		server = createServer((request) => resolve(readBody(request, 1000).catch((error: unknown) => error)))
	})
	await once(server.listen(0, '127.0.0.1'), 'listening')
	const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
	client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\na part of it', () =>
		client[ending](),
	)
	return read
}

it.each(['end', 'resetAndDestroy', 'destroy'] as const)(
	'a client that goes away in the middle of its body (%s) is no failure of ours',
	async (ending) => {
		const failure = await readAfter(ending)
		expect(failure).toBeInstanceOf(Problem)
		expect(failure).toMatchObject({ code: 'invalid_request', status: 400 })
	},
)
