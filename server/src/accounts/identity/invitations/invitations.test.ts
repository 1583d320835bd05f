import { type Role, roles, tokenPrefixes } from '@signalbox/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock, systemClock } from '../../../platform/clock.ts'
import { newToken } from '../../../platform/crypto/token.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { startMailServer, type TestMailServer } from '../../../platform/mail/testing.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing.ts'

const password = 'a good long password'
const day = 24 * 60 * 60 * 1000
let invited = 0
const newEmail = () => {
	invited += 1
	return `Person-${invited}@Example.org`
}

/** Requests of an app about invitations to the operator's workspace. */
function actionsOf(app: TestApp) {
	const path = `/v1/workspaces/${app.owner.workspaceId}/invitations`
	const call = (method: string, suffix: string, body?: object, as: TestPerson = app.owner) =>
		app.request(method, path + suffix, { token: as.token, ...(body && { body }) })
	return {
		call,
		create: (body: object, as?: TestPerson) => call('POST', '', body, as),
		list: async () => (await call('GET', '')).body.invitations,
		preview: (token: string) => app.request('POST', '/auth/invitations/preview', { body: { token } }),
		accept: (body: object, as?: TestPerson) =>
			app.request('POST', '/auth/invitations/accept', { body, ...(as && { token: as.token }) }),
		lastRecord: async () =>
			(await app.request('GET', '/v1/audit?limit=1', { token: app.owner.token })).body.audit[0],
	}
}
const tokenIn = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get('token') as string

