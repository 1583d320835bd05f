import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAddressRules } from '../../../platform/address-rules.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { openIdentityAdmin } from '../admin.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing.ts'
import type { IdentityConfig } from './instance-view.ts'

describeOnBothDatabases('the settings of an instance', (store) => {
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store())
	})
	afterAll(() => app.close())

	const read = async (of = app) => (await of.request('GET', '/v1/settings', { token: app.owner.token })).body
	const change = (body: object, as: TestPerson = app.owner) =>
		app.request('PATCH', '/v1/settings', { token: as.token, body })

	it('are those of a loopback instance by default', async () => {
		expect(await read()).toEqual({
			signup: { value: 'open', source: 'default' },
			loopback_targets: { value: true, source: 'default' },
			private_networks: { value: [], source: 'default' },
			stdio_programs: { value: true, source: 'default' },
			stdio_programs_default: { value: false, source: 'default' },
		})
	})

	it('can be changed by operators, not by owners of a workspace', async () => {
		for (const person of [await app.register(), await app.memberOf('owner')]) {
			expect((await change({ signup: { value: 'closed' } }, person)).status).toBe(403)
			const { status, body } = await app.request('GET', '/v1/settings', { token: person.token })
			expect([status, body.detail]).toEqual([403, 'This needs the operator of the instance.'])
		}
	})

	it('decide at once who may register or create workspaces, and are recorded', async () => {
		const person = await app.register()
		const create = (as: TestPerson) =>
			app.request('POST', '/v1/workspaces', { token: as.token, body: { name: 'More' } })
		expect((await change({ signup: { value: 'invite' } })).body.signup).toEqual({
			value: 'invite',
			source: 'stored',
		})
		expect((await app.request('GET', '/auth/methods')).body.signup).toBe('invite')
		await expect(app.register()).rejects.toThrow('signup_closed')
		expect((await create(person)).body.detail).toMatch(/only operators create workspaces/)
		expect((await create(app.owner)).status).toBe(201)
		const { audit } = (await app.request('GET', '/v1/audit?limit=1', { token: app.owner.token })).body
		expect(audit[0]).toMatchObject({
			action: 'settings.update',
			target: { name: 'signup' },
			detail: { before: 'open', after: 'invite' },
		})
		expect((await change({ signup: { value: null } })).body.signup.source).toBe('default')
		expect((await create(person)).status).toBe(201)
	})

	it('determine at once what safe-fetch may reach', async () => {
		const rules = createAddressRules({
			get allowedNetworks() {
				return app.instance.value('private_networks')
			},
			get loopbackAllowed() {
				return app.instance.value('loopback_targets')
			},
		})
		expect([rules.refusalOf('10.1.2.3'), rules.refusalOf('127.0.0.1')]).toEqual(['private', null])
		await change({ private_networks: { value: ['10.0.0.0/8'] }, loopback_targets: { value: false } })
		expect([rules.refusalOf('10.1.2.3'), rules.refusalOf('127.0.0.1')]).toEqual([null, 'loopback'])
		await change({ private_networks: { value: [] }, loopback_targets: { value: true } })
		expect([rules.refusalOf('10.1.2.3'), rules.refusalOf('127.0.0.1')]).toEqual(['private', null])
	})

	it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/8/8', 'example.org/8', '::/129', '10.0.0.0/-1', ''])(
		'refuse %j as a network',
		async (network) => {
			const { status, body } = await change({ private_networks: { value: ['10.0.0.0/8', network] } })
			expect([status, body.errors?.[0].pointer]).toEqual([400, '/private_networks/value'])
		},
	)

	it('accept what GET returned, and refuse another source', async () => {
		const now = await read()
		expect((await change(now)).body).toEqual(now)
		const stored = { signup: { value: 'open', source: 'environment' } }
		expect((await change(stored)).body.errors[0].pointer).toBe('/signup/source')
		expect((await change({ unknown: { value: 1 } })).status).toBe(400)
		expect((await change({})).status).toBe(400)
	})
})

