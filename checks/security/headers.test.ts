import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	owner,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { bearer, send } from './attack.ts'

const dataDir = newDataDir()
const metricsToken = 'f3b1c07ad9e2465b8f10'
const evilPage = '<script>fetch("/v1/keys")</script>'
let program: Program
let provider: Server
beforeAll(async () => {
	provider = createServer((_request, response) => {
		response.writeHead(200, {
			'content-type': 'text/html',
			'content-security-policy': "default-src * 'unsafe-inline'",
			'x-content-type-options': 'sniff',
			'access-control-allow-origin': '*',
			'access-control-allow-credentials': 'true',
			'set-cookie': 'signalbox=stolen',
			'service-worker-allowed': '/',
			refresh: '0; url=https://attacker.example',
			'strict-transport-security': 'max-age=0',
			'clear-site-data': '"*"',
		})
		response.end(evilPage)
	})
	await new Promise<void>((done) => provider.listen(0, '127.77.0.1', done))
	program = await startProgram(dataDir, {
		SIGNALBOX_PUBLIC_URL: 'https://signalbox.example.org',
		SIGNALBOX_ALLOWED_PRIVATE_NETWORKS: '127.77.0.0/16',
		SIGNALBOX_CORS_ORIGINS: 'https://friend.example',
		SIGNALBOX_METRICS_TOKEN: metricsToken,
	})
})
afterAll(async () => {
	await program?.kill('SIGTERM')
	provider?.close()
	removeDataDir(dataDir)
})
const ask = (path: string, attack: Parameters<typeof send>[1] = {}) =>
	send(path, { url: program.url, headers: bearer(program.token), ...attack })

describe('every response', () => {
	const paths = [
		'/ui/',
		'/docs',
		'/docs/errors',
		'/openapi.json',
		'/llms.txt',
		'/livez',
		'/version',
		'/auth/me',
		'/v1/agents',
		'/v1/agents/none',
		'/mcp',
		'/proxy/none/v1/models',
		'/nothing',
		'//',
		'/metrics',
	]

	it.each(paths)('%s forbids type sniffing, framing and caching, and requires HTTPS', async (path) => {
		for (const method of ['GET', 'POST']) {
			const { headers } = await ask(path, { method })
			expect(headers['x-content-type-options']).toBe('nosniff')
			expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
			expect(headers['strict-transport-security']).toBe('max-age=31536000')
			expect(headers['cache-control']).toBe('no-store')
			expect(headers['x-powered-by']).toBeUndefined()
			expect(headers.server).toBeUndefined()
		}
	})

	it.each(['/ui/', '/ui/agents', '/docs', '/docs/errors'])('%s allows only our own scripts', async (path) => {
		const { headers } = await ask(path)
		const policy = String(headers['content-security-policy'])
		expect(policy.match(/script-src ([^;]*)/)?.[1]).toMatch(/^'self' 'nonce-[\w+/=]{22,}'$/)
		expect(policy).not.toMatch(/unsafe-eval|\*|http:|https:/)
		if (path !== '/docs') expect(policy).not.toContain('unsafe-inline')
		expect(policy).toContain("base-uri 'none'")
		expect(headers['referrer-policy']).toBe('no-referrer')
	})

	it('allows cross-origin reads only for listed origins, and never with our cookies', async () => {
		for (const origin of [
			'https://attacker.example',
			'null',
			'https://signalbox.example.org.attacker.example',
			'https://friend.example.attacker.example',
			'http://friend.example',
			'http://127.0.0.1:1',
		])
			for (const path of ['/v1/agents', '/auth/login', '/ui/', '/mcp', '/livez'])
				for (const method of ['GET', 'POST', 'OPTIONS']) {
					const { headers } = await ask(path, {
						method,
						headers: { ...bearer(program.token), origin, 'access-control-request-method': 'POST' },
					})
					expect(headers['access-control-allow-origin'], `${path} from ${origin}`).toBeUndefined()
					expect(headers['access-control-allow-credentials']).toBeUndefined()
				}
	})
})

