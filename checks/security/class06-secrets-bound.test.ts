import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner, bearer, make, send } from './attack.ts'

const secret = 'sk-very-secret-provider-key-91734'
const header = 'very-secret-header-62518'
const seen: IncomingMessage[] = []
const servers: Server[] = []
let attacker: string
let provider: string

beforeAll(async () => {
	;[provider, attacker] = (await Promise.all([listen(), listen()])) as [string, string]
})
afterAll(() => servers.map((server) => server.close()))

async function listen(): Promise<string> {
	const server = createServer((request, response) => {
		seen.push(request)
		response.setHeader('content-type', 'application/json').end('{"data":[]}')
	})
	servers.push(server)
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const shown = () => JSON.stringify(seen.map(({ headers, url }) => ({ headers, url })))

// Langfuse sent a stored key to any base URL that a member entered (CVE-2026-41487).
describe('a stored key of a provider', () => {
	it('is sent only to its own origin, and is erased when the base URL changes to another origin', async () => {
		for (const [index, change] of [
			attacker,
			provider.replace('127.0.0.1', 'localhost'),
			provider.replace('http:', 'https:'),
			`${attacker}/v1`,
		].entries()) {
			const body = { name: `bound-${index}`, provider: 'openai_compatible', key: secret, base_url: provider }
			const { id } = await make('/v1/provider-keys', body)
			seen.length = 0
			await asOwner(`/v1/provider-keys/${id}/test`, { method: 'POST' })
			expect(shown()).toContain(secret)
			const changed = await asOwner(`/v1/provider-keys/${id}`, {
				method: 'PATCH',
				body: { base_url: change },
			})
			expect(changed.body).toMatchObject({ status: 'secret_missing', last4: null })
			seen.length = 0
			await asOwner(`/v1/provider-keys/${id}/test`, { method: 'POST' })
			const { key } = await make('/v1/keys', { name: 'proxy', scopes: ['proxy:invoke'] })
			const answer = await send(`/proxy/bound-${index}/v1/models`, { headers: bearer(key) })
			expect(answer.status).toBeGreaterThanOrEqual(400)
			expect(shown()).not.toContain(secret)
			// Restoring the old URL does not restore the key.
			await asOwner(`/v1/provider-keys/${id}`, { method: 'PATCH', body: { base_url: provider } })
			expect((await asOwner(`/v1/provider-keys/${id}`)).body.status).toBe('secret_missing')
		}
	})
})

describe('stored headers of an MCP server', () => {
	it.each(['PATCH', 'PUT'])('are erased when %s changes its origin', async (method) => {
		const name = `headers ${method} ${Date.now()}`
		const { id } = await make('/v1/mcp/servers', {
			name,
			url: `${provider}/mcp`,
			headers: { 'x-token': header },
		})
		expect(shown()).toContain(header)
		seen.length = 0
		await asOwner(`/v1/mcp/servers/${id}`, { method, body: { name, url: `${attacker}/mcp` } })
		await asOwner(`/v1/mcp/servers/${id}/health`)
		await asOwner(`/v1/mcp/servers/${id}/tools/refresh`, { method: 'POST' })
		expect(seen.length).toBeGreaterThan(0)
		expect(shown()).not.toContain(header)
	})

	it('are not sent to another origin after a redirect', async () => {
		const leading = createServer((_request, response) =>
			response.writeHead(307, { location: `${attacker}/mcp` }).end(),
		)
		servers.push(leading)
		await new Promise<void>((done) => leading.listen(0, '127.0.0.1', done))
		const url = `http://127.0.0.1:${(leading.address() as AddressInfo).port}/mcp`
		seen.length = 0
		await make('/v1/mcp/servers', {
			name: `leading ${Date.now()}`,
			url,
			headers: { 'x-token': header, authorization: header },
		})
		expect(shown()).not.toContain(header)
	})
})
