import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	owner,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'

/** A reverse proxy that serves the program under `/tools/box`. `strips` says whether it removes that prefix from the forwarded path. */
function startProxy(target: () => string, strips: boolean): Promise<Server> {
	const server = createServer((incoming, outgoing) => {
		if (!incoming.url?.startsWith('/tools/box')) return void outgoing.writeHead(404).end('not here')
		const { hostname, port } = new URL(target())
		const path = strips ? incoming.url.slice('/tools/box'.length) || '/' : incoming.url
		const forwarded = httpRequest(
			{ hostname, port, path, method: incoming.method, headers: incoming.headers },
			(answer) => {
				outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
				answer.pipe(outgoing)
			},
		)
		forwarded.once('error', () => outgoing.writeHead(502).end())
		incoming.pipe(forwarded)
	})
	return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

async function freePort(): Promise<number> {
	const server = createServer()
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	await new Promise((resolve) => server.close(resolve))
	return port
}

describe.each([true, false])('behind a proxy under a base path (prefix stripped: %s)', (strips) => {
	const dataDir = newDataDir()
	let proxy: Server
	let program: Program
	let base: string

	beforeAll(async () => {
		const port = await freePort()
		proxy = await startProxy(() => `http://127.0.0.1:${port}`, strips)
		base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/tools/box`
		const settings = { SIGNALBOX_PORT: String(port), SIGNALBOX_NODE_URL: `http://127.0.0.1:${port}` }
		program = await startProgram(dataDir, { ...settings, SIGNALBOX_PUBLIC_URL: `${base}/` })
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		proxy.closeAllConnections()
		proxy.close()
		removeDataDir(dataDir)
	})

	it('serves the dashboard and everything that it loads, from any of its paths', async () => {
		const first = await fetch(base)
		expect([first.status, first.url]).toEqual([200, `${base}/ui/`])
		for (const path of ['/ui/', '/ui/servers/some/deep/path']) {
			const page = await (await fetch(`${base}${path}`)).text()
			const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(
				([, link]) => new URL(link as string, `${base}${path}`),
			)
			expect(links.length).toBeGreaterThan(2)
			for (const link of links) expect([link.href, (await fetch(link)).status]).toEqual([link.href, 200])
			expect(page).toContain('name="signalbox-base-path" content="/tools/box"')
			await followScripts(links.filter(({ pathname }) => pathname.endsWith('.js')))
		}
	})

	it('returns the address of the node with figures that belong to one node', async () => {
		const { node_url } = await program.api<{ node_url: string }>('GET', '/v1/instance/recorder')
		expect(node_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
	})

	it('serves the API, the OpenAPI document and the API reference under the public URL', async () => {
		const document = (await (await fetch(`${base}/openapi.json`)).json()) as { servers: { url: string }[] }
		expect(document.servers[0]?.url).toBe(base)
		const reference = await (await fetch(`${base}/docs`)).text()
		for (const [, link] of reference.matchAll(/(?:src|href|data-url)="([^"]+)"/g))
			expect((await fetch(new URL(link as string, `${base}/docs`))).status, link).toBe(200)
		const headers = { authorization: `Bearer ${program.token}` }
		expect(await (await fetch(`${base}/v1/agents`, { headers })).json()).toMatchObject({ agents: [] })
		expect(program.log.join('\n')).toContain(`${base}/ui/`)
		expect((await fetch(`${base}/mcp`, { method: 'POST' })).status).toBe(401)
	})

	it('names in each error the page that explains it, which is below the public URL', async () => {
		for (const path of ['/v1/agents', '/no/such/page', '/v1/agents/x?a=%00']) {
			const { type, code } = (await (await fetch(`${base}${path}`)).json()) as Record<string, string>
			const { href } = new URL(type as string, base)
			expect(href).toBe(`${base}/docs/errors#${code}`)
			expect(await (await fetch(href)).text()).toContain(`id="${code}"`)
		}
		// Not through the proxy, which refuses such headers itself.
		const tooLarge = await fetch(`${program.url}/v1/agents`, { headers: { cookie: 'x'.repeat(17_000) } })
		expect(tooLarge.status).toBe(431)
		expect(await tooLarge.json()).toMatchObject({ type: '/tools/box/docs/errors#headers_too_large' })
	})

	it('signs a browser in with cookies that are sent to every path', async () => {
		const headers = {
			'content-type': 'application/json',
			'x-signalbox-dashboard': '1',
			origin: new URL(base).origin,
		}
		const entered = await fetch(`${base}/auth/login`, {
			method: 'POST',
			headers,
			body: JSON.stringify(owner),
		})
		const cookies = entered.headers.getSetCookie()
		expect(cookies.length).toBeGreaterThan(0)
		for (const cookie of cookies) expect(cookie).toContain('Path=/;')
		const cookie = cookies.map((text) => text.split(';')[0]).join('; ')
		expect((await fetch(`${base}/auth/me`, { headers: { ...headers, cookie } })).status).toBe(200)
	})
})

/** Checks that every file the scripts import, statically or dynamically, is served. */
async function followScripts(open: URL[]): Promise<void> {
	const seen = new Set(open.map(({ href }) => href))
	for (const script of open) {
		const text = await (await fetch(script)).text()
		for (const [, path] of text.matchAll(/["'`]((?:\.\/|assets\/)[\w./-]+\.(?:js|css))["'`]/g)) {
			const url = new URL((path as string).startsWith('assets/') ? `../${path}` : (path as string), script)
			if (seen.has(url.href)) continue
			seen.add(url.href)
			expect([url.href, (await fetch(url)).status]).toEqual([url.href, 200])
			if (url.pathname.endsWith('.js')) open.push(url)
		}
	}
	expect(seen.size).toBeGreaterThan(5)
}