describeOnBothDatabases('an exposed instance', (store) => {
	const config: Partial<IdentityConfig> = {
		exposed: true,
		SIGNUP: 'closed',
		ALLOWED_PRIVATE_NETWORKS: ['10.0.0.0/8'],
	}
	let app: TestApp
	let other: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), { config })
		other = await startTestApp(store(), { config, withoutOwner: true })
	})
	afterAll(async () => {
		await other.close()
		await app.close()
	})
	const change = (body: object) => app.request('PATCH', '/v1/settings', { token: app.owner.token, body })

	it('starts closed, and names the variable of settings from the environment', async () => {
		const now = (await app.request('GET', '/v1/settings', { token: app.owner.token })).body
		expect(now).toEqual({
			signup: { value: 'closed', source: 'environment' },
			loopback_targets: { value: false, source: 'default' },
			private_networks: { value: ['10.0.0.0/8'], source: 'environment' },
			stdio_programs: { value: false, source: 'default' },
			stdio_programs_default: { value: false, source: 'default' },
		})
		expect((await change(now)).status).toBe(200)
		const refused = await change({ signup: { value: 'open' }, loopback_targets: { value: true } })
		expect([refused.status, refused.body.code]).toEqual([409, 'set_by_environment'])
		expect(refused.body.detail).toContain('SIGNALBOX_SIGNUP')
		expect(app.instance.value('loopback_targets')).toBe(false)
		expect((await change({ private_networks: { value: [] } })).body.detail).toContain(
			'SIGNALBOX_ALLOWED_PRIVATE_NETWORKS',
		)
	})

	it('needs the right to stdio programs twice: for the instance and for the workspace, on every node', async () => {
		const { workspaceId, token } = app.owner
		const rights = (stdio: boolean) =>
			app.request('PATCH', `/v1/workspaces/${workspaceId}/rights`, { token, body: { stdio } })
		expect(app.instance.mayRunPrograms(workspaceId)).toBe(false)
		expect((await rights(true)).body.rights).toEqual({ stdio: true })
		expect(app.instance.mayRunPrograms(workspaceId)).toBe(false)
		await change({ stdio_programs: { value: true } })
		expect(app.instance.mayRunPrograms(workspaceId)).toBe(true)
		await expect.poll(() => other.instance.mayRunPrograms(workspaceId), { timeout: 10_000 }).toBe(true)
		await rights(false)
		expect(app.instance.mayRunPrograms(workspaceId)).toBe(false)
	})
})

describeOnBothDatabases('operators', (store) => {
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store())
	})
	afterAll(() => app.close())
	const call = (method: string, path: string, as: TestPerson = app.owner, body?: object) =>
		app.request(method, path, { token: as.token, ...(body && { body }) })

	it('see every workspace with its rights, and can change them', async () => {
		const stranger = await app.register()
		const path = `/v1/workspaces/${stranger.workspaceId}/rights`
		expect(app.instance.mayRunPrograms(app.owner.workspaceId)).toBe(true)
		expect(app.instance.mayRunPrograms(stranger.workspaceId)).toBe(false)
		expect((await call('PATCH', path, app.owner, { stdio: true })).body).toMatchObject({
			id: stranger.workspaceId,
			member_count: 1,
			rights: { stdio: true },
		})
		expect(app.instance.mayRunPrograms(stranger.workspaceId)).toBe(true)
		const records = (await call('GET', '/v1/audit?limit=1', stranger)).body.audit
		expect(records[0]).toMatchObject({
			action: 'instance.rights',
			actor: { id: app.owner.userId },
			detail: { stdio: { before: false, after: true } },
		})
		const listed = (await call('GET', '/v1/instance/workspaces?order=asc')).body
		expect(listed.workspaces.map(({ id }: { id: string }) => id)).toEqual([
			app.owner.workspaceId,
			stranger.workspaceId,
		])
		expect((await call('GET', '/v1/instance/workspaces?q=DEFAULT')).body.pagination.total).toBe(1)
		const unknown = '/v1/workspaces/0192f0c1-2d3e-7a4b-8c5d-6e7f80910213/rights'
		expect((await call('PATCH', unknown, app.owner, { stdio: true })).status).toBe(404)
		expect((await call('PATCH', path, stranger, { stdio: true })).status).toBe(403)
	})

	it('have no other rights in a workspace of which they are not a member', async () => {
		const stranger = await app.register()
		const path = `/v1/workspaces/${stranger.workspaceId}`
		const answers = [
			await call('GET', path),
			await call('PATCH', path, app.owner, { name: 'Taken' }),
			await call('DELETE', `${path}?confirm=x`),
			await call('GET', `${path}/members`),
			await call('DELETE', `${path}/members/${stranger.userId}`),
		]
		expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
	})

	it('need no role in the workspace of their token, and get none', async () => {
		const person = await app.memberOf('viewer')
		const admin = openIdentityAdmin(app)
		await admin.changeOperator(person.email, true)
		await app.feed.catchUp()
		expect((await call('GET', '/v1/settings', person)).status).toBe(200)
		const rename = await call('PATCH', `/v1/workspaces/${person.workspaceId}`, person, { name: 'Taken' })
		expect([rename.status, rename.body.detail]).toEqual([403, 'This needs the role admin; yours is viewer.'])
		await admin.changeOperator(person.email, false)
		await app.feed.catchUp()
		expect((await call('GET', '/v1/settings', person)).status).toBe(403)
	})

	it('are added and removed on the command line, except for the last one', async () => {
		const admin = openIdentityAdmin(app)
		const person = await app.register()
		expect(await admin.changeOperator(person.email.toUpperCase(), true)).toBe(true)
		expect(await admin.changeOperator(person.email, true)).toBe(false)
		await app.feed.catchUp()
		const listed = (await call('GET', '/v1/operators?order=asc', person)).body
		expect(listed.operators.map(({ id }: { id: string }) => id)).toEqual([app.owner.userId, person.userId])
		const both = await Promise.allSettled([
			admin.changeOperator(person.email, false),
			admin.changeOperator(app.owner.email, false),
		])
		expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
		const lost = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult
		expect(lost.reason.code).toBe('last_operator')
		expect(await admin.listOperators()).toHaveLength(1)
		await expect(admin.changeOperator('nobody@example.org', true)).rejects.toThrow('nobody@example.org')
	})
})
