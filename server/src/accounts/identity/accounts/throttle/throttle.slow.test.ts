import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock, systemClock } from '../../../../platform/clock.ts'
import { recommendedMemoryKib as passwordMemoryKib } from '../../../../platform/crypto/password-phc.ts'
import { describeOnBothDatabases } from '../../../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../../testing.ts'

const forgottenMs = 15 * 60 * 1000 + 1

describeOnBothDatabases('guessing passwords', (store) => {
	const clock = manualClock(systemClock.nowMs())
	const options = { clock, trustedProxies: ['127.0.0.0/8'] }
	let app: TestApp
	/** A node on the same store with passwords of full cost, for tests with concurrent attempts. */
	let costly: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), options)
		costly = await startTestApp(store(), { ...options, withoutOwner: true, passwordMemoryKib })
	})
	afterAll(async () => {
		await costly.close()
		await app.close()
	})

	const logIn = (email: string, password: string, address = '198.51.100.1', at = app) =>
		at.request('POST', '/auth/login', {
			headers: { 'x-forwarded-for': address },
			body: { email, password },
		})
	const forgetAll = () => clock.advance(forgottenMs)
	/** Fails `count` times, waiting as long as the responses demand. */
	const fail = async (count: number, email: string, address?: string) => {
		for (let done = 0; done < count; ) {
			const answer = await logIn(email, 'wrong', address)
			if (answer.status === 401) done += 1
			else clock.advance(Number(answer.headers.get('retry-after')) * 1000)
		}
	}

	it('increases the delay, and the right password works after it', async () => {
		await fail(10, app.owner.email)
		const refused = await logIn(app.owner.email, app.owner.password)
		expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests'])
		expect(refused.headers.get('retry-after')).toBe('32')
		clock.advance(31_000)
		expect((await logIn(app.owner.email, app.owner.password)).status).toBe(429)
		clock.advance(1000)
		expect((await logIn(app.owner.email, app.owner.password)).status).toBe(200)
		expect((await logIn(app.owner.email, 'wrong')).status).toBe(401)
		expect((await logIn(app.owner.email, app.owner.password)).status).toBe(200)
	})

	it('never delays longer than a minute', async () => {
		forgetAll()
		await fail(20, app.owner.email, '198.51.100.2')
		const refused = await logIn(app.owner.email, 'wrong', '198.51.100.2')
		expect(refused.headers.get('retry-after')).toBe('60')
	})

	it('never delays longer than twice that after the clock was set back', async () => {
		forgetAll()
		await fail(10, app.owner.email, '198.51.100.12')
		clock.advance(-5 * 60_000)
		expect((await logIn(app.owner.email, app.owner.password, '198.51.100.12')).status).toBe(200)
	})

	it('is remembered across a restart, and by every node', async () => {
		forgetAll()
		await fail(6, app.owner.email, '198.51.100.3')
		const other = await startTestApp(store(), { ...options, withoutOwner: true })
		expect((await logIn(app.owner.email, app.owner.password, '198.51.100.3', other)).status).toBe(429)
		await other.close()
	})

	it('by others delays the owner by at most five seconds, from wherever they come', async () => {
		forgetAll()
		for (let host = 1; host <= 45; host += 1) await fail(1, app.owner.email, `203.0.113.${host}`)
		const refused = await logIn(app.owner.email, app.owner.password, '192.0.2.1')
		const waitS = Number(refused.headers.get('retry-after'))
		expect([refused.status, waitS > 0 && waitS <= 5]).toEqual([429, true])
		clock.advance(waitS * 1000)
		expect((await logIn(app.owner.email, app.owner.password, '192.0.2.1')).status).toBe(200)
	})

	it('from one address at many accounts delays that address, and no other', async () => {
		forgetAll()
		for (let person = 0; person < 30; person += 1)
			await fail(1, `nobody-${person}@example.org`, '198.51.100.4')
		expect((await logIn('somebody@example.org', 'wrong', '198.51.100.4')).status).toBe(429)
		expect((await logIn('somebody@example.org', 'wrong', '198.51.100.5')).status).toBe(401)
	})

	it('counts a whole IPv6 network as one address', async () => {
		forgetAll()
		for (let host = 1; host <= 5; host += 1) await fail(1, app.owner.email, `2001:db8::${host}`)
		expect((await logIn(app.owner.email, 'wrong', '2001:db8:0:0:ffff::1')).status).toBe(429)
		expect((await logIn(app.owner.email, 'wrong', '2001:db8:0:1::1')).status).toBe(401)
	})

	it('gets no further with concurrent attempts than one after the other', async () => {
		forgetAll()
		const person = await costly.register()
		const guesses = [...Array.from({ length: 9 }, () => 'wrong'), person.password]
		const answers = await Promise.all(
			guesses.map((guess) => logIn(person.email, guess, '198.51.100.6', costly)),
		)
		const statuses = answers.map(({ status }) => status)
		expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5)
		expect(statuses.at(-1)).toBe(429)
	})

	it('accepts many concurrent attempts with the right password', async () => {
		forgetAll()
		const { email, password } = await costly.register()
		const answers = await Promise.all(
			Array.from({ length: 10 }, () => logIn(email, password, '198.51.100.7', costly)),
		)
		expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
	})

	it('counts for changes of a password too', async () => {
		forgetAll()
		const person = await app.register()
		const change = (current: string) =>
			app.request('POST', '/auth/password/change', {
				token: person.token,
				headers: { 'x-forwarded-for': '198.51.100.8' },
				body: { current_password: current, new_password: 'a new password' },
			})
		for (let count = 0; count < 5; count += 1) expect((await change('wrong')).status).toBe(422)
		expect((await change(person.password)).status).toBe(429)
	})

	it.each([
		['/auth/verify', { token: 'x' }, 403],
		['/auth/password/reset', { token: 'x', password: 'a good long password' }, 403],
		['/auth/register', { email: 'new@example.org', password: 'password' }, 422],
	])('%s delays an address that was refused twenty times', async (path, body, status) => {
		forgetAll()
		const headers = { 'x-forwarded-for': '198.51.100.9' }
		for (let count = 0; count < 20; count += 1)
			expect((await app.request('POST', path, { headers, body })).status).toBe(status)
		expect((await app.request('POST', path, { headers, body })).status).toBe(429)
		const elsewhere = { 'x-forwarded-for': '198.51.100.10' }
		expect((await app.request('POST', path, { headers: elsewhere, body })).status).toBe(status)
	})

	it('leaves neither addresses nor typed text in the store', async () => {
		await fail(1, 'my-secret-password@example.org', '198.51.100.11')
		const rows = await store().db.selectFrom('login_failures').selectAll().execute()
		expect(rows.length).toBeGreaterThan(0)
		expect(JSON.stringify(rows)).not.toMatch(/my-secret-password|198\.51\.100/)
	})
})
