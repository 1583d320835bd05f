import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../testing.ts'

describe('the session of the dashboard', () => {
	let database: Awaited<ReturnType<typeof openTestSqlite>>
	let app: TestApp
	let cookie: string
	const dashboard = { 'x-signalbox-dashboard': '1' }
	beforeAll(async () => {
		database = await openTestSqlite()
		app = await startTestApp(database.store, { config: { PORT: 7777 } })
		cookie = cookiesOf(await logIn())
	})
	afterAll(async () => {
		await app.close()
		await database.end()
	})

	const logIn = () =>
		app.request('POST', '/auth/login', {
			headers: dashboard,
			body: { email: app.owner.email, password: app.owner.password },
		})
	const cookiesOf = ({ headers }: { headers: Headers }) =>
		headers
			.getSetCookie()
			.map((text) => text.split(';')[0])
			.join('; ')
	const create = (headers: Record<string, string>) =>
		app.request('POST', '/v1/keys', {
			headers: { cookie, 'x-signalbox-workspace': app.owner.workspaceId, ...headers },
			body: { name: 'x' },
		})

	it('is in cookies that scripts cannot read, and not in the body', async () => {
		const answer = await logIn()
		expect(answer.status).toBe(200)
		expect(answer.body).not.toHaveProperty('token')
		expect(answer.body).not.toHaveProperty('refresh_token')
		const cookies = answer.headers.getSetCookie()
		expect(cookies.map((text) => text.split('=')[0])).toEqual(['signalbox-7777', 'signalbox-7777-refresh'])
		for (const text of cookies) expect(text).toMatch(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
	})

	it('is not overwritten by another instance on the same host', async () => {
		const other = await openTestSqlite()
		const beside = await startTestApp(other.store, { config: { PORT: 7778 } })
		const { email, password } = beside.owner
		const signedIn = await beside.request('POST', '/auth/login', {
			headers: dashboard,
			body: { email, password },
		})
		// One cookie jar per host, as in browsers: a cookie replaces an earlier one with the same name.
		const jar = new Map(
			[...cookie.split('; '), ...cookiesOf(signedIn).split('; ')].map((pair) => [pair.split('=')[0], pair]),
		)
		const both = { headers: { cookie: [...jar.values()].join('; ') } }
		expect((await app.request('GET', '/auth/me', both)).body.user.email).toBe(app.owner.email)
		expect((await beside.request('GET', '/auth/me', both)).body.user.email).toBe(email)
		await beside.close()
		await other.end()
	})

	it('can read with only the cookie', async () => {
		const answer = await app.request('GET', '/auth/me', { headers: { cookie } })
		expect(answer.body.user.email).toBe(app.owner.email)
	})

	it('accepts changes only from our own pages', async () => {
		expect((await create({ origin: app.url })).status).toBe(201)
		expect((await create({ 'sec-fetch-site': 'same-origin' })).status).toBe(201)
		const foreign: Record<string, string>[] = [
			{},
			{ origin: 'https://evil.example' },
			{ origin: 'http://127.0.0.1:1' },
			{ origin: 'null' },
			{ 'sec-fetch-site': 'cross-site' },
			{ 'sec-fetch-site': 'same-site', origin: app.url },
			{ 'sec-fetch-site': 'none' },
		]
		for (const headers of foreign) {
			const answer = await create(headers)
			expect([headers, answer.status, answer.body.code]).toEqual([headers, 403, 'forbidden'])
		}
	})

	it('is ignored if another credential was sent', async () => {
		const { body } = await create({ origin: app.url })
		const answer = await app.request('GET', '/auth/me', { headers: { cookie, 'x-api-key': body.key } })
		expect(answer.status).toBe(401)
	})

	it('refreshes by its cookie, only from our own pages', async () => {
		const fresh = cookiesOf(await logIn())
		const refresh = (headers: Record<string, string>) =>
			app.request('POST', '/auth/refresh', { headers: { cookie: fresh, ...headers } })
		expect((await refresh({ origin: app.url })).status).toBe(401)
		expect((await refresh({ ...dashboard, origin: 'https://evil.example' })).status).toBe(403)
		const answer = await refresh({ ...dashboard, origin: app.url })
		expect(answer.status).toBe(200)
		expect(answer.body).not.toHaveProperty('refresh_token')
		expect(cookiesOf(answer)).not.toBe(fresh)
		expect((await app.request('GET', '/auth/me', { headers: { cookie: cookiesOf(answer) } })).status).toBe(
			200,
		)
	})

	it('ends with a logout, which removes the cookies', async () => {
		const fresh = cookiesOf(await logIn())
		const answer = await app.request('POST', '/auth/logout', { headers: { cookie: fresh, origin: app.url } })
		expect(answer.status).toBe(204)
		expect(answer.headers.getSetCookie().every((text) => text.includes('Max-Age=0'))).toBe(true)
		expect((await app.request('GET', '/auth/me', { headers: { cookie: fresh } })).status).toBe(401)
	})

	it('has Secure cookies that no other host can set if people connect by https', async () => {
		const secure = await startTestApp(database.store, { config: { PUBLIC_URL: 'https://signalbox.example' } })
		const login = { headers: dashboard, body: { email: app.owner.email, password: app.owner.password } }
		const cookies = (await secure.request('POST', '/auth/login', login)).headers.getSetCookie()
		expect(cookies.map((text) => text.split('=')[0])).toEqual([
			'__Host-signalbox',
			'__Host-signalbox-refresh',
		])
		for (const text of cookies) expect(text).toMatch(/; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/)
		const planted = `signalbox=${cookies[0]?.split(';')[0]?.split('=')[1]}`
		expect((await secure.request('GET', '/auth/me', { headers: { cookie: planted } })).status).toBe(401)
		await secure.close()
	})
})
