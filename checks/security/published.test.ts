import { connect } from 'node:net'
import { describe, expect, inject, it } from 'vitest'
import { newWireClient } from '../../server/src/gateway/testing-client.ts'
import { owner } from '../../server/src/program/program.testing.ts'
import { readSource, repositoryFiles } from '../src/source-files.ts'
import { asOwner, bearer, make, send } from './attack.ts'
import { useVictim } from './victim.ts'

// Published attacks on similar products that do not belong to one of the fifteen rules. docs/security-coverage.md lists all of them.

const soonMs = 2000

/** Measures the duration of a request, in ms. The response may have any status below 500. */
async function timeOf(path: string, attack: Parameters<typeof send>[1]): Promise<number> {
	const started = performance.now()
	const { status } = await send(path, attack)
	expect([path, status < 500]).toEqual([path, true])
	return performance.now() - started
}

describe('input that is expensive to parse', () => {
	const endpoints = [
		'/ui/',
		'/openapi.json',
		'/v1/traces',
		'/oauth/token',
		'/v1/agents',
		'/mcp',
		'/proxy/x/v1/files',
	]

	it.each([
		// Starlette accepted any number of ranges of a file (CVE-2025-62727).
		['range', `bytes=${'0-,'.repeat(4000)}0-`],
		// A regular expression of python-multipart backtracked over backslashes (CVE-2024-24762).
		['content-type', `application/x-www-form-urlencoded; !="${'\\'.repeat(12_000)}`],
		// LiteLLM searched a long boundary again and again (CVE-2024-8984).
		['content-type', `multipart/form-data; boundary=${'-'.repeat(12_000)}`],
		['accept', `${'text/event-stream;q=0.1,'.repeat(500)}x`],
		['accept-encoding', `${'gzip;q=1,'.repeat(1300)}x`],
		['if-none-match', `${'W/"x",'.repeat(2000)}"y"`],
		['cookie', 'a=b; '.repeat(2500)],
		['traceparent', `00-${'0'.repeat(12_000)}`],
	])('a long %s header is parsed within 2 s', async (name, value) => {
		for (const path of endpoints)
			for (const method of ['GET', 'POST'])
				expect(await timeOf(path, { method, headers: { [name]: value } }), path).toBeLessThan(soonMs)
	})

	it('a form body without an end is parsed within 2 s', async () => {
		const headers = { ...bearer(inject('program').token), 'content-type': 'multipart/form-data; boundary=x' }
		const body = `--x${'-'.repeat(500_000)}${'\r\n--x'.repeat(50_000)}`
		for (const path of endpoints) expect(await timeOf(path, { headers, body }), path).toBeLessThan(soonMs)
	})
})

