import type { Scope } from '@signalbox/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { newId } from '../../../platform/ids.ts'
import { startTestApp, type TestApp } from '../testing.ts'

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

describeWithStore('a key with limits', (store) => {
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store())
	})
	afterAll(() => app.close())

	const limits = {
		scopes: ['keys:read', 'keys:write', 'proxy:invoke'] satisfies Scope[],
		expires_at: day(7),
		allowed_addresses: ['127.0.0.0/8', '2001:db8::/32'],
	}
	const make = async (body: object, path = '/v1/keys', token = app.owner.token) => {
		const answer = await app.request('POST', path, { token, body: { name: 'k', ...body } })
		if (answer.status !== 201) throw new Error(answer.text)
		return answer.body
	}
	const refused = ({ status, body }: { status: number; body: { code?: string } }) =>
		expect([status, body.code]).toEqual([403, 'forbidden'])

	it('can change its name, but none of its own limits', async () => {
		const { id, key } = await make(limits)
		const change = (body: object) => app.request('PATCH', `/v1/keys/${id}`, { token: key, body })
		const lifts = [
			{ expires_at: null },
			{ expires_at: day(30) },
			{ expires_at: day(1) },
			{ allowed_addresses: null },
			{ allowed_addresses: ['0.0.0.0/0'] },
			{ allowed_addresses: ['127.0.0.1'] },
			{ scopes: ['keys:write'] },
			{ scopes: [...limits.scopes, 'audit:read'] },
		]
		for (const body of lifts) refused(await change(body))
		const named = await change({ name: 'mine', scopes: [...limits.scopes].reverse() })
		expect(named.body).toMatchObject({ name: 'mine', expires_at: limits.expires_at })
		const rotated = await app.request('POST', `/v1/keys/${id}/rotate`, { token: key, body: {} })
		expect(rotated.body).toMatchObject({
			...{ expires_at: limits.expires_at, allowed_addresses: limits.allowed_addresses },
		})
	})

	it('creates nothing less limited than itself, and passes on its own limits by default', async () => {
		const { key } = await make(limits)
		for (const path of ['/v1/keys', '/v1/ingest-tokens']) {
			const scopes = path === '/v1/keys' ? { scopes: ['keys:read'] } : {}
			const create = (body: object) =>
				app.request('POST', path, { token: key, body: { name: 'made', ...scopes, ...body } })
			const wider = [
				{ expires_at: null },
				{ expires_at: day(8) },
				{ allowed_addresses: null },
				{ allowed_addresses: ['10.0.0.1'] },
				{ allowed_addresses: ['127.0.0.1', '10.0.0.1'] },
				{ allowed_addresses: ['126.0.0.0/7'] },
				{ allowed_addresses: ['127.0.0.0/7'] },
				{ allowed_addresses: ['2001:db8::/31'] },
				{ allowed_addresses: ['::/0'] },
			]
			for (const body of wider) refused(await create(body))
			expect((await create({})).body).toMatchObject({
				...{ expires_at: limits.expires_at, allowed_addresses: limits.allowed_addresses },
			})
			const narrower = {
				expires_at: day(6),
				allowed_addresses: ['127.0.0.1', '127.0.0.0/8', '2001:db8:1::/48'],
			}
			expect((await create(narrower)).body).toMatchObject(narrower)
		}
	})

	it('can neither change nor rotate a less limited key, nor lift the limits of another', async () => {
		const { key } = await make(limits)
		const scopes = ['proxy:invoke']
		const free = [
			await make({ scopes }),
			await make({ scopes, expires_at: day(5) }),
			await make({ scopes, allowed_addresses: ['127.0.0.1'] }),
			await make({ scopes: ['audit:read'], expires_at: day(5), allowed_addresses: ['127.0.0.1'] }),
		]
		for (const { id } of free) {
			refused(await app.request('POST', `/v1/keys/${id}/rotate`, { token: key, body: {} }))
			refused(await app.request('PATCH', `/v1/keys/${id}`, { token: key, body: { name: 'mine' } }))
		}
		const token = await make({}, '/v1/ingest-tokens')
		refused(await app.request('POST', `/v1/ingest-tokens/${token.id}/rotate`, { token: key, body: {} }))
		const lesser = await make({ scopes, expires_at: day(5), allowed_addresses: ['127.0.0.1'] })
		const change = (body: object) => app.request('PATCH', `/v1/keys/${lesser.id}`, { token: key, body })
		refused(await change({ expires_at: null }))
		refused(await change({ allowed_addresses: null }))
		expect((await change({ expires_at: day(6), name: 'ours' })).status).toBe(200)
		const rotated = await app.request('POST', `/v1/keys/${lesser.id}/rotate`, { token: key, body: {} })
		expect(rotated.status).toBe(201)
	})

	it('cannot create a second key for calls while a budget or a limit applies to it', async () => {
		const { id, key } = await make({ scopes: limits.scopes })
		const create = (scopes: string[]) =>
			app.request('POST', '/v1/keys', { token: key, body: { name: 'more', scopes } })
		expect((await create(['proxy:invoke'])).status).toBe(201)
		const limit = { id: newId(), workspace_id: app.owner.workspaceId, name: 'l', scope: 'key', scope_id: id }
		const rates = { requests_per_minute: 1, tokens_per_minute: null, concurrency: null }
		const rest = { enabled: 1, created_at: 1, updated_at: 1 }
		await store()
			.db.insertInto('model_limits')
			.values({ ...limit, ...rates, ...rest })
			.execute()
		refused(await create(['proxy:invoke']))
		expect((await create(['keys:read'])).status).toBe(201)
	})

	it('does not restrict people: their role decides', async () => {
		const { id } = await make(limits)
		const free = { expires_at: null, allowed_addresses: null }
		const changed = await app.request('PATCH', `/v1/keys/${id}`, { token: app.owner.token, body: free })
		expect(changed.body).toMatchObject(free)
	})
})
