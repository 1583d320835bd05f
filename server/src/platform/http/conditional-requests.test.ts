import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../../access/grants/testing.ts'
import { describeOnBothDatabases } from '../database/testing.ts'

describeOnBothDatabases('conditional requests', (store) => {
	let app: ControlPlane
	beforeAll(async () => {
		app = await startControlPlane(store())
	})
	afterAll(() => app.close())

	const send = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
		app.request(method, path, { token: app.owner.token, headers, ...(body && { body }) })
	let names = 0
	const newAgent = async () => {
		const { id } = await app.create('/v1/agents', { name: `Conditional ${names++}` })
		const path = `/v1/agents/${id}`
		const read = await send('GET', path)
		return { id, path, etag: read.headers.get('etag') ?? '', body: read.body }
	}

	it('answers 304 to an ETag that still holds, on objects and on lists', async () => {
		const { path, etag } = await newAgent()
		expect(etag).toMatch(/^"[\w.-]+"$/)
		for (const target of [path, '/v1/agents?limit=1', '/agent/list']) {
			const first = await send('GET', target)
			const known = first.headers.get('etag') as string
			const again = await send('GET', target, { 'if-none-match': known })
			expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', known])
			const head = await send('HEAD', target)
			expect([head.status, head.headers.get('etag')]).toEqual([200, known])
		}
		await send('PATCH', path, {}, { description: 'changed' })
		expect((await send('GET', path, { 'if-none-match': etag })).status).toBe(200)
	})

	it('changes and deletes only objects that match If-Match', async () => {
		const { path, etag, body } = await newAgent()
		const changed = await send('PATCH', path, { 'if-match': etag }, { ...body, description: 'one' })
		expect(changed.status).toBe(200)
		const present = (await send('GET', path)).headers.get('etag')
		expect(changed.headers.get('etag')).toBe(present)
		const stale = await send('PATCH', path, { 'if-match': etag }, { description: 'two' })
		expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
		expect((await send('DELETE', path, { 'if-match': etag })).status).toBe(412)
		expect((await send('GET', path)).body.description).toBe('one')
		expect((await send('DELETE', path, { 'if-match': `"x", ${present}` })).status).toBe(204)
		expect((await send('DELETE', path, { 'if-match': '*' })).status).toBe(404)
	})

	it('ignores fields that change by themselves', async () => {
		const { id, path, etag } = await newAgent()
		await store().db.updateTable('agents').set({ last_seen_at: 1 }).where('id', '=', id).execute()
		expect((await send('GET', path)).headers.get('etag')).not.toBe(etag)
		expect((await send('PATCH', path, { 'if-match': etag }, { description: 'x' })).status).toBe(200)
	})

	it('accepts only one of many simultaneous changes', async () => {
		const { path, etag } = await newAgent()
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_, index) =>
				send('PATCH', path, { 'if-match': etag }, { description: `change ${index}` }),
			),
		)
		const statuses = answers.map(({ status }) => status).sort()
		expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 412)])
	})

	it('lets no unconditional change slip between the read and the write of a conditional one', async () => {
		for (let round = 0; round < 10; round += 1) {
			const { path, etag } = await newAgent()
			const [named, described] = await Promise.all([
				send('PATCH', path, {}, { name: `Renamed ${names++}` }),
				send('PATCH', path, { 'if-match': etag }, { description: 'mine' }),
			])
			expect(named.status).toBe(200)
			const now = (await send('GET', path)).body
			expect(now.name).toMatch(/^Renamed/)
			expect(now.description).toBe(described.status === 200 ? 'mine' : '')
		}
	})

	it('refuses If-Match where it is not supported', async () => {
		const answer = await send('DELETE', '/auth/sessions/x', { 'if-match': '"x"' })
		expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
	})
})
