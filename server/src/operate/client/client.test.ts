import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { ApiProblem, createClient, unwrap } from './client.ts'

describeWithStore('the typed client', (database) => {
	const asOwner = async (app: TestApp) =>
		createClient({ baseUrl: `${app.url}/`, key: (await app.register()).token })

	it('returns the body of a success response', async () => {
		const app = await startTestApp(database())
		const client = await asOwner(app)
		const made = await unwrap(client.POST('/v1/keys', { body: { name: 'typed', scopes: ['keys:read'] } }))
		expect(made).toMatchObject({ name: 'typed', status: 'active', scopes: ['keys:read'] })
		const params = { path: { id: made.id } }
		expect(await unwrap(client.DELETE('/v1/keys/{id}', { params }))).toBeUndefined()
		await app.close()
	})

	it('throws the problem of a failure, with its code and fields', async () => {
		const app = await startTestApp(database())
		const client = await asOwner(app)
		const missing = client.GET('/v1/keys/{id}', { params: { path: { id: 'none' } } })
		await expect(missing).rejects.toMatchObject({ status: 404, code: 'not_found' })
		const wrong = client.POST('/v1/keys', { body: { name: '' } })
		await expect(wrong).rejects.toMatchObject({ status: 400, fields: [{ pointer: '/name' }] })
		await app.close()
	})

	it('says why there is no response', async () => {
		const client = createClient({ baseUrl: 'http://127.0.0.1:1', key: null })
		const failure = await client.GET('/auth/methods').catch((error: unknown) => error)
		expect(failure).toBeInstanceOf(ApiProblem)
		expect(failure).toMatchObject({ status: 0, code: 'unreachable' })
		expect((failure as Error).message).toBe('http://127.0.0.1:1 does not answer (bad port).')
	})

	it('says what is wrong with the address: TLS, the host name, a path of the dashboard', async () => {
		const app = await startTestApp(database())
		let status = 200
		let headers: Record<string, string> = { 'content-type': 'text/html' }
		const other = createServer((_request, response) => response.writeHead(status, headers).end('{"ok":true}'))
		await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
		const page = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
		const errorOf = (baseUrl: string) =>
			createClient({ baseUrl, key: null })
				.GET('/v1/agents')
				.catch((error: Error) => error.message)
		expect(await errorOf(app.url.replace('http:', 'https:'))).toContain('it speaks no TLS; try http://')
		expect(await errorOf('http://nobody.invalid')).toMatch(
			/its host name is unknown \((ENOTFOUND|EAI_AGAIN)\)/,
		)
		expect(await errorOf(page)).toMatch(/^http\S+ is not the address of an instance/)
		headers = { 'content-type': 'application/json' }
		for (status of [200, 401, 404])
			expect(await errorOf(page), `${status}`).toMatch(/^http\S+ is not the address of an instance/)
		status = 502
		expect(await errorOf(page)).toBe(
			`A proxy at ${page} answered 502: it cannot reach Signalbox. Check that the program runs.`,
		)
		status = 301
		headers = { location: 'https://box.example.org/v1/agents' }
		expect(await errorOf(page)).toBe(
			`${page} redirects to https://box.example.org. Give the address that it redirects to.`,
		)
		other.close()
		await app.close()
	})
})
