import { scopes } from '@signalbox/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../testing.ts'

const hourMs = 3_600_000
const clock = manualClock()

describeWithStore('rotation', (store) => {
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), { clock })
	})
	afterAll(() => app.close())

	const ask = (method: string, path: string, body?: unknown, token = app.owner.token) =>
		app.request(method, path, { token, ...(body !== undefined && { body }) })
	const newKey = async (body: object = {}) =>
		(await ask('POST', '/v1/keys', { name: 'CI', scopes: ['keys:read'], ...body })).body
	const rotate = async (id: string, grace_s?: number) => {
		const answer = await ask('POST', `/v1/keys/${id}/rotate`, grace_s === undefined ? undefined : { grace_s })
		expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
		return answer.body
	}
	const shown = async (id: string) => (await ask('GET', `/v1/keys/${id}`)).body
	const use = async (secret: string, to = app) =>
		(await to.request('GET', '/v1/keys?limit=1', { token: secret })).status
	/** Uses a secret and waits until that is recorded. */
	const useAndSettle = async (id: string, secret: string) => {
		expect(await use(secret)).toBe(200)
		await expect.poll(async () => (await shown(id)).rotation?.state).toBe('grace')
	}
	const advance = async (ms: number) => {
		clock.advance(ms)
		await app.feed.catchUp()
		const again = { email: app.owner.email, password: app.owner.password }
		app.owner.token = (await app.request('POST', '/auth/login', { body: again })).body.token
	}

	it('the old secret stays valid for its grace period after the first use of the new one; then the refusal says why', async () => {
		const { key: old, ...made } = await newKey()
		const { key, ...rotated } = await rotate(made.id, 3600)
		expect(key).not.toBe(old)
		expect(rotated).toEqual({
			...made,
			rotation: {
				state: 'pending',
				prefix: key.slice(0, 15),
				last4: key.slice(-4),
				created_at: new Date(clock.nowMs()).toISOString(),
				old_expires_at: null,
			},
		})
		await advance(30 * 24 * hourMs)
		expect(await use(old)).toBe(200)

		await useAndSettle(made.id, key)
		const old_expires_at = new Date(clock.nowMs() + hourMs).toISOString()
		expect(await shown(made.id)).toMatchObject({
			id: made.id,
			name: made.name,
			scopes: made.scopes,
			last4: key.slice(-4),
			rotation: { state: 'grace', last4: old.slice(-4), old_expires_at },
		})
		expect(await use(old)).toBe(200)
		await advance(hourMs - 1)
		expect(await use(old)).toBe(200)
		await advance(1)
		const ended = await app.request('GET', '/v1/keys', { token: old })
		expect(ended).toMatchObject({
			status: 401,
			body: { detail: 'This secret was rotated. Use the new one.' },
		})
		expect(await use(key)).toBe(200)
		expect((await shown(made.id)).rotation).toBeNull()
	})

	it('the grace period holds across a restart and on other nodes', async () => {
		const { key: old, id } = await newKey()
		const { key } = await rotate(id, 60)
		await useAndSettle(id, key)
		await advance(60_000)
		const other = await startTestApp(store(), { clock, withoutOwner: true })
		try {
			expect(await use(old, other)).toBe(401)
			expect(await use(key, other)).toBe(200)
		} finally {
			await other.close()
		}
	})

	it('a first use on another node starts the grace period everywhere', async () => {
		const other = await startTestApp(store(), { clock, withoutOwner: true })
		try {
			const { key: old, id } = await newKey()
			const { key } = await rotate(id, 0)
			expect(await use(old)).toBe(200)
			expect(await use(key, other)).toBe(200)
			await expect.poll(() => use(old), { timeout: 10_000 }).toBe(401)
			expect(await use(key)).toBe(200)
		} finally {
			await other.close()
		}
	})

	it('a hundred concurrent first uses start one grace period', async () => {
		const { id } = await newKey()
		const { key } = await rotate(id)
		const statuses = await Promise.all(Array.from({ length: 100 }, () => use(key)))
		expect(new Set(statuses)).toEqual(new Set([200]))
		await expect.poll(async () => (await shown(id)).rotation?.state).toBe('grace')
		const records = store().db.selectFrom('audit_log').select('id').where('action', '=', 'keys.activate')
		expect(await records.where('target_id', '=', id).execute()).toHaveLength(1)
	})

	it('the default grace period is a day, and more than 30 days are refused', async () => {
		const { id } = await newKey()
		const { key } = await rotate(id)
		await useAndSettle(id, key)
		const expected = new Date(clock.nowMs() + 24 * hourMs).toISOString()
		expect((await shown(id)).rotation.old_expires_at).toBe(expected)
		for (const grace_s of [-1, 2_592_001, 1.5, '60'])
			expect((await ask('POST', `/v1/keys/${id}/rotate`, { grace_s })).status).toBe(400)
	})

	it('a second rotation replaces the secret that waits', async () => {
		const { key: old, id } = await newKey()
		const first = await rotate(id)
		const second = await rotate(id)
		expect([await use(first.key), await use(old), await use(second.key)]).toEqual([401, 200, 200])
	})

	it('an unused secret can be cancelled, a used one cannot', async () => {
		const { key: old, id } = await newKey()
		const { key } = await rotate(id)
		expect((await ask('DELETE', `/v1/keys/${id}/rotation`)).status).toBe(204)
		expect([await use(key), await use(old)]).toEqual([401, 200])
		expect((await shown(id)).rotation).toBeNull()
		expect((await ask('DELETE', `/v1/keys/${id}/rotation`)).status).toBe(409)
		await useAndSettle(id, (await rotate(id)).key)
		expect((await ask('DELETE', `/v1/keys/${id}/rotation`)).status).toBe(409)
	})

	it('revoking ends every secret', async () => {
		const { key: old, id } = await newKey()
		const { key: middle } = await rotate(id)
		await useAndSettle(id, middle)
		const { key: next } = await rotate(id)
		expect([await use(old), await use(middle)]).toEqual([200, 200])
		expect((await ask('DELETE', `/v1/keys/${id}`)).status).toBe(204)
		expect([await use(old), await use(middle), await use(next)]).toEqual([401, 401, 401])
		expect((await ask('POST', `/v1/keys/${id}/rotate`)).status).toBe(409)
	})

	it('an ingest token rotates in the same way', async () => {
		const made = (await ask('POST', '/v1/ingest-tokens', { name: 'collector' })).body
		const rotated = await ask('POST', `/v1/ingest-tokens/${made.id}/rotate`, { grace_s: 5 })
		expect(rotated.body.token).toMatch(/^it_service_[0-9A-Za-z]{49}$/)
		expect((await ask('GET', `/v1/ingest-tokens/${made.id}`)).body).toMatchObject({
			last4: made.last4,
			rotation: { state: 'pending' },
		})
		expect((await ask('GET', `/v1/keys/${made.id}`)).status).toBe(404)
		expect((await ask('DELETE', `/v1/ingest-tokens/${made.id}/rotation`)).status).toBe(204)
	})

	it('a key can rotate and change only keys whose scopes it has itself', async () => {
		const strong = await newKey({ scopes })
		const clerk = await newKey({ scopes: ['keys:read', 'keys:write'] })
		const weak = await newKey({ scopes: ['keys:read'] })
		const byClerk = (method: string, path: string, body?: unknown) => ask(method, path, body, clerk.key)
		expect(await byClerk('POST', `/v1/keys/${strong.id}/rotate`)).toMatchObject({
			status: 403,
			body: { code: 'forbidden' },
		})
		expect((await byClerk('PATCH', `/v1/keys/${strong.id}`, { expires_at: null })).status).toBe(403)
		expect((await byClerk('PATCH', `/v1/keys/${strong.id}`, { scopes: ['keys:read'] })).status).toBe(403)
		expect((await byClerk('PATCH', `/v1/keys/${weak.id}`, { scopes: ['agents:read'] })).status).toBe(403)
		expect((await byClerk('POST', `/v1/keys/${weak.id}/rotate`)).status).toBe(201)
		expect((await byClerk('PATCH', `/v1/keys/${weak.id}`, { scopes: ['keys:write'] })).status).toBe(200)
	})

	describe('a change of a key', () => {
		it('takes effect at once and is in the audit log', async () => {
			const { key, id } = await newKey()
			const change = { name: 'renamed', scopes: ['agents:read'], expires_at: null }
			const answer = await ask('PATCH', `/v1/keys/${id}`, change)
			expect(answer).toMatchObject({ status: 200, body: change })
			expect(await use(key)).toBe(403)
			const record = await store()
				.db.selectFrom('audit_log')
				.selectAll()
				.where('target_id', '=', id)
				.where('action', '=', 'keys.update')
				.executeTakeFirstOrThrow()
			expect(JSON.parse(record.detail)).toMatchObject({ scopes: ['agents:read'] })
		})

		it('accepts what GET returned, and refuses a read-only field that differs', async () => {
			const { id } = await newKey({ allowed_addresses: ['127.0.0.0/8', '::1'] })
			const document = await shown(id)
			expect((await ask('PATCH', `/v1/keys/${id}`, document)).body).toEqual(document)
			for (const change of [{ last4: 'xxxx' }, { status: 'revoked' }, { agent_uuid: id }, { id: 'x' }])
				expect((await ask('PATCH', `/v1/keys/${id}`, { ...document, ...change })).status).toBe(400)
			expect((await ask('PATCH', `/v1/keys/${id}`, { hash: 'x' })).status).toBe(400)
		})

		it('refuses a past expiry and an empty list of scopes', async () => {
			const { id } = await newKey()
			for (const change of [{ expires_at: '2020-01-01T00:00:00.000Z' }, { scopes: [] }, {}])
				expect((await ask('PATCH', `/v1/keys/${id}`, change)).status).toBe(400)
		})
	})

	describe('allowed addresses', () => {
		it('refuse a call from elsewhere, record that in the audit log, and do not count it as use', async () => {
			const { id, key: old } = await newKey({ allowed_addresses: ['192.0.2.0/24'] })
			const refused = await app.request('GET', '/v1/keys', { token: old })
			expect(refused).toMatchObject({ status: 403, body: { code: 'address_not_allowed' } })
			const { key } = await rotate(id)
			expect(await use(key)).toBe(403)
			expect((await shown(id)).rotation.state).toBe('pending')
			const denials = store().db.selectFrom('audit_log').selectAll().where('actor_id', '=', id)
			expect((await denials.execute()).map(({ detail }) => detail).join()).toContain('may not be used from')
		})

		it('accept a call from a listed address, also if the list contains it as IPv6', async () => {
			const { id, key } = await newKey({ allowed_addresses: ['::ffff:127.0.0.0/104'] })
			expect((await shown(id)).allowed_addresses).toEqual(['127.0.0.0/8'])
			expect(await use(key)).toBe(200)
			await ask('PATCH', `/v1/keys/${id}`, { allowed_addresses: ['2001:db8::/32'] })
			expect(await use(key)).toBe(403)
			await ask('PATCH', `/v1/keys/${id}`, { allowed_addresses: null })
			expect(await use(key)).toBe(200)
		})
	})

	it('lists by status, and in every order with "never" before all times', async () => {
		const person = await app.register()
		const by = (method: string, path: string, body?: unknown) => ask(method, path, body, person.token)
		const make = async (name: string, expires_at?: string) =>
			(await by('POST', '/v1/keys', { name, scopes: ['keys:read'], ...(expires_at && { expires_at }) })).body
		const soon = new Date(clock.nowMs() + 1000).toISOString()
		const later = new Date(clock.nowMs() + 365 * 24 * hourMs).toISOString()
		await make('b', later)
		await make('a')
		await make('c', soon)
		const gone = await make('d')
		await by('DELETE', `/v1/keys/${gone.id}`)
		clock.advance(2000)
		await app.feed.catchUp()
		const names = async (query: string) =>
			(await by('GET', `/v1/keys?${query}`)).body.keys.map((key: { name: string }) => key.name).join('')
		expect(await names('status=active&sort=name&order=asc')).toBe('ab')
		expect(await names('status=expired')).toBe('c')
		expect(await names('status=revoked')).toBe('d')
		expect(await names('sort=name&order=desc')).toBe('dcba')
		expect(await names('sort=expires_at&order=asc&status=active')).toBe('ab')
		expect(await names('sort=expires_at&order=desc')).toMatch(/^bc(ad|da)$/)
		expect((await by('GET', '/v1/keys?sort=hash')).status).toBe(400)
	})
})
