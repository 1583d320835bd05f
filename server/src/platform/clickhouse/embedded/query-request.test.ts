import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KeptMemory } from '../../free-bytes.ts'
import { http } from '../../node-http.ts'
import { bodyBytesHeader } from './child-protocol.ts'
import { readEngineCall } from './query-request.ts'

const memory = new KeptMemory()
/** Answers with the body of each call, or why it was refused. */
const server = http.createServer(async (request, response) => {
	try {
		const search = new URLSearchParams({ query: 'INSERT INTO t FORMAT Native' })
		const call = await readEngineCall(request, search, memory)
		if (call.kind !== 'insert') return void response.end(call.kind)
		response.end(Buffer.from(call.body))
		memory.giveBack(call.body)
	} catch (error) {
		response.statusCode = 400
		response.end(String((error as Error).message))
	}
})
let url = ''
beforeAll(async () => {
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => server.close())

const rows = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => at % 251))
const send = (told?: number) =>
	fetch(url, {
		method: 'POST',
		body: new Uint8Array(rows),
		...(told !== undefined && { headers: { [bodyBytesHeader]: String(told) } }),
	})

test.each([undefined, 0, rows.length])('rows come as they were sent (told: %s)', async (told) => {
	const answer = await send(told)
	expect(answer.status).toBe(200)
	expect(Buffer.from(await answer.arrayBuffer()).equals(rows)).toBe(true)
})

test.each([
	[rows.length - 1, 'longer'],
	[rows.length + 1, 'shorter'],
	[2 ** 40, 'too large'],
])('a body of another length than it says (%s) is refused', async (told, why) => {
	const answer = await send(told).catch(() => null)
	// What is refused at its head is not read to its end.
	if (answer) expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(why)])
})
