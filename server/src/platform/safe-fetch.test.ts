import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { textOfFailure } from './errors.ts'
import { createSafeFetch, type SafeFetchOptions } from './safe-fetch.ts'
import { local, strict, useCanary } from './safe-fetch-testing.ts'

const canary = useCanary()

function use(options: SafeFetchOptions) {
	canary.reset()
	return createSafeFetch(options)
}

describe('safeFetch', () => {
	it.each([
		'ftp://example.com/',
		'file:///etc/passwd',
		'unix:/tmp/x',
		'http://user:pw@example.com/',
		'http://',
		'example.com',
		'javascript:1',
		'//x',
	])('refuses %s as malformed', (url) => {
		expect(() => use(strict).assertUrl(url)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
	})

	it('checks every address of a name at the moment of connecting, so that rebinding is useless', async () => {
		let turn = 0
		const answers: LookupAddress[][] = [
			[
				{ address: '93.184.216.34', family: 4 },
				{ address: '127.0.0.1', family: 4 },
			],
			[{ address: '::1', family: 6 }],
		]
		const { fetch, dispatcher, close } = use({
			...strict,
			resolve: async () => answers[turn++ % 2] as LookupAddress[],
		})
		for (let attempt = 0; attempt < 2; attempt += 1)
			await expect(fetch(`http://rebind.test:${canary.port}/`)).rejects.toMatchObject({
				code: 'blocked_address',
			})
		await expect(
			dispatcher.request({ origin: `http://rebind.test:${canary.port}`, path: '/', method: 'GET' }),
		).rejects.toMatchObject({ code: 'blocked_address' })
		expect(canary.connections).toBe(0)
		await close()
	})

	it('connects only names with the reserved suffix to our own hosts, whatever the rules say about loopback', async () => {
		canary.reset()
		const { fetch, close } = createSafeFetch(strict, {
			suffix: '.own.invalid',
			connect: async () => {
				const socket = connect(canary.port, '127.0.0.1')
				await once(socket, 'connect')
				return socket
			},
			close: async () => undefined,
		})
		expect(await (await fetch('https://issues.own.invalid/')).text()).toBe('hello')
		expect(canary.connections).toBe(1)
		await expect(fetch(`http://issues.own.invalid.localhost:${canary.port}/`)).rejects.toMatchObject({
			code: 'blocked_address',
		})
		expect(canary.connections).toBe(1)
		await close()
	})

	it('reaches loopback if that is allowed, and otherwise reveals nothing about it', async () => {
		const { fetch, dispatcher, close } = use(local)
		expect(await (await fetch(`http://127.0.0.1:${canary.port}/`)).text()).toBe('hello')
		expect(await (await fetch(`http://localhost:${canary.port}/`)).text()).toBe('hello')
		expect(
			await (
				await dispatcher.request({ origin: `http://[::1]:${canary.port}`, path: '/', method: 'GET' })
			).body.text(),
		).toBe('hello')
		await expect(fetch(`http://10.0.0.1:${canary.port}/`)).rejects.toMatchObject({ code: 'blocked_address' })
		await close()
	})

	it('allows listed networks, loopback only if it is listed itself, and metadata and the wildcard never', () => {
		const { assertUrl } = use({
			...strict,
			allowedNetworks: ['10.0.0.0/8', 'fd12::/16', '0.0.0.0/0', '::/0'],
		})
		for (const host of ['10.1.2.3', '[fd12::1]', '192.168.0.1'])
			expect(assertUrl(`http://${host}/`).href).toContain(host)
		for (const host of [
			'127.0.0.1',
			'[::1]',
			'0.0.0.0',
			'169.254.169.254',
			'[::ffff:a9fe:a9fe]',
			'[64:ff9b::a00:1]',
		])
			expect(() => assertUrl(`http://${host}/`)).toThrow()
		expect(use({ ...strict, allowedNetworks: ['127.0.0.0/8'] }).assertUrl('http://127.0.0.1/').hostname).toBe(
			'127.0.0.1',
		)
	})

	it('never connects to a port of ours, under any name of this machine', async () => {
		const { fetch, assertUrl, close } = use({ ...local, forbidden: () => [{ port: canary.port }] })
		for (const host of ['127.0.0.1', '127.0.0.2', '[::1]', 'localhost']) {
			await expect(fetch(`http://${host}:${canary.port}/`)).rejects.toMatchObject({ code: 'blocked_address' })
			expect(() => assertUrl(`http://${host}:${canary.port}/`)).toThrow('a port of ours')
		}
		const named = use({
			...local,
			resolve: async () => [{ address: '127.0.0.1', family: 4 }],
			forbidden: () => [{ host: '127.0.0.1', port: canary.port }],
		})
		await expect(named.fetch(`http://database.test:${canary.port}/`)).rejects.toMatchObject({
			code: 'blocked_address',
		})
		expect(canary.connections).toBe(0)
		await close()
	})

	it('checks every redirect', async () => {
		const { fetch, close } = use(local)
		for (const location of [
			'http://169.254.169.254/',
			'http://10.0.0.1/',
			`http://[64:ff9b::7f00:1]:${canary.port}/`,
			'//10.1/x',
		]) {
			canary.answer = (_request, response) => response.writeHead(302, { location }).end()
			await expect(fetch(`http://127.0.0.1:${canary.port}/`)).rejects.toMatchObject({
				code: 'blocked_address',
			})
		}
		canary.answer = (_request, response) => response.writeHead(302, { location: '/again' }).end()
		const url = `http://127.0.0.1:${canary.port}`
		await expect(fetch(url)).rejects.toThrow('redirected too often')
		const followingNone = fetch(url, { redirects: 0 })
		await expect(followingNone).rejects.toThrow(`redirected to ${url}. Redirects are not followed.`)
		const overTls = await fetch(url.replace('http', 'https')).catch((error) => textOfFailure(error, 1))
		expect(overTls).toBe('ERR_SSL_WRONG_VERSION_NUMBER: wrong version number')
		await close()
	})

	it('sends neither body nor headers of the caller to another origin', async () => {
		const { fetch, close } = use(local)
		canary.answer = (request, response) =>
			request.url === '/'
				? response.writeHead(302, { location: `http://localhost:${canary.port}/next` }).end()
				: response.end('ok')
		const headers = {
			authorization: 'Bearer secret',
			'x-api-key': 'secret',
			cookie: 'a=secret',
			accept: 'text/plain',
		}
		await fetch(`http://127.0.0.1:${canary.port}/`, { headers })
		expect(JSON.stringify(canary.seen[1]?.headers)).not.toContain('secret')
		expect(canary.seen[1]?.headers.accept).toBe('text/plain')
		canary.answer = (_request, response) =>
			response.writeHead(307, { location: `http://localhost:${canary.port}/next` }).end()
		await expect(
			fetch(`http://127.0.0.1:${canary.port}/`, { method: 'POST', body: 'secret', headers }),
		).rejects.toThrow('another origin')
		canary.answer = (request, response) =>
			request.url === '/' ? response.writeHead(307, { location: '/next' }).end() : response.end('ok')
		await fetch(`http://127.0.0.1:${canary.port}/`, { method: 'POST', body: 'secret', headers })
		expect(canary.seen.at(-1)).toMatchObject({
			method: 'POST',
			url: '/next',
			headers: { authorization: 'Bearer secret' },
		})
		await close()
	})

	it('limits the size and the duration of a response', async () => {
		const { fetch, close } = use(local)
		canary.answer = (_request, response) => response.end(Buffer.alloc(100_000))
		await expect(
			fetch(`http://127.0.0.1:${canary.port}/`, { maxBytes: 1000 }).then((response) => response.text()),
		).rejects.toThrow('larger than 1000 bytes')
		canary.answer = () => {}
		await expect(fetch(`http://127.0.0.1:${canary.port}/`, { timeoutMs: 100 })).rejects.toMatchObject({
			name: 'TimeoutError',
		})
		canary.answer = (_request, response) => void response.write('drip')
		await expect(
			fetch(`http://127.0.0.1:${canary.port}/`, { timeoutMs: 200 }).then((response) => response.text()),
		).rejects.toThrow()
		await close()
	})

	it('applies changed rules at once, to open connections too', async () => {
		const rules = { ...strict, loopbackAllowed: true, allowedNetworks: null as string[] | null }
		const { fetch, closeRefused, close } = use(rules)
		canary.answer = (_request, response) => response.write('an endless answer')
		const url = `http://127.0.0.1:${canary.port}/`
		const { body } = await fetch(url)
		closeRefused()
		const reader = (body as ReadableStream<Uint8Array>).getReader()
		expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('an endless answer')
		rules.loopbackAllowed = false
		closeRefused()
		await expect(reader.read()).rejects.toThrow()
		await expect(fetch(url)).rejects.toThrow(expect.objectContaining({ code: 'blocked_address' }))
		rules.allowedNetworks = ['127.0.0.0/8']
		await expect(fetch(url)).resolves.toMatchObject({ status: 200 })
		await close()
	})

	it('reuses connections', async () => {
		const { fetch, close } = use(local)
		for (let turn = 0; turn < 20; turn += 1) await (await fetch(`http://127.0.0.1:${canary.port}/`)).text()
		expect(canary.connections).toBeLessThanOrEqual(2)
		await close()
	})
})
