import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import { PasswordHasher } from '../../../platform/crypto/password-hasher.ts'
import { parsePhc, recommendedMemoryKib as passwordMemoryKib } from '../../../platform/crypto/password-phc.ts'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../testing.ts'

describe('accounts', () => {
	const clock = manualClock()
	let database: Awaited<ReturnType<typeof openTestSqlite>>
	let app: TestApp
	beforeAll(async () => {
		database = await openTestSqlite()
		app = await startTestApp(database.store, { clock, passwordMemoryKib })
	})
	afterAll(async () => {
		await app.close()
		await database.end()
	})
	const logIn = (email: string, password: string) =>
		app.request('POST', '/auth/login', { body: { email, password } })
	const register = (email: string, password: string, on = app) =>
		on.request('POST', '/auth/register', { body: { email, password } })

	it('check an unknown e-mail address against a hash of the same cost as that of a known one', async () => {
		const verify = vi.spyOn(PasswordHasher.prototype, 'verify')
		try {
			for (const email of [app.owner.email, 'nobody@example.org'])
				expect((await logIn(email, 'not the password')).status).toBe(401)
			const checked = verify.mock.calls.map(([password, phc]) => {
				const { salt, hash, ...cost } = parsePhc(phc)
				return { password, cost, sizes: [salt.length, hash.length] }
			})
			expect(checked).toHaveLength(2)
			expect(checked[1]).toEqual(checked[0])
			expect(checked[0]?.cost).toEqual({ memory: passwordMemoryKib, passes: 1, parallelism: 1 })
		} finally {
			verify.mockRestore()
		}
	})

	it('respond to an unknown e-mail address as to a wrong password, in about the same time', async () => {
		const timed = async (email: string) => {
			const startedAt = performance.now()
			const answer = await logIn(email, 'not the password')
			return { answer, tookMs: performance.now() - startedAt }
		}
		const known = await timed(app.owner.email)
		const unknown = await timed('nobody@example.org')
		const knownAgain = await timed(app.owner.email)
		expect(unknown.answer.status).toBe(401)
		expect({ ...unknown.answer.body, request_id: '' }).toEqual({ ...known.answer.body, request_id: '' })
		expect(unknown.answer.body.code).toBe('wrong_credentials')
		expect([...unknown.answer.headers.keys()].sort()).toEqual([...known.answer.headers.keys()].sort())
		// Both compute one hash (some 70 ms); without it the response for an unknown address would take 2 ms.
		expect(unknown.tookMs).toBeGreaterThan(Math.min(known.tookMs, knownAgain.tookMs) / 4)
	})

	it('slow down guessing for one account, tell when to retry, and never lock it permanently', async () => {
		const person = await app.register()
		for (let attempt = 0; attempt < 5; attempt += 1)
			expect((await logIn(person.email, 'wrong')).status).toBe(401)
		const refused = await logIn(person.email, person.password)
		expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
			429,
			'too_many_requests',
			'1',
		])
		expect((await logIn(app.owner.email, app.owner.password)).status).toBe(200)
		clock.advance(1000)
		await app.feed.catchUp()
		expect((await logIn(person.email, 'wrong')).status).toBe(401)
		expect((await logIn(person.email, person.password)).headers.get('retry-after')).toBe('2')
		clock.advance(60_000)
		await app.feed.catchUp()
		expect((await logIn(person.email, person.password)).status).toBe(200)
		expect((await logIn(person.email, person.password)).status).toBe(200)
	})

	it('refuse passwords that are short, common or the e-mail address', async () => {
		for (const password of ['password', 'PASSWORD', 'qwertyuiop', '1q2w3e4r5t', 'new@example.org']) {
			const answer = await register('new@example.org', password)
			expect([password, answer.status, answer.body.code]).toEqual([password, 422, 'weak_password'])
		}
		expect((await register('new@example.org', 'short')).status).toBe(400)
		expect((await register('new@example.org', 'ünïcödé passphräse of any length '.repeat(10))).status).toBe(
			201,
		)
	})

	it('exist once per e-mail address, whatever its case, also for concurrent requests', async () => {
		const answers = await Promise.all([
			register('Same@example.org', 'a good long password'),
			register('same@EXAMPLE.org', 'a good long password'),
		])
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
		expect((await register('same@example.org', 'a good long password')).body.code).toBe('conflict')
	})

	it('refuse malformed input, naming the field', async () => {
		const answer = await app.request('POST', '/auth/login', { body: { email: 'x', password: 'y' } })
		expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/email'])
		expect(
			(await app.request('POST', '/auth/login', { body: { email: 'a@b.c', password: 'y', admin: true } }))
				.status,
		).toBe(400)
		expect((await app.request('POST', '/auth/login', { body: [] })).status).toBe(400)
	})

	it('are created only by invitation on an exposed instance, and by nobody if sign-up is closed', async () => {
		for (const config of [{ exposed: true }, { SIGNUP: 'closed' as const }]) {
			const other = await startTestApp(database.store, { config })
			const answer = await register('x@example.org', 'a good long password', other)
			expect([answer.status, answer.body.code]).toEqual([403, 'signup_closed'])
			await other.close()
		}
	})

	it('leave no secret in the database file', async () => {
		const { token, refreshToken, password, email } = await app.register()
		const key = await app.request('POST', '/v1/keys', { token: app.owner.token, body: { name: 'x' } })
		await app.request('POST', '/v1/keys', {
			token: key.body.key,
			body: { name: 'x', scopes: ['access:write'] },
		})
		const bytes = [database.path, `${database.path}-wal`]
			.map((path) => readFileSync(path).toString('latin1'))
			.join('')
		expect(bytes).toContain(email)
		for (const secret of [token, refreshToken, password, key.body.key]) {
			expect(bytes).not.toContain(secret)
			expect(bytes).not.toContain(secret.slice(-30))
		}
	})

	it('leave no secret in the log, even before it is redacted', async () => {
		const lines: string[] = []
		const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
		const other = await startTestApp(database.store, { clock, log })
		const { token, refreshToken, password, email } = await other.register()
		await other.request('POST', '/auth/login', { body: { email, password: `${password}!` } })
		const refresh = () => other.request('POST', '/auth/refresh', { body: { refresh_token: refreshToken } })
		await refresh()
		clock.advance(11_000)
		await other.feed.catchUp()
		expect((await refresh()).status).toBe(401)
		await other.request('GET', '/auth/me', { token })
		await other.close()
		const text = lines.join('')
		expect(text).toContain('refresh token was used twice')
		for (const secret of [token, refreshToken, password]) expect(text).not.toContain(secret.slice(-20))
	})
})
