import { connect } from 'node:net'
import { describe, expect, inject, it } from 'vitest'
import { asOwner, bearer, makePerson, send } from './attack.ts'

/** Sends raw bytes and returns the status line of the response. */
function sendRaw(text: string): Promise<string> {
	const { hostname, port } = new URL(inject('program').url)
	return new Promise((resolve, reject) => {
		const socket = connect(Number(port), hostname, () => socket.end(text))
		let answer = ''
		socket.on('data', (chunk) => (answer += chunk))
		socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''))
		socket.on('error', reject)
	})
}

const host = () => new URL(inject('program').url).host

// LiteLLM checked permissions for a URL that it built from the Host header (CVE-2026-49468).
describe('a Host header that could change how the path is read (CVE-2026-48710, PYSEC-2026-248, BadHost)', () => {
	it.each([
		'a/?x=',
		'a/livez?',
		'a#',
		'a@b',
		'a\\b',
		'a b',
		'',
		'[::1',
		'a:b',
		'a:99999999',
		'127.0.0.1/livez?x=',
		'127.0.0.1:1/livez#',
		'attacker.example',
		'127.0.0.1.attacker.example',
	])('%j is refused', async (name) => {
		for (const path of ['/agent/list', '/v1/mcp/servers', '/mcp', '/livez'])
			expect(await sendRaw(`GET ${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)).toMatch(
				/ 400 /,
			)
	})

	it('is refused when it is missing or given twice', async () => {
		expect(await sendRaw('GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/ 400 /)
		expect(
			await sendRaw(`GET /livez HTTP/1.1\r\nHost: ${host()}\r\nHost: a\r\nConnection: close\r\n\r\n`),
		).toMatch(/ 400 /)
	})
})

// Envoy checked a path before it normalized it (CVE-2019-9901).
describe('a path in a different spelling', () => {
	it.each([
		'/livez/../agent/list',
		'/livez/..%2fagent/list',
		'/livez/%2e%2e/agent/list',
		'//agent/list',
		'/agent//list',
		'/agent%2flist',
		'/agent\\list',
		'/./agent/list',
		'/ui/..;/agent/list',
		'/agent/list%00',
		'/%61gent/../agent/list',
		'/livez?/../agent/list#',
	])('%s does not reach a route that requires a credential', async (path) => {
		const line = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`)
		expect(line.includes(' 200 ') && !path.startsWith('/livez?')).toBe(false)
	})

	it('a request target in absolute form selects no other host and no other route', async () => {
		for (const target of [
			'http://attacker.example/agent/list',
			`http://${host()}@attacker.example/agent/list`,
			`http://attacker.example/livez?http://${host()}/agent/list`,
		])
			expect(
				await sendRaw(`GET ${target} HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`),
			).not.toMatch(/ 200 /)
	})
})

// ContextForge (CVE-2026-77825) and the filesystem server (CVE-2025-53110) compared only the prefix of a path and served neighboring
// folders. Grafana served any file through the path of a plugin (CVE-2021-43798).
describe('a file name in a URL', () => {
	const names = [
		'master.key',
		'control.db',
		'../master.key',
		'../../data/master.key',
		'/etc/passwd',
		'logs/../../master.key',
	]
	const spellings = names.flatMap((name) => [name, encodeURIComponent(name), name.replaceAll('/', '%5c')])
	it.each(['/ui', '/docs', '/v1/mcp/servers', '/v1/audit/export', '/v1/telemetry/traces', '/openapi.json'])(
		'is no file below %s',
		async (base) => {
			for (const name of spellings) {
				const { status, text } = await asOwner(`${base}/${name}`)
				// The dashboard answers every path below /ui with its own page.
				const isPage = base === '/ui' && text.startsWith('<!doctype html>')
				expect([base, name, isPage || status >= 400]).toEqual([base, name, true])
				expect(text).not.toMatch(/SQLite format|root:x:0/)
			}
		},
	)
})

// Grafana redirected a browser to a host from the path (CVE-2025-4123).
describe('a URL that contains another host', () => {
	it.each([
		'//attacker.example/..',
		'/ui//attacker.example/',
		'/ui/\\attacker.example',
		'/\\attacker.example',
		'/%2f%2fattacker.example/',
		'/ui/..//attacker.example',
		'/ui/%5cattacker.example/%3f/../..',
		'/.//attacker.example',
	])('%s does not redirect to another host', async (path) => {
		for (const method of ['GET', 'POST']) {
			const { headers } = await send(path, { method })
			expect(headers.location ?? '/ui/').toMatch(/^\/(?![/\\])/)
		}
	})
})

describe('headers that other servers use to rewrite the request', () => {
	it.each(['x-original-url', 'x-rewrite-url', 'x-forwarded-path', 'x-forwarded-uri', 'x-forwarded-prefix'])(
		'%s changes no route',
		async (name) => {
			expect((await send('/agent/list', { headers: { [name]: '/livez' } })).status).toBe(401)
			expect((await send('/livez', { headers: { [name]: '/agent/list' } })).body).not.toHaveProperty('agents')
		},
	)

	it.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
		'%s changes no method',
		async (name) => {
			const viewer = await makePerson('viewer')
			const answer = await send('/v1/agents', { headers: { ...bearer(viewer), [name]: 'POST' } })
			expect(answer.body).toHaveProperty('agents')
			expect((await send('/v1/agents?_method=POST', { headers: bearer(viewer) })).status).toBe(400)
		},
	)
})

// llhttp accepted other values as `chunked` (CVE-2022-32213), and h11 accepted any two bytes as the end of a chunk (CVE-2025-43859).
describe('request smuggling', () => {
	it.each([
		['Transfer-Encoding: chunked', '2\r\n{}xx0\r\n\r\nGET /agent/list HTTP/1.1\r\n\r\n'],
		['Transfer-Encoding: chunked', '2\r\n{}\n0\r\n\r\nGET /agent/list HTTP/1.1\r\n\r\n'],
		['Transfer-Encoding: chunked', '0x2\r\n{}\r\n0\r\n\r\n'],
		['Transfer-Encoding: chunked', '2;a\nb\r\n{}\r\n0\r\n\r\n'],
		['Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\nGET /agent/list HTTP/1.1\r\n\r\n'],
		['Content-Length: 5\r\nContent-Length: 6', 'hello!'],
		['Transfer-Encoding: chunked, identity', '0\r\n\r\n'],
		['Transfer-Encoding : chunked', '0\r\n\r\n'],
		['Transfer-Encoding: xchunked', '0\r\n\r\n'],
		['Content-Length: +5', 'hello'],
	])('%j is refused', async (headers, body) => {
		expect(
			await sendRaw(`POST /auth/login HTTP/1.1\r\nHost: ${host()}\r\n${headers}\r\n\r\n${body}`),
		).toMatch(/ 4\d\d |^$/)
	})
})
