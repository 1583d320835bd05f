import { tokenPrefixes } from '@signalbox/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import { newToken } from '../../../platform/crypto/token.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../../identity/testing.ts'

/** The start of a minute, so that a count is never split over two. */
const startMs = 1_780_000_020_000

describeOnBothDatabases('refusals of unknown callers', (store) => {
	const clock = manualClock(startMs)
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), { clock, trustedProxies: ['127.0.0.0/8'] })
	})
	afterAll(() => app.close())

	const from = (address: string) => ({ 'x-forwarded-for': address })
	const list = async (search = '') =>
		(await app.request('GET', `/v1/denials${search}`, { token: app.owner.token })).body
	const minute = new Date(startMs).toISOString()

	it('are counted by address, minute and code', async () => {
		for (let count = 0; count < 3; count += 1)
			await app.request('GET', '/v1/keys', {
				headers: from('198.51.100.1'),
				token: newToken(tokenPrefixes.key),
			})
		await app.request('GET', '/v1/keys', { headers: from('198.51.100.1') })
		await app.request('POST', '/auth/login', {
			headers: from('198.51.100.2'),
			body: { email: app.owner.email, password: 'wrong' },
		})
		expect(await list()).toEqual({
			denials: [
				{ minute, address: '198.51.100.1', code: 'unauthenticated', count: 4 },
				{ minute, address: '198.51.100.2', code: 'wrong_credentials', count: 1 },
			],
			next_cursor: null,
		})
	})

	it('add up in the store, also when another node wrote first', async () => {
		const other = await startTestApp(store(), { clock, trustedProxies: ['127.0.0.0/8'], withoutOwner: true })
		await other.request('GET', '/v1/keys', { headers: from('198.51.100.1') })
		await other.close()
		expect((await list()).denials[0]).toMatchObject({ address: '198.51.100.1', count: 5 })
	})

	it('include a cookie sent by another site', async () => {
		const login = await app.request('POST', '/auth/login', {
			headers: { 'x-signalbox-dashboard': '1' },
			body: { email: app.owner.email, password: app.owner.password },
		})
		const cookie = login.headers
			.getSetCookie()
			.map((text) => text.split(';')[0])
			.join('; ')
		const headers = { ...from('198.51.100.3'), cookie, origin: 'https://evil.example' }
		expect((await app.request('POST', '/v1/keys', { headers, body: { name: 'x' } })).status).toBe(403)
		expect((await list()).denials).toContainEqual({
			minute,
			address: '198.51.100.3',
			code: 'forbidden',
			count: 1,
		})
	})

	it('are listed page by page', async () => {
		const seen: unknown[] = []
		let search = '?limit=1'
		for (let page = 0; page < 10; page += 1) {
			const { denials, next_cursor } = await list(search)
			seen.push(...denials)
			if (next_cursor === null) break
			search = `?limit=1&cursor=${next_cursor}`
		}
		expect(seen).toEqual((await list()).denials)
		expect((await list('?cursor=x')).code).toBe('invalid_request')
	})

	it('are hidden from members, whose own denials are in the audit log', async () => {
		const member = await app.memberOf('admin')
		expect((await app.request('GET', '/v1/denials', { token: member.token })).status).toBe(403)
		const { body } = await app.request('GET', '/v1/audit?limit=1', { token: app.owner.token })
		expect(body.audit[0]).toMatchObject({ action: 'denied', detail: { operation: 'denials.list' } })
	})

	it('are deleted after thirty days', async () => {
		clock.advance(31 * 24 * 60 * 60 * 1000)
		await app.feed.catchUp()
		await app.request('GET', '/v1/keys', { headers: from('198.51.100.4') })
		const { body } = await app.request('POST', '/auth/login', {
			body: { email: app.owner.email, password: app.owner.password },
		})
		app.owner.token = body.token
		await list()
		const { denials } = await list()
		expect(denials.map(({ address }: { address: string }) => address)).toEqual(['198.51.100.4'])
	})
})
