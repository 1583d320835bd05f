import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../platform/database/testing.ts'
import { verifyAudit } from '../audit/audit.ts'
import { startTestApp, type TestApp } from './testing.ts'

describeWithStore('the audit trail', (store) => {
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store())
		for (const name of ['a', 'b', 'c', 'd', 'e']) await addKey(name)
	})
	afterAll(() => app.close())

	const addKey = (name: string) => app.request('POST', '/v1/keys', { token: app.owner.token, body: { name } })
	const page = (query: string, token = app.owner.token) => app.request('GET', `/v1/audit?${query}`, { token })
	const namesOf = (answer: { body: { audit: { target: { name: string } | null }[] } }) =>
		answer.body.audit.map(({ target }) => target?.name)

	it('lists who changed what, newest first', async () => {
		const { body } = await page('limit=2')
		expect(body.audit[0]).toEqual({
			id: expect.any(String),
			at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
			actor: { kind: 'user', id: app.owner.userId, name: app.owner.email },
			action: 'keys.create',
			target: { kind: 'key', id: expect.any(String), name: 'e' },
			detail: { scopes: expect.any(Array), agent_uuid: null, allowed_addresses: null, expires_at: null },
			request_id: expect.any(String),
		})
		expect(namesOf({ body })).toEqual(['e', 'd'])
	})

	it('pages without gaps or repeats while records arrive', async () => {
		const first = await page('limit=2')
		await addKey('late')
		const second = await page(`limit=2&cursor=${first.body.next_cursor}`)
		const rest = await page(`limit=100&cursor=${second.body.next_cursor}`)
		expect([...namesOf(first), ...namesOf(second), namesOf(rest)[0]]).toEqual(['e', 'd', 'c', 'b', 'a'])
		expect(rest.body.audit.at(-1).action).toBe('auth.setup')
		expect(rest.body.next_cursor).toBe(null)
	})

	it('refuses a cursor that was not issued to this workspace', async () => {
		const { body } = await page('limit=1')
		const stranger = await app.register()
		const cursor = body.next_cursor as string
		const middle = Math.floor(cursor.length / 2)
		const changed = cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1)
		const answers = [
			await page('cursor=5'),
			await page(`cursor=${changed}`),
			await page(`cursor=${cursor}`, stranger.token),
		]
		for (const { status, body } of answers) expect([status, body.errors[0].pointer]).toEqual([400, '/cursor'])
	})

	it('shows a workspace only its own records, and only to admins', async () => {
		const stranger = await app.register()
		expect(
			(await page('limit=100', stranger.token)).body.audit.map(({ action }: { action: string }) => action),
		).toEqual(['auth.register'])
		const member = await app.memberOf('member')
		expect((await page('limit=1', member.token)).status).toBe(403)
		expect((await page('limit=1')).body.audit[0]).toMatchObject({
			action: 'denied',
			actor: { name: member.email },
			detail: { operation: 'audit.list' },
		})
	})

	it('stays intact when denials and changes occur concurrently', async () => {
		const viewer = await app.memberOf('viewer')
		const denied = () => app.request('POST', '/v1/keys', { token: viewer.token, body: { name: 'x' } })
		const answers = await Promise.all(
			Array.from({ length: 30 }, (_, index) => (index % 2 ? denied() : addKey(`n${index}`))),
		)
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 403]))
		expect(await verifyAudit(store(), app.sealer)).toMatchObject({ intact: true })
		const newest = await page('limit=30')
		const actions = newest.body.audit.map(({ action }: { action: string }) => action).sort()
		expect(actions).toEqual([...Array(15).fill('denied'), ...Array(15).fill('keys.create')])
	})
})
