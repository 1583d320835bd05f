import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import type { MembershipChange } from '../identity-context.ts'
import type { TestCore } from '../testing.ts'
import { Browser } from './testing/browser.ts'
import { type FederationStage, startStage } from './testing/stage.ts'

const failed = (code: string) => `/ui/sign-in?error=${code}`

describeWithStore('sign-in at a provider', (store) => {
	let stage: FederationStage
	const changes: MembershipChange[] = []
	beforeAll(async () => {
		const listen = ({ identity }: TestCore) => {
			identity.onMembership(async (_tx, change) => void changes.push(change))
			return { operations: [] }
		}
		stage = await startStage(store(), { open: listen })
	})
	beforeEach(() => void Object.assign(stage.settings, { groups: [], signup: null, trustEmail: false }))
	afterAll(() => stage.close())

	const account = (subject: string, more: object = {}) =>
		stage.provider.accounts.set(subject, {
			email: `${subject}@example.org`,
			email_verified: true,
			name: subject,
			...more,
		})
	const rule = (
		group: string,
		workspace: string,
		role: 'owner' | 'admin' | 'member' | 'viewer',
		create = false,
	) => ({
		group,
		workspace,
		role,
		agentGroups: role === 'admin' ? ['deploy'] : [],
		create,
	})
	const roleIn = (me: { workspaces: { id: string; role: string }[] }, id: string) =>
		me.workspaces.find((workspace) => workspace.id === id)?.role
	/** Who is recorded as having created a workspace. */
	const creatorsOf = async (workspaceId: string) => {
		const records = store().db.selectFrom('audit_log').where('workspace_id', '=', workspaceId)
		const made = records.where('action', '=', 'workspaces.create').select('actor_name')
		return (await made.execute()).map(({ actor_name }) => actor_name)
	}
	const link = async (token: string, browser: Browser) => {
		const { body, headers } = await stage.app.request('POST', '/auth/oauth/test/link', { token, body: {} })
		browser.keep(new URL(stage.app.url), headers.getSetCookie())
		return new URL(body.url)
	}
	const follow = async (url: URL, subject: string, browser: Browser) => {
		const isCallback = (next: URL) => next.origin === stage.app.url
		const page = await stage.provider.signIn(browser, url, subject, isCallback)
		return stage.locationOf(browser, page.url)
	}

	it('creates an account without a password, recognised later by issuer and subject', async () => {
		account('ada', { email: 'Ada@Example.org', name: 'Ada' })
		const first = await stage.signIn('ada', '/ui/agents?q=1')
		expect(first.location).toBe('/ui/agents?q=1')
		expect(first.me).toMatchObject({
			user: { email: 'ada@example.org', name: 'Ada', verified: true },
			operator: false,
			workspace: { name: "Ada's workspace", role: 'owner' },
		})
		expect(await creatorsOf(first.me.workspace.id)).toEqual(['ada@example.org'])
		account('ada', { email: 'other@example.org' })
		const again = await stage.signIn('ada', '//evil.example')
		expect(again.location).toBe('/ui/')
		expect(again.me.user).toEqual(first.me.user)
	})

	it('lists the provider among the ways to sign in', async () => {
		const { body } = await stage.app.request('GET', '/auth/methods')
		expect(body).toMatchObject({ password: true, providers: [{ id: 'test', label: 'Test' }] })
	})

	it('accepts no address that the issuer has not verified', async () => {
		account('eve', { email_verified: false })
		expect((await stage.signIn('eve')).location).toBe(failed('email_unverified'))
		account('eve', { email: undefined })
		expect((await stage.signIn('eve')).location).toBe(failed('email_missing'))
		stage.settings.trustEmail = true
		account('eve', { email_verified: undefined })
		expect((await stage.signIn('eve')).location).toBe('/ui/')
	})

	it('never takes over an account by its address; its owner links it while signed in', async () => {
		const person = await stage.app.register()
		account('carl', { email: person.email })
		expect((await stage.signIn('carl')).location).toBe(failed('account_exists'))
		const browser = new Browser()
		expect(await follow(await link(person.token, browser), 'carl', browser)).toBe('/ui/')
		const { me } = await stage.signIn('carl')
		expect(me.user.id).toBe(person.userId)
		const stranger = await stage.app.register()
		const another = new Browser()
		expect(await follow(await link(stranger.token, another), 'carl', another)).toBe(failed('identity_taken'))
	})

	it('lets an issuer sign in, under a new subject, a person whose account it created', async () => {
		account('dora')
		const { me } = await stage.signIn('dora')
		account('dora-again', { email: 'dora@example.org' })
		expect((await stage.signIn('dora-again')).me.user.id).toBe(me.user.id)
		account('dora-fake', { email: 'dora@example.org', email_verified: false })
		expect((await stage.signIn('dora-fake')).location).toBe(failed('email_unverified'))
	})

	it('links only for a session that is still active, in the browser that began', async () => {
		const person = await stage.app.register()
		account('fred')
		const browser = new Browser()
		const url = await link(person.token, browser)
		await stage.app.request('POST', '/auth/logout', { token: person.token })
		expect(await follow(url, 'fred', browser)).toBe(failed('session_ended'))
		const again = await stage.app.register()
		const elsewhere = await link(again.token, new Browser())
		expect(await follow(elsewhere, 'fred', new Browser())).toBe(failed('flow_invalid'))
	})

	it('shows identities to their owner, and refuses to remove the last way to sign in', async () => {
		account('gina')
		const { token, me } = await stage.signIn('gina')
		const { body } = await stage.app.request('GET', '/auth/identities', { token })
		expect(body.identities).toMatchObject([
			{ provider: 'test', issuer: stage.provider.issuer, email: 'gina@example.org' },
		])
		const path = `/auth/identities/${body.identities[0].id}`
		expect((await stage.app.request('DELETE', path, { token })).body.code).toBe('last_way_in')
		const { token: stranger } = await stage.app.register()
		expect((await stage.app.request('DELETE', path, { token: stranger })).status).toBe(404)
		account('gina-too', { email: 'gina@example.org' })
		expect((await stage.signIn('gina-too')).me.user.id).toBe(me.user.id)
		expect((await stage.app.request('DELETE', path, { token })).status).toBe(204)
	})

	it('creates accounts only for people whom the operator admits', async () => {
		const { workspaceId, token } = stage.app.owner
		account('hugo')
		for (const signup of ['nobody', 'invited', 'mapped'] as const) {
			stage.settings.signup = signup
			expect((await stage.signIn('hugo')).location).toBe(failed('signup_closed'))
		}
		stage.settings.signup = 'invited'
		const path = `/v1/workspaces/${workspaceId}/invitations`
		const body = { email: 'hugo@example.org', role: 'member' }
		expect((await stage.app.request('POST', path, { token, body })).status).toBe(201)
		const { me } = await stage.signIn('hugo')
		expect(me.workspaces).toEqual([{ id: workspaceId, name: 'default', slug: 'default', role: 'member' }])
	})

	it('grants memberships by groups, changes them and ends them with their sessions', async () => {
		const { workspaceId } = stage.app.owner
		Object.assign(stage.settings, {
			signup: 'mapped',
			groups: [
				rule('staff', workspaceId, 'viewer'),
				rule('leads', 'default', 'admin'),
				rule('lost', 'nowhere', 'owner'),
			],
		})
		account('ines', { groups: ['staff', 'leads', 'lost', 7] })
		const first = await stage.signIn('ines')
		expect(first.me.workspaces).toEqual([
			{ id: workspaceId, name: 'default', slug: 'default', role: 'admin' },
		])
		const member = store().db.selectFrom('members').selectAll().where('user_id', '=', first.me.user.id)
		expect(await member.executeTakeFirst()).toMatchObject({
			source: stage.provider.issuer,
			agent_groups: '["deploy"]',
		})
		expect(changes.at(-1)).toMatchObject({
			workspaceId,
			userId: first.me.user.id,
			role: 'admin',
			groups: { before: [], after: ['deploy'] },
		})
		account('ines', { groups: 'staff' })
		const second = await stage.signIn('ines')
		expect(changes.at(-1)).toMatchObject({
			workspaceId,
			role: 'viewer',
			groups: { before: ['deploy'], after: [] },
		})
		expect(roleIn(second.me, workspaceId)).toBe('viewer')
		account('ines')
		expect((await stage.signIn('ines')).location).toBe(failed('no_workspace'))
		expect(changes.at(-1)).toMatchObject({ workspaceId, userId: first.me.user.id, role: null })
		for (const { token } of [first, second])
			expect((await stage.app.request('GET', '/auth/me', { token })).status).toBe(401)
		const live = store().db.selectFrom('sessions').selectAll().where('user_id', '=', first.me.user.id)
		expect((await live.where('revoked_at', 'is', null).execute()).length).toBe(0)
	})

	it('lets a person without a workspace sign in again if their verified address is invited', async () => {
		const { workspaceId, token } = stage.app.owner
		stage.settings.groups = [rule('staff', workspaceId, 'viewer')]
		account('lars', { groups: ['staff'] })
		await stage.signIn('lars')
		account('lars')
		expect((await stage.signIn('lars')).location).toBe(failed('no_workspace'))
		const body = { email: 'lars@example.org', role: 'member' }
		const invited = await stage.app.request('POST', `/v1/workspaces/${workspaceId}/invitations`, {
			token,
			body,
		})
		const link = { token: invited.body.link.split('#token=')[1] as string }
		const preview = await stage.app.request('POST', '/auth/invitations/preview', { body: link })
		expect(preview.body).toMatchObject({ account_exists: true, needs: 'session' })
		const early = await stage.app.request('POST', '/auth/invitations/accept', { body: link })
		expect(early.body.code).toBe('sign_in_required')
		const { me } = await stage.signIn('lars')
		expect(me.workspaces).toEqual([{ id: workspaceId, name: 'default', slug: 'default', role: 'member' }])
		const again = await stage.app.request('POST', '/auth/invitations/accept', { body: link })
		expect(again.body.code).toBe('invitation_invalid')
	})

	it('does not change manually granted memberships, and creates workspaces only if configured', async () => {
		const { workspaceId } = stage.app.owner
		account('jan')
		const { me } = await stage.signIn('jan')
		await store()
			.db.insertInto('members')
			.values({ workspace_id: workspaceId, user_id: me.user.id, role: 'viewer', created_at: 1 })
			.execute()
		stage.settings.groups = [
			rule('staff', 'default', 'admin'),
			rule('staff', 'Made for staff', 'member', true),
		]
		account('jan', { groups: ['staff'] })
		const mapped = (await stage.signIn('jan')).me
		expect(roleIn(mapped, workspaceId)).toBe('viewer')
		const made = mapped.workspaces.find(({ name }: { name: string }) => name === 'Made for staff')
		expect(await creatorsOf(made.id)).toEqual([expect.stringContaining('groups of')])
		account('jan')
		const after = (await stage.signIn('jan')).me
		expect(after.workspaces).toHaveLength(2)
		expect(roleIn(after, workspaceId)).toBe('viewer')
	})

	it('keeps the last owner of a workspace, whatever the groups say', async () => {
		stage.settings.groups = [rule('chiefs', 'Chiefs', 'owner', true)]
		account('kim', { groups: ['chiefs'] })
		const { me } = await stage.signIn('kim')
		account('kim')
		expect((await stage.signIn('kim')).me.workspaces).toEqual(me.workspaces)
	})

	it('creates one account from two concurrent first sign-ins', async () => {
		account('leo')
		const ways = [await stage.reachCallback('leo'), await stage.reachCallback('leo')]
		const locations = await Promise.all(ways.map((way) => stage.locationOf(way.browser, way.callback)))
		expect(locations).toEqual(['/ui/', '/ui/'])
		const users = store().db.selectFrom('users').selectAll().where('email', '=', 'leo@example.org')
		expect(await users.execute()).toHaveLength(1)
	})

	it('writes sign-ins, links and memberships into the audit log', async () => {
		const { token } = stage.app.owner
		const { body } = await stage.app.request('GET', '/v1/audit?limit=100', { token })
		const actions = body.audit.map(({ action }: { action: string }) => action)
		for (const action of [
			'auth.login',
			'members.add',
			'members.update',
			'members.remove',
			'invitations.accept',
		])
			expect(actions).toContain(action)
	})
})

describeWithStore('an instance without passwords', (store) => {
	it('lets people sign in by the provider, and in no other way', async () => {
		const stage = await startStage(store())
		stage.provider.accounts.set('mia', { email: 'mia@example.org', email_verified: true })
		const { email, password } = stage.app.owner
		const without = await stage.restart({ PASSWORD_LOGIN: 'off' })
		const post = (path: string, body: object) => without.app.request('POST', path, { body })
		const tried = await Promise.all([
			post('/auth/login', { email, password }),
			post('/auth/register', { email: 'new@example.org', password }),
			post('/auth/password/forgot', { email }),
			post('/auth/password/reset', { token: 'x', password }),
		])
		expect(tried.map(({ body }) => body.code)).toEqual(Array(4).fill('password_login_off'))
		expect((await without.app.request('GET', '/auth/methods')).body.password).toBe(false)
		expect((await without.signIn('mia')).location).toBe('/ui/')
		await without.close()
	})
})