// Browsers sent Langflow's cookies from any page, which could also read the response (CVE-2025-34291), and any page could register
// accounts at Lunary (CVE-2024-6862).
describe('the cookies of a session', () => {
	const signIn = (more: Record<string, string>) => ask('/auth/login', { headers: more, body: owner })

	it('are limited to this host and to HTTPS, scripts cannot read them, and the body contains no token', async () => {
		const { headers, body } = await signIn({ 'x-signalbox-dashboard': '1' })
		const cookies = headers['set-cookie'] ?? []
		expect(cookies.length).toBe(2)
		for (const cookie of cookies) {
			expect(cookie).toMatch(/^__Host-signalbox/)
			for (const attribute of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict'])
				expect(cookie).toContain(attribute)
			expect(cookie).not.toContain('Domain')
		}
		expect(body.token).toBeUndefined()
		expect(body.refresh_token).toBeUndefined()
	})

	it('do not authorize changes from a page of another origin', async () => {
		const { headers } = await signIn({ 'x-signalbox-dashboard': '1' })
		const cookie = (headers['set-cookie'] ?? []).map((text) => text.split(';')[0]).join('; ')
		const me = await ask('/auth/me', { headers: { cookie } })
		// The dashboard sends the workspace with every change. Knowing it must not help another page.
		const named = { cookie, 'x-signalbox-workspace': me.body.workspace.id as string }
		const foreign: Record<string, string>[] = [
			{},
			{ origin: 'https://attacker.example' },
			{ origin: 'null' },
			{ 'sec-fetch-site': 'cross-site' },
			{ 'sec-fetch-site': 'same-site' },
			{ 'sec-fetch-site': 'none' },
		]
		for (const more of foreign)
			expect(
				(await ask('/v1/agents', { headers: { ...named, ...more }, body: { name: 'forged' } })).status,
			).toBe(403)
		expect(
			(
				await ask('/v1/agents', {
					headers: { ...named, 'sec-fetch-site': 'same-origin' },
					body: { name: 'own' },
				})
			).status,
		).toBe(201)
	})
})

// Open WebUI ran scripts that a model server sent (CVE-2025-64496).
describe('a page that a model provider sends through the proxy', () => {
	it('is sandboxed: no script in it runs, and it cannot set cookies or other headers for our origin', async () => {
		const { port } = provider.address() as AddressInfo
		const body = {
			name: 'evil',
			provider: 'openai_compatible',
			key: 'k',
			base_url: `http://127.77.0.1:${port}`,
		}
		expect((await ask('/v1/provider-keys', { body })).status).toBe(201)
		const { key } = (await ask('/v1/keys', { body: { name: 'link', scopes: ['proxy:invoke'] } })).body
		const { headers, text } = await ask('/proxy/evil/v1/models', { headers: bearer(key) })
		expect(text).toBe(evilPage)
		expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
		expect(headers['x-content-type-options']).toBe('nosniff')
		expect(headers['strict-transport-security']).toBe('max-age=31536000')
		for (const name of [
			'access-control-allow-origin',
			'access-control-allow-credentials',
			'set-cookie',
			'service-worker-allowed',
			'refresh',
			'clear-site-data',
		])
			expect(headers[name], name).toBeUndefined()
	})
})

// The rest of rule 11: class11-health-says-little.test.ts tries what is public on every instance.
describe('an exposed instance', () => {
	it('shows metrics only with the metrics token', async () => {
		const askMetrics = (headers: Record<string, string> = {}) => ask('/metrics', { headers })
		for (const headers of [
			{},
			bearer(metricsToken.slice(0, -1)),
			bearer(''),
			bearer(program.token),
			{ 'x-forwarded-for': '127.0.0.1' },
			{ authorization: metricsToken },
		])
			expect((await askMetrics(headers as Record<string, string>)).status).toBe(401)
		const { status, text } = await askMetrics(bearer(metricsToken))
		expect(status).toBe(200)
		expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/)
	})

	// DNS rebinding was also possible in the SDKs for Python (CVE-2025-66416), Java (CVE-2026-35568) and Rust (CVE-2026-42559), in
	// Playwright's server (CVE-2025-9611) and in MLflow (CVE-2025-14279).
	it('refuses requests for another host name and from another origin (CVE-2025-66414, CVE-2025-49596)', async () => {
		for (const host of ['attacker.example', 'localhost.attacker.example', '169.254.169.254', '0.0.0.0'])
			for (const path of ['/livez', '/mcp', '/v1/agents'])
				expect((await ask(path, { headers: { host, ...bearer(program.token) } })).status).toBe(400)
		const origin = { origin: 'http://attacker.example' }
		expect((await ask('/mcp', { headers: origin, body: {} })).status).toBe(403)
	})
})
