import { type Role, roles } from '@signalbox/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing.ts'

/** Who may assign which role: a person with role `has` changes a member from `from` to `to` (null: removes them). */
const allowed = (has: Role, from: Role, to: Role | null): boolean => {
	if (has === 'owner') return true
	return has === 'admin' && from !== 'owner' && to !== 'owner'
}

describeWithStore('the members of a workspace', (store) => {
	let app: TestApp
	let people: Record<Role, TestPerson>
	beforeAll(async () => {
		app = await startTestApp(store())
		const made = await Promise.all(roles.map(async (role) => [role, await app.memberOf(role)] as const))
		people = Object.fromEntries(made) as Record<Role, TestPerson>
	})
	afterAll(() => app.close())

	const pathOf = (userId = '') => `/v1/workspaces/${app.owner.workspaceId}/members${userId && `/${userId}`}`
	const list = async (query = '', as = app.owner) =>
		(await app.request('GET', `${pathOf()}?${query}`, { token: as.token })).body
	const change = (as: TestPerson, userId: string, role: Role | null) =>
		role === null
			? app.request('DELETE', pathOf(userId), { token: as.token })
			: app.request('PATCH', pathOf(userId), { token: as.token, body: { role } })
	const lastRecord = async () =>
		(await app.request('GET', '/v1/audit?limit=1', { token: app.owner.token })).body.audit[0]

	it('are listed for members only, by part of the name or by role', async () => {
		const all = await list('sort=joined_at&order=asc', people.viewer)
		expect(all.pagination.total).toBe(1 + roles.length)
		expect(all.members[0]).toEqual({
			user_id: app.owner.userId,
			email: app.owner.email,
			name: '',
			verified: expect.any(Boolean),
			role: 'owner',
			joined_at: expect.any(String),
		})
		const found = await list(`q=${people.admin.email.slice(0, 12).toUpperCase()}`)
		expect(found.members.map(({ user_id }: { user_id: string }) => user_id)).toEqual([people.admin.userId])
		expect((await list('role=owner')).pagination.total).toBe(2)
		expect((await list('q=%25')).pagination.total).toBe(0)
		const stranger = await app.register()
		expect((await app.request('GET', pathOf(), { token: stranger.token })).status).toBe(404)
	})

	const deals = roles.flatMap((has) =>
		roles.flatMap((from) => [...roles, null].map((to) => ({ has, from, to }))),
	)
	it('change only as the role of the requesting person allows: every role × every change', async () => {
		const wrong: string[] = []
		let subject = await app.memberOf('viewer')
		for (const { has, from, to } of deals) {
			// The previous change removed the member, so a new one is needed.
			if ((await change(app.owner, subject.userId, from)).status === 404) subject = await app.memberOf(from)
			const { status } = await change(people[has], subject.userId, to)
			const expected = allowed(has, from, to) ? (to === null ? 204 : 200) : 403
			if (status !== expected) wrong.push(`${has} changes ${from} to ${to}: ${status}, not ${expected}`)
		}
		expect(wrong).toEqual([])
		expect(deals.length).toBe(roles.length ** 2 * (roles.length + 1))
	}, 60_000)

	it('are changed with the old and new role in the audit log', async () => {
		const person = await app.memberOf('member')
		await change(app.owner, person.userId, 'admin')
		expect(await lastRecord()).toMatchObject({
			action: 'members.update',
			actor: { id: app.owner.userId },
			target: { id: person.userId, name: person.email },
			detail: { role: { before: 'member', after: 'admin' } },
		})
		await change(people.admin, person.userId, null)
		expect(await lastRecord()).toMatchObject({
			action: 'members.remove',
			actor: { id: people.admin.userId },
			detail: { role: { before: 'admin', after: null } },
		})
	})

	it('lose a role at once', async () => {
		const person = await app.memberOf('admin')
		const newKey = () => app.request('POST', '/v1/keys', { token: person.token, body: { name: 'x' } })
		expect((await newKey()).status).toBe(201)
		await change(app.owner, person.userId, 'viewer')
		expect((await newKey()).status).toBe(403)
		await change(app.owner, person.userId, null)
		expect((await app.request('GET', '/auth/me', { token: person.token })).status).toBe(401)
	})

	it('may leave, whatever their role; their session continues in another workspace', async () => {
		const person = await app.memberOf('viewer')
		expect((await change(person, person.userId, null)).status).toBe(204)
		expect(await lastRecord()).toMatchObject({ action: 'members.leave', actor: { id: person.userId } })
		const renewed = await app.request('POST', '/auth/refresh', {
			body: { refresh_token: person.refreshToken },
		})
		const me = await app.request('GET', '/auth/me', { token: renewed.body.token })
		expect([me.status, me.body.workspaces.length]).toEqual([200, 1])
	})

	it('are unknown if they belong to another workspace, and read-only except for the role', async () => {
		const stranger = await app.register()
		for (const role of ['admin', null] as const) {
			const { status, body } = await change(app.owner, stranger.userId, role)
			expect([status, body.detail]).toEqual([404, 'There is no such member.'])
		}
		const [member] = (await list('role=viewer')).members
		const path = pathOf(member.user_id)
		const back = await app.request('PATCH', path, { token: app.owner.token, body: member })
		expect(back.body).toEqual(member)
		const other = { ...member, email: 'other@example.org' }
		expect((await app.request('PATCH', path, { token: app.owner.token, body: other })).status).toBe(400)
	})
})

describeWithStore('the last owner', (store) => {
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store())
	})
	afterAll(() => app.close())

	const setRole = (as: TestPerson, userId: string, role: Role) =>
		app.request('PATCH', `/v1/workspaces/${app.owner.workspaceId}/members/${userId}`, {
			token: as.token,
			body: { role },
		})
	const owners = async () => {
		const path = `/v1/workspaces/${app.owner.workspaceId}/members?role=owner`
		const listed = await app.request('GET', path, { token: app.owner.token })
		return listed.body.members.map(({ user_id }: { user_id: string }) => user_id)
	}

	it('stays one', async () => {
		const { userId, workspaceId, token } = app.owner
		const demoted = await setRole(app.owner, userId, 'admin')
		expect([demoted.status, demoted.body.code]).toEqual([409, 'last_owner'])
		const left = await app.request('DELETE', `/v1/workspaces/${workspaceId}/members/${userId}`, { token })
		expect([left.status, left.body.code]).toEqual([409, 'last_owner'])
	})

	it('remains when two owners demote each other concurrently: exactly one wins', async () => {
		for (let round = 0; round < 10; round += 1) {
			const [a, b] = [app.owner, await app.memberOf('owner')]
			const answers = await Promise.all([setRole(a, b.userId, 'admin'), setRole(b, a.userId, 'admin')])
			expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
			const [winner] = await owners()
			const loser = winner === a.userId ? b : a
			await setRole(winner === a.userId ? a : b, loser.userId, 'owner')
			await setRole(a, b.userId, 'viewer')
		}
	})

	it('remains when two owners step down or leave concurrently', async () => {
		for (let round = 0; round < 10; round += 1) {
			const [a, b] = [app.owner, await app.memberOf('owner')]
			const answers = await Promise.all([setRole(a, a.userId, 'admin'), setRole(b, b.userId, 'admin')])
			expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([200, 'last_owner'])
			const [winner] = await owners()
			if (winner === b.userId) await setRole(b, a.userId, 'owner')
			await setRole(a, b.userId, 'viewer')
		}
	})
})
