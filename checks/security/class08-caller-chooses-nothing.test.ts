import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { asOwner, bearer, make, send } from './attack.ts'
import { useVictim } from './victim.ts'

const victim = useVictim()
const providerKey = 'sk-stored-provider-key-58213'
const listeners: Server[] = []
let evil: string
let evilSeen = 0
let provider: string
let seen: { url: string; headers: IncomingHttpHeaders; text: string }[] = []
let agent: { id: string; key: string }

beforeAll(async () => {
	evil = await listen(() => {
		evilSeen += 1
	})
	provider = await listen((url, headers, text) => seen.push({ url, headers, text }))
	await make('/v1/provider-keys', {
		name: 'chosen',
		provider: 'openai_compatible',
		key: providerKey,
		base_url: provider,
	})
	agent = await victim.newAgent()
})
beforeEach(() => {
	seen = []
	victim.upstream.received.length = 0
})
afterAll(() => listeners.map((listener) => listener.close()))

async function listen(
	take: (url: string, headers: IncomingHttpHeaders, text: string) => void,
): Promise<string> {
	const server = createServer((request, response) => {
		let text = ''
		request.on('data', (chunk) => (text += chunk))
		request.on('end', () => {
			take(request.url ?? '', request.headers, text)
			response.setHeader('content-type', 'application/json').end('{"choices":[]}')
		})
	})
	listeners.push(server)
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const headersThatChoose = [
	'x-portkey-custom-host',
	'x-portkey-provider',
	'x-litellm-api-base',
	'x-api-base',
	'x-base-url',
	'x-upstream-url',
	'x-target-url',
	'x-grafana-url',
	'x-forwarded-host',
	'x-mcp-server-url',
	'x-original-host',
	'x-envoy-original-dst-host',
	'x-proxy-url',
	'forwarded',
]

describe('the destination of a model call (CVE-2024-6587, CVE-2025-66405, CVE-2026-110719)', () => {
	const chat = '/proxy/chosen/v1/chat/completions'

	it.each(headersThatChoose)('is not chosen by %s', async (name) => {
		for (const value of [evil, new URL(evil).host, `host=${new URL(evil).host}`]) {
			const answer = await send(chat, {
				headers: { ...bearer(agent.key), [name]: value },
				body: { model: 'm', messages: [] },
			})
			expect(answer.status).toBe(200)
		}
		expect(seen.map(({ url }) => url)).toEqual(Array(3).fill('/v1/chat/completions'))
		expect(seen.map(({ headers }) => headers.host)).toEqual(Array(3).fill(new URL(provider).host))
		expect(evilSeen).toBe(0)
	})

	it('is not chosen by the body', async () => {
		for (const field of ['api_base', 'base_url', 'endpoint', 'api_host', 'custom_host', 'proxy'])
			await send(chat, { headers: bearer(agent.key), body: { model: 'm', messages: [], [field]: evil } })
		expect(seen.length).toBe(6)
		expect(evilSeen).toBe(0)
	})

	// FastMCP inserted a caller's value into a path without encoding it, so that it could reach other paths (CVE-2026-32871).
	it('is not chosen by the path', async () => {
		const { host } = new URL(evil)
		for (const path of [
			`/proxy/${evil}/v1/x`,
			`/proxy/chosen/${evil}/v1/x`,
			`/proxy/chosen//${host}/x`,
			`/proxy/chosen/@${host}/x`,
			`/proxy/chosen/..%2f..%2f${host}`,
			`/proxy/chosen/\\\\${host}/x`,
			`/proxy/chosen/v1/chat/completions?api_base=${evil}`,
			`/proxy/chosen@${host}/v1/models`,
			`/proxy/chosen/v1/%2e%2e/%2e%2e/admin`,
		])
			await send(path, { headers: bearer(agent.key), body: { model: 'm', messages: [] } })
		expect(evilSeen).toBe(0)
		for (const { url, headers } of seen) {
			expect(headers.host).toBe(new URL(provider).host)
			expect(url).toMatch(/^\/v1\/chat\/completions/)
		}
	})

	it('gets the stored credential and no credential of the caller (CVE-2026-110279)', async () => {
		const more = {
			'x-upstream-authorization': 'Bearer stolen',
			'proxy-authorization': 'Bearer stolen',
			'x-goog-api-key': 'stolen',
			cookie: 'session=stolen',
		}
		await send(chat, {
			headers: { 'x-service-api-key': agent.key, ...more, 'x-goog-api-key': '' },
			body: { model: 'm', messages: [] },
		})
		for (const { headers } of seen) {
			expect(headers.authorization).toBe(`Bearer ${providerKey}`)
			expect(JSON.stringify(headers)).not.toContain(agent.key)
			expect(JSON.stringify(headers)).not.toMatch(/cookie|session=stolen/)
		}
		expect(seen.length).toBe(1)
	})
})

describe('the destination of a tool call (CVE-2026-19516, CVE-2026-15583)', () => {
	const read = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read', arguments: {} } }
	const modern = {
		'mcp-protocol-version': '2026-07-28',
		'mcp-method': 'tools/call',
		'mcp-name': 'read',
		accept: 'application/json, text/event-stream',
	}
	const _meta = {
		'io.modelcontextprotocol/protocolVersion': '2026-07-28',
		'io.modelcontextprotocol/clientCapabilities': {},
	}

	it('is not chosen by any header, and the credential of the agent is not forwarded', async () => {
		for (const name of [...headersThatChoose, 'x-upstream-authorization']) {
			const headers = { ...bearer(agent.key), ...modern, [name]: evil }
			const answer = await send(`/mcp/${victim.slug}`, {
				headers,
				body: { ...read, params: { ...read.params, _meta } },
			})
			expect(answer.status, answer.text).toBe(200)
		}
		expect(evilSeen).toBe(0)
		expect(victim.upstream.calls().length).toBe(headersThatChoose.length + 1)
		const received = JSON.stringify(victim.upstream.received)
		expect(received).not.toContain(agent.key)
		expect(received).not.toContain(evil)
	})
})

// A plugin of better-auth signed a state that the caller had chosen (CVE-2026-121802), and a sign-in of Langfuse used no state
// (CVE-2025-65107).
describe('the state of a sign-in and of a consent', () => {
	const forged = JSON.stringify({
		clientId: 'x',
		redirectUri: evil,
		expiresAtMs: Date.now() + 60_000,
		scopes: [],
	})
	const states = [
		forged,
		Buffer.from(forged).toString('base64url'),
		`AQ${'A'.repeat(200)}`,
		'x'.repeat(43),
		'',
	]

	it('is always created by us: a state from the caller is neither signed nor accepted', async () => {
		const { port } = new URL(inject('program').url)
		const browser = 'b'.repeat(43)
		const cookie = ['authorize', 'sign-in', 'connect']
			.map((name) => `signalbox-${port}-${name}=${browser}`)
			.join('; ')
		for (const state of states) {
			for (const verb of ['consent', 'decide']) {
				const body = { request: state, ...(verb === 'decide' && { decision: 'approve' }) }
				const answer = await asOwner(`/v1/authorizations/${verb}`, { body, headers: { cookie } })
				expect([400, 403]).toContain(answer.status)
				expect(answer.text).not.toContain(evil)
			}
			const callback = await send(`/oauth/callback?code=x&state=${encodeURIComponent(state)}`, {
				headers: { cookie },
			})
			expect(callback.headers.location ?? '').not.toContain(evil)
			expect(callback.headers['set-cookie'] ?? []).toEqual([])
		}
	})
})