describe('text that other software executes', () => {
	const payloads = [
		'{{7*7}}',
		['$', '{7*7}'].join(''),
		'#{7*7}',
		'<%= 7*7 %>',
		'={{ $json.constructor }}',
		'{% debug %}',
		'$(id)',
	]

	// LiteLLM rendered chat templates (CVE-2024-2952) and prompt templates (CVE-2026-42203) from callers, and n8n evaluated expressions
	// (CVE-2025-68613).
	it.each(payloads)('%s is stored unchanged', async (payload) => {
		const name = `${payload} ${Math.random()}`
		const { uuid } = await make('/v1/agents', { name, description: payload })
		const { body } = await asOwner(`/v1/agents/${uuid}`)
		expect([body.name, body.description]).toEqual([name, payload])
		const { id } = await make('/v1/toolsets', { name, description: payload })
		expect((await asOwner(`/v1/toolsets/${id}`)).body.description).toBe(payload)
	})

	// FastMCP inserted the name of a server into a command (CVE-2025-62801).
	it('is not part of a command that people copy', async () => {
		const name = `x"; $(touch /tmp/pwned) & calc.exe # ${Date.now()}`
		const { uuid } = await make('/v1/agents', { name })
		const { id } = await make('/v1/mcp/servers', { name, url: 'http://127.0.0.1:9/mcp' })
		await make(`/v1/mcp/servers/${id}/access`, { agent_uuid: uuid })
		const { status, text } = await asOwner(`/v1/agents/${uuid}/install`)
		expect(status).toBe(200)
		expect(text).not.toMatch(/\$\(|calc\.exe|touch/)
	})

	// FastMCP showed the error of a consent without escaping it (CVE-2025-62800).
	it('is escaped on the callback page of a consent', async () => {
		const attack = encodeURIComponent('<script>alert(1)</script><img src=x onerror=alert(1)>')
		for (const path of [
			`/oauth/callback?error=${attack}&error_description=${attack}&state=x`,
			`/oauth/callback?code=${attack}&state=${attack}`,
			`/oauth/authorize?client_id=${attack}&redirect_uri=${attack}&error=${attack}`,
			`/auth/oauth/${attack}/callback?error=${attack}`,
		]) {
			const { headers, text } = await send(path)
			expect(text).not.toMatch(/<script>alert|<img src=x/)
			expect(String(headers['content-security-policy'])).toContain("default-src 'none'")
		}
	})

	// React called server functions that a form named (CVE-2025-55182), n8n read a file that the JSON body described as uploaded
	// (CVE-2026-21858), and langchain deserialized JSON into objects (CVE-2025-68664).
	it('is never deserialized into an internal object', async () => {
		const action = {
			'next-action': 'x',
			'content-type': 'multipart/form-data; boundary=b',
		}
		const chunk =
			'{"then":"$1:__proto__:then","status":"resolved_model","_response":{"_prefix":"process.exit()//"}}'
		const form = `--b\r\nContent-Disposition: form-data; name="0"\r\n\r\n${chunk}\r\n--b--\r\n`
		for (const path of ['/', '/ui/', '/ui/login', '/auth/login', '/v1/agents'])
			expect((await asOwner(path, { headers: action, body: form })).status).toBeOneOf([404, 405, 415])
		const stored = { files: { x: { filepath: '/etc/passwd', originalFilename: 'x' } } }
		for (const path of ['/v1/agents', '/v1/mcp/servers/import', '/v1/toolsets']) {
			const { status, text } = await asOwner(path, { body: { name: 'x', ...stored } })
			expect(status).toBe(400)
			expect(text).not.toContain('root:')
		}
		const secret = { lc: 1, type: 'secret', id: ['SIGNALBOX_MASTER_KEY', 'PATH'] }
		const server = { name: `lc ${Date.now()}`, url: 'http://127.0.0.1:9/', configuration: { lc: secret } }
		const { id } = await make('/v1/mcp/servers', server)
		expect((await asOwner(`/v1/mcp/servers/${id}`)).body.configuration.lc).toEqual(secret)
	})
})

describe('an account', () => {
	// Flowise returned the reset token in the response (CVE-2025-58434).
	it('is not revealed to exist by a password reset, and the response contains no token', async () => {
		for (const email of [owner.email, 'nobody@attack.example']) {
			const { status, text } = await send('/auth/password/forgot', { body: { email } })
			expect([status, text]).toEqual([202, ''])
		}
	})

	// Dify answered "account not found" (CVE-2025-11750).
	it('is not revealed to exist by a sign-in', async () => {
		const tell = async (email: string) => {
			const { status, text } = await send('/auth/login', { body: { email, password: 'wrong password' } })
			return [status, text.replace(/"request_id":"[^"]*"/, '')]
		}
		expect(await tell('nobody@attack.example')).toEqual(await tell(owner.email))
	})

	// Dify created its codes with a predictable random generator (CVE-2025-1796).
	it('is protected by unpredictable secrets: Math.random is used only for values that are not secret', () => {
		const using = repositoryFiles('.ts').filter(
			(path) =>
				path.startsWith('server/src/') && !/test/.test(path) && readSource(path).includes('Math.random'),
		)
		expect(using.filter((path) => !/jobs|retry|routing|reliability|demo/.test(path))).toEqual([])
	})
})

// otelhttp created a metric label for every method name that a client sent (CVE-2023-45142).
it('metrics have no labels that a client can choose, and their number does not grow with unknown clients', async () => {
	const names = Array.from({ length: 60 }, (_, at) => `STRANGE${at}`)
	const figures = async () => (await send('/metrics')).text.split('\n')
	const before = await figures()
	for (const name of names) {
		await send(`/${name.toLowerCase()}/${name}`, {
			method: 'GET',
			headers: { 'user-agent': name, 'x-request-id': name },
		})
		await send(`/v1/agents/${name}`, { method: 'PROPPATCH' })
	}
	const after = await figures()
	expect(after.filter((line) => /strange/i.test(line))).toEqual([])
	expect(after.length - before.length).toBeLessThan(30)
})

describe('a client that disconnects', () => {
	const victim = useVictim()

	// A client that disconnected at the wrong moment crashed servers of the Python SDK (CVE-2025-53365).
	it('does not affect other clients, whenever it disconnects', async () => {
		const { key } = await victim.newAgent()
		const { hostname, port, host } = new URL(inject('program').url)
		const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } })
		const head = `POST /mcp/${victim.slug} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${call.length}\r\n\r\n`
		const whole = head + call
		const leave = (bytes: number, reset: boolean) =>
			new Promise<void>((resolve) => {
				const socket = connect(Number(port), hostname, () => {
					socket.write(whole.slice(0, bytes))
					setTimeout(() => (reset ? socket.resetAndDestroy() : socket.end()), bytes % 7)
				})
				for (const event of ['close', 'error']) socket.on(event, () => resolve())
				socket.resume()
			})
		const points = Array.from({ length: 40 }, (_, at) => Math.round(((at + 1) * whole.length) / 40))
		await Promise.all(points.flatMap((bytes) => [leave(bytes, true), leave(bytes, false)]))
		const client = newWireClient(`${inject('program').url}/mcp/${victim.slug}`, key)
		await client.initialize()
		expect((await client.request('tools/call', { name: 'read' })).body.result.content[0].text).toBe('done')
	})
})
