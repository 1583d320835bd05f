import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock } from '../../platform/clock.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../identity/testing.ts'
import { openLimits } from './limits.ts'

describeOnBothDatabases('rate limits', (store) => {
	const clock = manualClock(Date.now())
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), {
			clock,
			open: (core) => {
				const config = {
					RATE_LIMITS: { mcp: null },
					RATE_LIMIT_CEILINGS: { model: { requests: 9, windowMs: 3000 } },
				}
				const limits = openLimits({ ...core, config })
				return { operations: limits.operations, limiter: limits.limiter }
			},
		})
	})
	afterAll(() => app.close())

	/** Also refreshes the permissions, which would be stale after this time. */
	const advance = async (ms: number) => {
		clock.advance(ms)
		await app.feed.catchUp()
	}
	const get = (token: string) => app.request('GET', '/v1/limits', { token })
	const put = (token: string, limits: object[], headers = {}) =>
		app.request('PUT', '/v1/limits', { token, headers, body: { limits } })
	const api = (requests: number | null, window_s: number | null) => ({ class: 'api', requests, window_s })

	it('shows each class, its quota and who set it', async () => {
		const { body } = await get(app.owner.token)
		expect(body.limits).toEqual([
			{ class: 'api', per: 'credential', requests: 1000, window_s: 10, source: 'default' },
			{ class: 'anonymous', per: 'address', requests: 500, window_s: 10, source: 'default' },
			{ class: 'mcp', per: 'credential', requests: null, window_s: null, source: 'operator' },
			{ class: 'model', per: 'credential', requests: null, window_s: null, source: 'default' },
			{ class: 'otlp', per: 'credential', requests: null, window_s: null, source: 'default' },
		])
	})

	it('accepts what GET returned, and then still follows the limits of the instance', async () => {
		const person = await app.register()
		const { body, headers } = await get(person.token)
		const answer = await put(person.token, body.limits, { 'if-match': headers.get('etag') })
		expect([answer.status, answer.body]).toEqual([200, body])
		expect(await store().db.selectFrom('rate_limits').selectAll().execute()).toEqual([])
	})

	it('applies the limits of its workspace to a credential at once, and reports them', async () => {
		const person = await app.register()
		const other = await app.register()
		const set = await put(person.token, [api(10, 10)])
		expect(set.body.limits[0]).toMatchObject({ requests: 10, source: 'workspace' })
		const left = []
		for (let i = 0; i < 10; i += 1) left.push((await get(person.token)).headers.get('ratelimit'))
		// The PUT itself was still counted under the previous limit.
		expect(left.at(-1)).toMatch(/^"default";r=0;t=\d+$/)
		const refused = await get(person.token)
		expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
		expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
		expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=10;w=10')
		expect((await get(other.token)).status).toBe(200)
		await advance(1000)
		expect((await get(person.token)).status).toBe(200)
		expect((await get(person.token)).status).toBe(429)
		await advance(10_000)
		expect((await put(person.token, [])).body.limits[0]).toMatchObject({ requests: 1000, source: 'default' })
	})

	it.each([
		['more than the operator allows at once', api(10_001, 100)],
		['more than the operator allows over time', api(2000, 1)],
		['no limit if there is a ceiling', api(null, null)],
		['a limit too low to be raised again', api(5, 10)],
		['half a quota', api(50, null)],
		['a quota of zero', api(0, 1)],
		['a class that only the instance limits', { class: 'anonymous', requests: 1, window_s: 1 }],
		['another unit of counting', { class: 'api', requests: 1000, window_s: 10, per: 'address' }],
		['an unknown class', { class: 'web', requests: 1, window_s: 1 }],
	])('refuses %s', async (_name, limit) => {
		const answer = await put(app.owner.token, [limit])
		expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
	})

	it('is set by admins, and the change is audited', async () => {
		const member = await app.memberOf('member')
		expect((await put(member.token, [])).status).toBe(403)
		expect((await get(member.token)).status).toBe(200)
		await put(app.owner.token, [api(500, 10)])
		const { body } = await app.request('GET', '/v1/audit?limit=1', { token: app.owner.token })
		expect(body.audit[0]).toMatchObject({ action: 'limits.replace', detail: { limits: [api(500, 10)] } })
	})

	it('counts failed authentications by address, and no caller with a valid credential', async () => {
		const statuses = new Set<number>()
		for (let i = 0; i < 510; i += 1)
			statuses.add((await app.request('GET', '/v1/limits', { token: `wrong ${i}` })).status)
		expect([...statuses]).toEqual([401, 429])
		expect((await get(app.owner.token)).status).toBe(200)
		expect((await app.request('GET', '/.well-known/jwks.json')).status).toBe(429)
		expect((await app.request('GET', '/v1/limits')).status).toBe(429)
		await advance(10_000)
		expect((await app.request('GET', '/.well-known/jwks.json')).status).toBe(200)
	})
})
