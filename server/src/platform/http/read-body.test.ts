import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { Problem } from '../errors.ts'
import { BodyMemory, readBody } from './read-body.ts'

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

it('refuses a body for which there is no memory before reading it, and accepts it when there is', async () => {
	const memory = new BodyMemory(2000)
	const answers: ServerResponse[] = []
	server = createServer((request, response) => {
		answers.push(response)
		const owner = String(request.headers.owner)
		readBody(request, 1000, { response, owner, memory }).then(
			() => undefined,
			(problem: Problem) => response.writeHead(problem.status, problem.headers).end(problem.code),
		)
	})
	await once(server.listen(0, '127.0.0.1'), 'listening')
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	const post = (owner: string, body: string | ReadableStream) =>
		fetch(url, { method: 'POST', headers: { owner }, body, duplex: 'half' } as RequestInit)
	const held = async (bytes: number) => {
		while (memory.heldBytes !== bytes) await new Promise((resolve) => setTimeout(resolve, 5))
	}
	const first = post('a', 'x'.repeat(900))
	await held(900)
	const own = await post('a', 'x'.repeat(101))
	expect([own.status, own.headers.get('retry-after'), await own.text()]).toEqual([
		429,
		'1',
		'too_many_requests',
	])
	const second = post('b', 'x'.repeat(900))
	await held(1800)
	const announced = await post('c', 'x'.repeat(201))
	expect([announced.status, await announced.text()]).toEqual([503, 'overloaded'])
	const streamed = new ReadableStream({
		start: (controller) => {
			controller.enqueue(new TextEncoder().encode('x'.repeat(201)))
			controller.close()
		},
	})
	expect((await post('c', streamed)).status).toBe(503)
	for (const answer of answers) if (!answer.writableEnded) answer.end('done')
	expect([(await first).status, (await second).status]).toEqual([200, 200])
	await held(0)
})

it.each(['end', 'resetAndDestroy', 'destroy'] as const)(
	'a client that disconnects within its body (%s) is not an internal error',
	async (ending) => {
		const failure = await readAfter(ending)
		expect(failure).toBeInstanceOf(Problem)
		expect(failure).toMatchObject({ code: 'invalid_request', status: 400 })
	},
)
