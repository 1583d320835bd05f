import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../testing.ts'

describeWithStore('a request that names its workspace', (store) => {
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store())
	})
	afterAll(() => app.close())

	/** A person with a second workspace, and the cookie of a browser in which the first one was selected. */
	async function browser() {
		const person = await app.register()
		const body = { name: 'Second, Grösse' }
		const second = (await app.request('POST', '/v1/workspaces', { token: app.owner.token, body })).body
		const invitation = { email: person.email, role: 'admin' }
		const switched = await app.request('POST', '/auth/switch', {
			token: app.owner.token,
			body: { workspace_id: second.id },
		})
		const invited = await app.request('POST', `/v1/workspaces/${second.id}/invitations`, {
			token: switched.body.token,
			body: invitation,
		})
		const token = invited.body.link.split('#token=')[1]
		await app.request('POST', '/auth/invitations/accept', { token: person.token, body: { token } })
		const signedIn = await app.request('POST', '/auth/login', {
			body: { email: person.email, password: person.password },
			headers: { 'x-signalbox-dashboard': '1' },
		})
		const cookie = signedIn.headers
			.getSetCookie()
			.map((text) => text.split(';')[0])
			.join('; ')
		const headers = (workspace?: string) => ({
			cookie,
			origin: app.url,
			...(workspace !== undefined && { 'x-signalbox-workspace': workspace }),
		})
		return { person, second, headers }
	}

	it('acts in that one with the cookie that all tabs share, whatever another tab has selected', async () => {
		const { person, second, headers } = await browser()
		const shown = await app.request('GET', '/auth/me', { headers: headers(second.id) })
		expect(shown.body.workspace).toMatchObject({ id: second.id, slug: second.slug, role: 'admin' })
		expect(second.slug).toMatch(/^second-grosse/)
		for (const [workspace, name] of [
			[person.workspaceId, 'of the first'],
			[second.id, 'of the second'],
		] as const) {
			const made = await app.request('POST', '/v1/keys', { headers: headers(workspace), body: { name } })
			expect(made.status).toBe(201)
			const listed = await app.request('GET', '/v1/keys', { headers: headers(workspace) })
			expect(listed.body.keys.map((key: { name: string }) => key.name)).toEqual([name])
		}
	})

	it('is refused if the person is not a member, and so is a change that names none', async () => {
		const { headers } = await browser()
		const foreign = await app.request('POST', '/v1/keys', {
			headers: headers(app.owner.workspaceId),
			body: { name: 'k' },
		})
		expect([foreign.status, foreign.body.code]).toEqual([400, 'workspace_mismatch'])
		const unnamed = await app.request('POST', '/v1/keys', { headers: headers(), body: { name: 'k' } })
		expect([unnamed.status, unnamed.body.code]).toEqual([400, 'workspace_mismatch'])
		expect(unnamed.body.detail).toContain('x-signalbox-workspace')
	})

	it('is refused if its key or token belongs to another workspace', async () => {
		const { second } = await browser()
		const wanted = { name: 'k', scopes: ['keys:read'] }
		const { body } = await app.request('POST', '/v1/keys', { token: app.owner.token, body: wanted })
		for (const token of [body.key, app.owner.token]) {
			const own = { 'x-signalbox-workspace': app.owner.workspaceId }
			expect((await app.request('GET', '/v1/keys', { token, headers: own })).status).toBe(200)
			const other = await app.request('GET', '/v1/keys', {
				token,
				headers: { 'x-signalbox-workspace': second.id },
			})
			expect([other.status, other.body.code]).toEqual([400, 'workspace_mismatch'])
		}
	})
})
