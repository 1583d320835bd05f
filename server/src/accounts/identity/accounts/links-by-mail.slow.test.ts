import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock, systemClock } from '../../../platform/clock.ts'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { type ReceivedMail, startMailServer, type TestMailServer } from '../../../platform/mail/testing.ts'
import { addSetupToken } from '../setup/headless-start.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing.ts'

const hourMs = 60 * 60 * 1000

describeWithStore('accounts by mail', (store) => {
	const clock = manualClock(systemClock.nowMs())
	let server: TestMailServer
	let app: TestApp
	beforeAll(async () => {
		server = await startMailServer()
		const config = { SMTP_URL: server.url, MAIL_FROM: 'Signalbox <box@example.org>' }
		app = await startTestApp(store(), { clock, config, trustedProxies: ['127.0.0.0/8'] })
	})
	afterAll(async () => {
		await app.close()
		await server.close()
	})

	const advance = async (ms: number) => {
		clock.advance(ms)
		await app.feed.catchUp()
	}
	const post = (path: string, body: object, token?: string) =>
		app.request('POST', path, { body, ...(token && { token }) })
	const logIn = ({ email, password }: Pick<TestPerson, 'email' | 'password'>) =>
		post('/auth/login', { email, password })
	const tokenIn = (mail: ReceivedMail) => mail.text.match(/\/ui\/\w+#token=(\w+)/)?.[1] ?? ''
	const isVerified = async (person: TestPerson) =>
		(await app.request('GET', '/auth/me', { token: person.token })).body.user.verified
	/** Registers a new person; returns the secret that was mailed to them. */
	const join = async () => {
		const person = await app.register()
		const mail = await server.next(person.email)
		return { person, mail, secret: tokenIn(mail) }
	}
	const forgotten = async (person: TestPerson) => {
		expect((await post('/auth/password/forgot', { email: person.email })).status).toBe(202)
		const mail = await server.next(person.email)
		expect(mail.text).toContain('Subject: Reset your password')
		return tokenIn(mail)
	}

	it('are confirmed by the link that registration sends, once', async () => {
		const { person, mail, secret } = await join()
		expect(mail.text).toContain('Subject: Confirm your e-mail address')
		expect(mail.text).toContain(`http://127.0.0.1:0/ui/verify#token=${secret}`)
		expect(await isVerified(person)).toBe(false)
		const confirmed = await post('/auth/verify', { token: secret })
		expect([confirmed.status, confirmed.body]).toEqual([200, { email: person.email }])
		expect(await isVerified(person)).toBe(true)
		expect((await logIn(person)).body.user.verified).toBe(true)
		const again = await post('/auth/verify', { token: secret })
		expect([again.status, again.body.code]).toEqual([403, 'mail_link_invalid'])
	})

	it('let people work who have not confirmed their address, and send them the link again', async () => {
		const { person, secret } = await join()
		expect((await post('/v1/agents', { name: 'Worker' }, person.token)).status).not.toBe(403)
		expect((await app.request('POST', '/auth/verify/resend', { token: person.token })).status).toBe(202)
		const second = tokenIn(await server.next(person.email))
		expect(second).not.toBe(secret)
		expect((await post('/auth/verify', { token: second })).status).toBe(200)
		expect((await app.request('POST', '/auth/verify/resend', { token: person.token })).status).toBe(202)
	})

	it('are not confirmed by a link that is a day old, made for a reset, changed or forged', async () => {
		const { person, secret } = await join()
		const reset = await forgotten(person)
		for (const token of [reset, secret.slice(0, -1), `${secret.slice(0, -1)}x`, 'x', ''])
			expect((await post('/auth/verify', { token })).body.code).toBe('mail_link_invalid')
		await advance(24 * hourMs)
		expect((await post('/auth/verify', { token: secret })).body.code).toBe('mail_link_invalid')
	})

	it('get a new password by a link, which ends every session and confirms the address', async () => {
		const { person } = await join()
		const other = (await logIn(person)).body
		const secret = await forgotten(person)
		const weak = await post('/auth/password/reset', { token: secret, password: 'password' })
		expect([weak.status, weak.body.code]).toEqual([422, 'weak_password'])
		const password = 'a better password'
		expect((await post('/auth/password/reset', { token: secret, password })).status).toBe(204)
		expect((await server.next(person.email)).text).toContain('Subject: Your password was changed')
		for (const token of [person.token, other.token])
			expect((await app.request('GET', '/auth/me', { token })).status).toBe(401)
		expect((await post('/auth/refresh', { refresh_token: person.refreshToken })).status).toBe(401)
		expect((await logIn(person)).status).toBe(401)
		expect((await logIn({ ...person, password })).body.user.verified).toBe(true)
		const again = await post('/auth/password/reset', { token: secret, password: 'yet another one' })
		expect([again.status, again.body.code]).toEqual([403, 'mail_link_invalid'])
	})

	it('use only one of two concurrent resets with the same link', async () => {
		const { person } = await join()
		const secret = await forgotten(person)
		const answers = await Promise.all(
			['the first password', 'the second password'].map((password) =>
				post('/auth/password/reset', { token: secret, password }),
			),
		)
		expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
		await server.next(person.email)
	})

	it('lose all other reset links with a reset, and each link after half an hour', async () => {
		const { person } = await join()
		const first = await forgotten(person)
		await advance(61_000)
		const second = await forgotten(person)
		expect((await post('/auth/password/reset', { token: second, password: 'a new password' })).status).toBe(
			204,
		)
		await server.next(person.email)
		const stale = await post('/auth/password/reset', { token: first, password: 'an old password' })
		expect(stale.body.code).toBe('mail_link_invalid')
		await advance(hourMs)
		const third = await forgotten(person)
		await advance(30 * 60 * 1000)
		const late = await post('/auth/password/reset', { token: third, password: 'a late password' })
		expect(late.body.code).toBe('mail_link_invalid')
	})

	it('respond to a forgotten password the same whether or not the address exists, and send one link a minute', async () => {
		const { person } = await join()
		const known = await post('/auth/password/forgot', { email: person.email.toUpperCase() })
		const unknown = await post('/auth/password/forgot', { email: 'nobody@example.org' })
		const outline = ({ status, text, headers }: typeof known) => [status, text, [...headers.keys()].sort()]
		expect(outline(known)).toEqual(outline(unknown))
		await server.next(person.email)
		const before = server.received.length
		expect((await post('/auth/password/forgot', { email: person.email })).status).toBe(202)
		await new Promise((resolve) => setTimeout(resolve, 800))
		expect(server.received.length).toBe(before)
		await advance(61_000)
		await forgotten(person)
	})

	it('allow a client address ten mails, then make it wait, but not others', async () => {
		const ask = (address: string) =>
			app.request('POST', '/auth/password/forgot', {
				headers: { 'x-forwarded-for': address },
				body: { email: 'nobody@example.org' },
			})
		for (let count = 0; count < 10; count += 1) expect((await ask('198.51.100.7')).status).toBe(202)
		const refused = await ask('198.51.100.7')
		expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
		expect((await ask('198.51.100.8')).status).toBe(202)
	})

	it('change their password with the current one, and stay signed in only here', async () => {
		const { person } = await join()
		const other = (await logIn(person)).body
		const change = (current: string, next: string, token = person.token) =>
			post('/auth/password/change', { current_password: current, new_password: next }, token)
		const wrong = await change('not my password', 'a new password')
		expect([wrong.status, wrong.body.code]).toEqual([422, 'wrong_password'])
		expect((await change(person.password, 'qwertyuiop')).body.code).toBe('weak_password')
		expect((await change(person.password, 'a new password')).status).toBe(204)
		expect((await server.next(person.email)).text).toContain('Subject: Your password was changed')
		expect((await app.request('GET', '/auth/me', { token: person.token })).status).toBe(200)
		expect((await app.request('GET', '/auth/me', { token: other.token })).status).toBe(401)
		expect((await logIn(person)).status).toBe(401)
		expect((await logIn({ ...person, password: 'a new password' })).status).toBe(200)
		const { body } = await app.request('GET', '/v1/audit', { token: person.token })
		expect(body.audit.map(({ action }: { action: string }) => action)).toContain('auth.change_password')
	})

	it('without a password get one only by a reset', async () => {
		const { person } = await join()
		const { db } = store()
		await db.updateTable('users').set({ password_hash: null }).where('id', '=', person.userId).execute()
		const input = { current_password: person.password, new_password: 'a new password' }
		const refused = await post('/auth/password/change', input, person.token)
		expect([refused.status, refused.body.code]).toEqual([409, 'no_password'])
		expect((await logIn(person)).status).toBe(401)
		const secret = await forgotten(person)
		const password = 'a first password'
		expect((await post('/auth/password/reset', { token: secret, password })).status).toBe(204)
		await server.next(person.email)
		expect((await logIn({ ...person, password })).status).toBe(200)
	})

	it('respond the same while the mail server refuses, and an operator can pass the link on', async () => {
		server.refuse(550)
		const person = await app.register()
		const links = async () => {
			const { body } = await app.request('GET', '/v1/mail-links', { token: app.owner.token })
			return (body.mail_links as { to: string; link: string }[]).filter(({ to }) => to === person.email)
		}
		await advance(1000)
		const token = (await logIn(app.owner)).body.token
		app.owner.token = token
		await expect.poll(async () => (await links()).length).toBe(1)
		const secret = (await links())[0]?.link.split('#token=')[1] ?? ''
		expect((await post('/auth/verify', { token: secret })).status).toBe(200)
		expect(await links()).toEqual([])
		server.refuse(null)
	})

	it('leave no secret of a link in the store', async () => {
		const { secret } = await join()
		const tables = await Promise.all([
			store().db.selectFrom('account_tokens').selectAll().execute(),
			store().db.selectFrom('mail_links').selectAll().execute(),
			store().db.selectFrom('audit_log').selectAll().execute(),
		])
		expect(JSON.stringify(tables)).not.toContain(secret.slice(-30))
	})

	it('cannot get or use a password in any way if the instance does not allow passwords', async () => {
		const other = await startTestApp(store(), {
			clock,
			config: { PASSWORD_LOGIN: 'off' },
			withoutOwner: true,
		})
		const password = 'a good long password'
		const email = 'new@example.org'
		const secret = await forgotten((await join()).person)
		const token = (await logIn(app.owner)).body.token
		const path = `/v1/workspaces/${app.owner.workspaceId}/invitations`
		const invitation = await post(path, { email: 'invited@example.org' }, token)
		expect(invitation.status).toBe(201)
		const invited = tokenIn(await server.next('invited@example.org'))
		const setup = await addSetupToken(app)
		const ways: [string, object, string?][] = [
			['/auth/setup', { setup_token: setup, email, password }],
			['/auth/invitations/accept', { token: invited, password }],
			['/auth/login', { email: app.owner.email, password: app.owner.password }],
			['/auth/register', { email, password }],
			['/auth/password/forgot', { email: app.owner.email }],
			['/auth/password/reset', { token: secret, password }],
			['/auth/password/change', { current_password: app.owner.password, new_password: password }, token],
		]
		for (const [path, body, credential] of ways) {
			const answer = await other.request('POST', path, { body, ...(credential && { token: credential }) })
			expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'password_login_off'])
		}
		expect((await other.request('GET', '/auth/methods')).body.password).toBe(false)
		await other.close()
	})
})
