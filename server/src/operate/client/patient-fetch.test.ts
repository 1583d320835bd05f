import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createClient, unwrap } from './client.ts'

type Answer = (response: ServerResponse) => void
const ends: (() => void)[] = []
afterEach(() => {
	for (const end of ends.splice(0)) end()
})

/** Sends the given responses one after the other; the last one is repeated. */
async function startServer(...answers: Answer[]) {
	const keys: (string | undefined)[] = []
	const server = createServer((request, response) => {
		keys.push(request.headers['idempotency-key'] as string | undefined)
		answers[Math.min(keys.length, answers.length) - 1]?.(response)
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	ends.push(() => server.close())
	const { port } = server.address() as AddressInfo
	return { client: createClient({ baseUrl: `http://127.0.0.1:${port}`, key: 'k', patient: true }), keys }
}

const ok: Answer = (response) =>
	response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': '1' }).end('{"limits":[]}')
const busy: Answer = (response) =>
	response.writeHead(429, { 'retry-after': '0' }).end('{"code":"rate_limited"}')
const broken: Answer = (response) => void response.destroy()

it('a patient client retries when it is asked to', async () => {
	const { client, keys } = await startServer(busy, busy, ok)
	expect(await unwrap(client.GET('/v1/limits'))).toEqual({ limits: [] })
	expect(keys).toHaveLength(3)
})

it('gives up after five attempts', async () => {
	const { client, keys } = await startServer(busy)
	await expect(client.GET('/v1/limits')).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
	expect(keys).toHaveLength(5)
})

it('retries a change after a broken connection only with an idempotency key', async () => {
	const { client, keys } = await startServer(broken, ok)
	const body = { name: 'A' }
	const headers = { 'idempotency-key': 'once' }
	expect(await unwrap(client.POST('/v1/agents', { body, headers }))).toEqual({ limits: [] })
	expect(keys).toEqual(['once', 'once'])
	const other = await startServer(broken, ok)
	await expect(other.client.POST('/v1/agents', { body })).rejects.toMatchObject({ status: 0 })
	expect(other.keys).toHaveLength(1)
})