describeOnBothDatabases('an invitation', (store) => {
	const clock = manualClock(systemClock.nowMs())
	let app: TestApp
	let act: ReturnType<typeof actionsOf>
	beforeAll(async () => {
		app = await startTestApp(store(), { clock })
		act = actionsOf(app)
	})
	afterAll(() => app.close())
	const inviteTo = async (role: Role, email = newEmail()) => {
		const { status, body } = await act.create({ email, role })
		expect(status).toBe(201)
		return { id: body.id as string, email: email.toLowerCase(), token: tokenIn(body.link) }
	}

	it('without mail shows its link once to the inviter, with the secret in the fragment', async () => {
		const email = newEmail()
		const made = await act.create({ email })
		const link: string = made.body.link
		expect(made.body).toEqual({
			id: expect.any(String),
			email: email.toLowerCase(),
			role: 'member',
			invited_by: app.owner.email,
			created_at: new Date(clock.nowMs()).toISOString(),
			expires_at: new Date(clock.nowMs() + 7 * day).toISOString(),
			mailed: false,
			link: expect.stringMatching(/^http:\/\/[^#?]+\/ui\/invitation#token=iv_service_\w{49}$/),
		})
		const { mailed: _mailed, link: _link, ...shown } = made.body
		expect(await act.list()).toContainEqual(shown)
		const rows = await store().db.selectFrom('invitations').selectAll().execute()
		expect(JSON.stringify(rows)).not.toContain(tokenIn(link))
		expect(await act.lastRecord()).toMatchObject({
			action: 'invitations.create',
			target: { name: email.toLowerCase() },
			detail: { role: 'member' },
		})
	})

	it('gives a new person an account with the role and a session in the workspace', async () => {
		const { token, email } = await inviteTo('admin')
		expect((await act.preview(token)).body).toEqual({
			workspace: { name: 'default' },
			email,
			role: 'admin',
			account_exists: false,
			needs: 'new_password',
			expires_at: expect.any(String),
		})
		expect((await act.accept({ token })).body.errors[0].pointer).toBe('/password')
		expect((await act.accept({ token, password: 'password1' })).body.code).toBe('weak_password')
		const accepted = await act.accept({ token, password, name: 'New' })
		expect(accepted.status).toBe(200)
		// An admin who passes a link on has proved nothing about the mailbox.
		expect(accepted.body.user).toEqual({
			id: expect.any(String),
			email,
			name: 'New',
			verified: false,
			time_zone: null,
		})
		expect(accepted.body.workspaces).toEqual([
			{ id: app.owner.workspaceId, name: 'default', slug: 'default', role: 'admin' },
		])
		const me = await app.request('GET', '/auth/me', { token: accepted.body.token })
		expect(me.body).toMatchObject({ operator: false, workspace: { role: 'admin' } })
		expect(await act.lastRecord()).toMatchObject({
			action: 'invitations.accept',
			actor: { id: accepted.body.user.id },
			detail: { role: { before: null, after: 'admin' }, account: 'new' },
		})
		const refreshed = { body: { refresh_token: accepted.body.refresh_token } }
		expect((await app.request('POST', '/auth/refresh', refreshed)).status).toBe(200)
		expect((await app.request('POST', '/auth/login', { body: { email, password } })).status).toBe(200)
	})

	it('lets a person with an account join only as themselves, without losing their own workspace', async () => {
		const person = await app.register()
		const { token } = await inviteTo('viewer', person.email)
		expect((await act.preview(token)).body).toMatchObject({ account_exists: true, needs: 'session' })
		const anonymous = await act.accept({ token, password })
		expect([anonymous.status, anonymous.body.code]).toEqual([409, 'sign_in_required'])
		const another = await act.accept({ token }, await app.register())
		expect([another.status, another.body.code]).toEqual([403, 'invitation_for_another'])
		const accepted = await act.accept({ token }, person)
		expect([accepted.status, accepted.body.refresh_token]).toEqual([200, undefined])
		expect(accepted.body.workspaces.map(({ role }: { role: Role }) => role).sort()).toEqual([
			'owner',
			'viewer',
		])
		const me = await app.request('GET', '/auth/me', { token: accepted.body.token })
		expect(me.body.workspace).toMatchObject({ id: app.owner.workspaceId, role: 'viewer' })
		const old = await app.request('GET', '/auth/me', { token: person.token })
		expect(old.body.workspace.id).toBe(person.workspaceId)
	})

	it('lets a person without a workspace, who cannot sign in, accept with their password', async () => {
		const { token: first, email } = await inviteTo('member')
		const { user } = (await act.accept({ token: first, password })).body
		const member = `/v1/workspaces/${app.owner.workspaceId}/members/${user.id}`
		await app.request('DELETE', member, { token: app.owner.token })
		const login = await app.request('POST', '/auth/login', { body: { email, password } })
		expect([login.status, login.body.code]).toEqual([403, 'forbidden'])
		const { token } = await inviteTo('viewer', email)
		expect((await act.preview(token)).body).toMatchObject({ account_exists: true, needs: 'password' })
		expect((await act.accept({ token })).body.errors[0].pointer).toBe('/password')
		const wrong = await act.accept({ token, password: 'another good password' })
		expect([wrong.status, wrong.body.code]).toEqual([401, 'wrong_credentials'])
		const back = await act.accept({ token, password })
		expect(back.body).toMatchObject({ user: { id: user.id }, workspaces: [{ role: 'viewer' }] })
	})

	it('works once, also for two concurrent requests', async () => {
		const { token } = await inviteTo('member')
		const both = await Promise.all([act.accept({ token, password }), act.accept({ token, password })])
		expect(both.map(({ status }) => status).sort()).toEqual([200, 403])
		const again = await act.accept({ token, password })
		expect([again.status, again.body.code]).toEqual([403, 'invitation_invalid'])
		expect((await act.preview(token)).status).toBe(403)
	})

	it('becomes invalid when it is revoked, sent again or expired', async () => {
		const revoked = await inviteTo('member')
		expect((await act.call('DELETE', `/${revoked.id}`)).status).toBe(204)
		expect((await act.call('DELETE', `/${revoked.id}`)).status).toBe(404)
		const resent = await inviteTo('member')
		clock.advance(3 * day)
		await app.feed.catchUp()
		const login = { body: { email: app.owner.email, password: app.owner.password } }
		app.owner.token = (await app.request('POST', '/auth/login', login)).body.token
		const renewed = await act.call('POST', `/${resent.id}/resend`)
		expect(renewed.body.expires_at).toBe(new Date(clock.nowMs() + 7 * day).toISOString())
		for (const { token } of [revoked, resent]) {
			expect((await act.preview(token)).body.code).toBe('invitation_invalid')
			expect((await act.accept({ token, password })).body.code).toBe('invitation_invalid')
		}
		const token = tokenIn(renewed.body.link)
		expect((await act.preview(token)).status).toBe(200)
		clock.advance(7 * day)
		await app.feed.catchUp()
		expect((await act.preview(token)).body.code).toBe('invitation_invalid')
		app.owner.token = (await app.request('POST', '/auth/login', login)).body.token
		expect(await act.list()).toEqual([])
	})

	it('is not created twice, nor for a member', async () => {
		const { email } = await inviteTo('member')
		const twice = await act.create({ email: email.toUpperCase() })
		expect([twice.status, twice.body.detail]).toEqual([409, expect.stringContaining('open invitation')])
		const member = await act.create({ email: app.owner.email })
		expect([member.status, member.body.detail]).toEqual([409, expect.stringContaining('a member')])
		const other = newEmail()
		const racing = await Promise.all([act.create({ email: other }), act.create({ email: other })])
		expect(racing.map(({ status }) => status).sort()).toEqual([201, 409])
	})

	it('is sent again with the lifetime that it was given, unless the person needs it no more', async () => {
		const signIn = async () => {
			const { email, password } = app.owner
			app.owner.token = (await app.request('POST', '/auth/login', { body: { email, password } })).body.token
		}
		const email = newEmail()
		const { id } = (await act.create({ email, expires_in_days: 1 })).body
		const resend = () => act.call('POST', `/${id}/resend`)
		for (let time = 0; time < 3; time += 1) {
			clock.advance(day / 2)
			await signIn()
			const { body } = await resend()
			expect(Date.parse(body.expires_at) - clock.nowMs()).toBe(day)
		}
		clock.advance(2 * day)
		await signIn()
		const second = await act.create({ email })
		const twice = await resend()
		expect([second.status, twice.status, twice.body.detail]).toEqual([
			201,
			409,
			expect.stringContaining('open'),
		])
		const accepted = await act.accept({ token: tokenIn(second.body.link), password })
		expect([accepted.status, (await resend()).status]).toEqual([200, 409])
	})

	it('grants no more than the role of the inviter: every role × every role', async () => {
		const wrong: string[] = []
		for (const has of roles) {
			const person = await app.memberOf(has)
			for (const role of roles) {
				const { status } = await act.create({ email: newEmail(), role }, person)
				const may = has === 'owner' || (has === 'admin' && role !== 'owner')
				if (status !== (may ? 201 : 403)) wrong.push(`${has} invites ${role}: ${status}`)
			}
		}
		expect(wrong).toEqual([])
	})

	it('ends when its sender loses the right to send it', async () => {
		const admin = await app.memberOf('admin')
		const made = await act.create({ email: newEmail(), role: 'admin' }, admin)
		const path = `/v1/workspaces/${app.owner.workspaceId}/members/${admin.userId}`
		await app.request('DELETE', path, { token: app.owner.token })
		const answer = await act.accept({ token: tokenIn(made.body.link), password })
		expect(answer.body.code).toBe('invitation_invalid')
	})

	it('ends when the invited person, whom a provider made a member meanwhile, is removed', async () => {
		const person = await app.register()
		const { token } = await inviteTo('member', person.email)
		const { workspaceId: workspace_id } = app.owner
		const mapped = { source: 'https://issuer.example', role: 'viewer', created_at: clock.nowMs() }
		await store()
			.db.insertInto('members')
			.values({ ...mapped, workspace_id, user_id: person.userId })
			.execute()
		const path = `/v1/workspaces/${workspace_id}/members/${person.userId}`
		expect((await app.request('DELETE', path, { token: app.owner.token })).status).toBe(204)
		expect((await act.accept({ token }, person)).body.code).toBe('invitation_invalid')
	})

	it('is unknown to another workspace', async () => {
		const { id } = await inviteTo('member')
		const stranger = await app.register()
		const own = `/v1/workspaces/${stranger.workspaceId}/invitations/${id}`
		const answers = [
			await act.call('DELETE', `/${id}`, undefined, stranger),
			await act.call('POST', `/${id}/resend`, undefined, stranger),
			await act.call('GET', '', undefined, stranger),
			await app.request('DELETE', own, { token: stranger.token }),
			await app.request('POST', `${own}/resend`, { token: stranger.token }),
		]
		expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
	})

	it('admits new people if sign-up is by invitation, but not if it is closed', async () => {
		const set = (value: string | null) =>
			app.request('PATCH', '/v1/settings', { token: app.owner.token, body: { signup: { value } } })
		const person = await app.register()
		const [one, two] = [await inviteTo('member'), await inviteTo('member', person.email)]
		await set('closed')
		const closed = await act.accept({ token: one.token, password })
		expect([closed.status, closed.body.code]).toEqual([403, 'signup_closed'])
		expect((await act.accept({ token: two.token }, person)).status).toBe(200)
		await set('invite')
		expect((await act.accept({ token: one.token, password })).status).toBe(200)
		await set(null)
	})

	it('slows down guessing', async () => {
		const statuses: number[] = []
		for (let guess = 0; guess < 25; guess += 1)
			statuses.push((await act.preview(newToken(tokenPrefixes.invitation))).status)
		expect([statuses[0], statuses.at(-1)]).toEqual([403, 429])
	})
})

describeOnBothDatabases('an invitation by mail', (store) => {
	let server: TestMailServer
	let app: TestApp
	beforeAll(async () => {
		server = await startMailServer()
		const config = { SMTP_URL: server.url, MAIL_FROM: 'box@example.org' }
		app = await startTestApp(store(), { config })
	})
	afterAll(async () => {
		await app.close()
		await server.close()
	})

	it('is sent only to the mailbox, and verifies it', async () => {
		const act = actionsOf(app)
		const email = newEmail()
		const made = await act.create({ email })
		expect([made.body.mailed, made.body.link]).toEqual([true, undefined])
		const mail = await server.next()
		expect(mail.to.map((to) => to.toLowerCase())).toEqual([email.toLowerCase()])
		const again = await act.call('POST', `/${made.body.id}/resend`)
		expect(again.status).toBe(429)
		const waitS = Number(again.headers.get('retry-after'))
		expect(waitS > 50 && waitS <= 60).toBe(true)
		const token = /#token=(iv_service_\w+)/.exec(
			mail.text.replaceAll('=\r\n', '').replaceAll('=3D', '='),
		)?.[1]
		const accepted = await act.accept({ token, password })
		expect([accepted.status, accepted.body.user.verified]).toEqual([200, true])
	})
})
