import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { manualClock, systemClock } from '../../../platform/clock.ts'
import { PasswordHasher } from '../../../platform/crypto/password-hasher.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing.ts'

const dayMs = 24 * 60 * 60 * 1000

describeOnBothDatabases('the end of sessions', (store) => {
	const manual = manualClock(systemClock.nowMs())
	/** How far the clock is ahead of the time by which things are ended for good. */
	let doubtedMs = 0
	const clock = { ...manual, deletionMs: () => manual.nowMs() - doubtedMs }
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), { clock })
	})
	afterAll(() => app.close())

	const advance = async (ms: number) => {
		clock.advance(ms)
		await app.feed.catchUp()
	}
	const statusOf = async (token: string) => (await app.request('GET', '/auth/me', { token })).status
	const refresh = (token: string, at = app) =>
		at.request('POST', '/auth/refresh', { body: { refresh_token: token } })
	const logIn = async ({ email, password }: TestPerson, headers = {}) =>
		app.request('POST', '/auth/login', { headers, body: { email, password } })

	it('happens everywhere with one call, including refresh tokens, and is in the audit log', async () => {
		const person = await app.register()
		const other = (await logIn(person)).body
		const stranger = await app.register()
		expect((await app.request('DELETE', '/auth/sessions', { token: person.token })).status).toBe(204)
		for (const token of [person.token, other.token]) expect(await statusOf(token)).toBe(401)
		for (const token of [person.refreshToken, other.refresh_token])
			expect((await refresh(token)).status).toBe(401)
		expect(await statusOf(stranger.token)).toBe(200)
		const again = (await logIn(person)).body
		const { body } = await app.request('GET', '/v1/audit?limit=3', { token: again.token })
		expect(body.audit.map(({ action }: { action: string }) => action)).toEqual([
			'auth.login',
			'auth.revoke_session',
			'auth.revoke_session',
		])
	})

	it('spares the requesting session if requested', async () => {
		const person = await app.register()
		const other = (await logIn(person)).body
		const answer = await app.request('DELETE', '/auth/sessions?keep_current=true', { token: person.token })
		expect(answer.status).toBe(204)
		expect([await statusOf(person.token), await statusOf(other.token)]).toEqual([200, 401])
		const listed = await app.request('GET', '/auth/sessions', { token: person.token })
		expect(listed.body.sessions.map(({ current }: { current: boolean }) => current)).toEqual([true])
	})

	it('removes the cookies of the dashboard', async () => {
		const person = await app.register()
		const signedIn = await logIn(person, { 'x-signalbox-dashboard': '1' })
		const cookie = signedIn.headers
			.getSetCookie()
			.map((text) => text.split(';')[0])
			.join('; ')
		const headers = { cookie, origin: app.url }
		const kept = await app.request('DELETE', '/auth/sessions?keep_current=true', { headers })
		expect([kept.status, kept.headers.getSetCookie()]).toEqual([204, []])
		const ended = await app.request('DELETE', '/auth/sessions', { headers })
		expect(ended.headers.getSetCookie().every((text) => text.includes('Max-Age=0'))).toBe(true)
	})

	it('happens after fourteen days without use, not before', async () => {
		const person = await app.register()
		const idle = (await logIn(person)).body
		await advance(14 * dayMs - 1000)
		const used = await refresh(person.refreshToken)
		expect(used.status).toBe(200)
		await advance(1000)
		expect([
			(await refresh(idle.refresh_token)).status,
			(await refresh(used.body.refresh_token)).status,
		]).toEqual([401, 200])
	})

	it('is not prevented by a sign-in whose password is changed while it is checked', async () => {
		const { password, ...person } = await app.register()
		const verify = vi.spyOn(PasswordHasher.prototype, 'verify').mockImplementationOnce(async () => {
			const body = { current_password: password, new_password: 'another good password' }
			const changed = await app.request('POST', '/auth/password/change', { token: person.token, body })
			return changed.status === 204
		})
		const late = await logIn({ ...person, password })
		verify.mockRestore()
		expect([late.status, late.body.code]).toEqual([401, 'wrong_credentials'])
		expect((await logIn({ ...person, password: 'another good password' })).status).toBe(200)
	})

	it('is the same with a clock that is set back: nothing comes back to life, and nothing is lost', async () => {
		const person = await app.register()
		const ended = (await logIn(person)).body
		const rotated = (await refresh(ended.refresh_token)).body
		const stranger = await app.register()
		doubtedMs = 20 * dayMs
		await advance(doubtedMs)
		const now = (await logIn(person)).body
		const restarted = await startTestApp(store(), { clock, withoutOwner: true })
		expect((await app.request('DELETE', '/auth/sessions', { token: now.token })).status).toBe(204)
		const kept = (await logIn(person)).body
		const twice = (await refresh(kept.refresh_token)).body
		await advance(-doubtedMs)
		doubtedMs = 0
		await restarted.feed.catchUp()
		for (const token of [ended.refresh_token, rotated.refresh_token])
			expect((await refresh(token)).status).toBe(401)
		expect((await restarted.request('GET', '/auth/me', { token: stranger.token })).status).toBe(200)
		expect((await refresh(kept.refresh_token)).status).toBe(401)
		expect((await refresh(twice.refresh_token)).status).toBe(401)
		await restarted.close()
	})

	it('happens when any token except the current and the previous one is used, however soon', async () => {
		for (let age = 2; age <= 6; age += 1) {
			const tokens = [(await logIn(app.owner)).body.refresh_token]
			let last = { token: '', refresh_token: tokens[0] }
			for (let turn = 0; turn < age; turn += 1) {
				last = (await refresh(last.refresh_token)).body
				tokens.push(last.refresh_token)
			}
			const before = await refresh(tokens.at(-2))
			expect(before.body.refresh_token).toBe(tokens.at(-1))
			const reused = await refresh(tokens.at(-1 - age))
			expect([age, reused.status, reused.body.code]).toEqual([age, 401, 'session_ended'])
			expect([await statusOf(last.token), (await refresh(last.refresh_token)).status]).toEqual([401, 401])
		}
	})

	it('happens on every node, and two nodes give the same successor to one token', async () => {
		const other = await startTestApp(store(), { clock, withoutOwner: true })
		const first = (await logIn(app.owner)).body.refresh_token
		const answers = await Promise.all([refresh(first), refresh(first, other)])
		expect(answers.map(({ status }) => status)).toEqual([200, 200])
		expect(answers[0]?.body.refresh_token).toBe(answers[1]?.body.refresh_token)
		await refresh(answers[0]?.body.refresh_token)
		const reused = await Promise.all([refresh(first), refresh(first, other)])
		expect(reused.map(({ status }) => status)).toEqual([401, 401])
		await other.feed.catchUp()
		const stillThere = await other.request('GET', '/auth/me', { token: answers[0]?.body.token })
		expect(stillThere.status).toBe(401)
		await other.close()
	})
})
