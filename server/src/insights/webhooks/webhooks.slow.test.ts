import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { hasFormOf } from '../../accounts/events/testing.ts'
import { systemClock as clock } from '../../platform/clock.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { until } from '../../platform/jobs/testing.ts'
import { useWebhooks } from './stage.testing.ts'

const day = 24 * 60 * 60 * 1000

describeWithStore('webhooks', (store) => {
	const stage = useWebhooks(store)
	const { api, receive, register, addKey, deliveries, newest, get } = stage

	it('deliver the selected events, with signatures that the public library accepts', async () => {
		const receiver = await receive()
		const { secret, id } = await register(receiver.url, ['keys.create'])
		await api('POST', '/v1/ingest-tokens', { name: 'not asked for' })
		await addKey('reported')
		await until(() => receiver.messages.length > 0)
		const [message] = receiver.messages
		const read = new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {}) as {
			type: string
			timestamp: string
			data: { target: { name: string } }
		}
		expect([read.type, read.data.target.name]).toEqual(['keys.create', 'reported'])
		expect(Object.keys(read)).toEqual(['type', 'timestamp', 'data'])
		expect(hasFormOf(read.type, read.data)).toBe(true)
		expect(message?.headers['content-type']).toBe('application/json')
		await until(async () => (await newest(id)).status === 'delivered')
		expect(await deliveries(id)).toEqual([
			{
				id: expect.any(String),
				event_id: message?.headers['webhook-id'],
				type: 'keys.create',
				status: 'delivered',
				attempts: 1,
				created_at: expect.any(String),
				attempted_at: expect.any(String),
				next_attempt_at: null,
				response_status: 204,
				duration_ms: expect.any(Number),
				error: null,
			},
		])
		expect(receiver.messages).toHaveLength(1)
	})

	it('show the secret once, and store it sealed', async () => {
		const receiver = await receive()
		const made = await register(receiver.url)
		expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
		const shown = [await get(made.id), (await api('GET', '/v1/webhooks')).body]
		expect(JSON.stringify(shown)).not.toContain(made.secret)
		const stored = await store().db.selectFrom('webhooks').selectAll().execute()
		expect(JSON.stringify(stored)).not.toContain(made.secret.slice(6))
		const { body } = await api('GET', '/v1/audit?action=webhooks.*')
		expect(JSON.stringify(body)).not.toContain('/hook')
	})

	it('sign with both secrets for a day after a rotation', async () => {
		const receiver = await receive()
		const old = await register(receiver.url)
		const fresh = (await api('POST', `/v1/webhooks/${old.id}/rotate-secret`)).body
		expect(fresh.secret).not.toBe(old.secret)
		expect(Date.parse(fresh.old_secret_expires_at) - clock.nowMs()).toBeGreaterThan(day - 60_000)
		await addKey('both')
		await until(() => receiver.messages.length === 1)
		const [first] = receiver.messages
		for (const { secret } of [old, fresh])
			expect(() => new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {})).not.toThrow()
		const expired = { previous_expires_at: clock.nowMs() - 1 }
		await store().db.updateTable('webhooks').set(expired).where('id', '=', old.id).execute()
		await addKey('one')
		await until(() => receiver.messages.length === 2)
		const second = receiver.messages[1]
		expect(() => new Webhook(old.secret).verify(second?.body ?? '', second?.headers ?? {})).toThrow()
		new Webhook(fresh.secret).verify(second?.body ?? '', second?.headers ?? {})
	})

	it('get a new secret for another origin, but not for another path of the same', async () => {
		const [here, there] = [await receive(), await receive()]
		const { id, secret } = await register(here.url)
		const path = `/v1/webhooks/${id}`
		expect((await api('PATCH', path, { url: `${here.url}/other` })).body.secret).toBeUndefined()
		const moved = (await api('PATCH', path, { url: there.url })).body
		expect(moved.secret).not.toBe(secret)
		await addKey('moved')
		await until(() => there.messages.length === 1)
		const [message] = there.messages
		new Webhook(moved.secret).verify(message?.body ?? '', message?.headers ?? {})
		expect(here.messages).toEqual([])
	})

	it('can be tested, and deliveries sent again under the same id', async () => {
		const receiver = await receive()
		const { id } = await register(receiver.url, ['agents.*'])
		const test = await api('POST', `/v1/webhooks/${id}/test`)
		expect([test.status, test.body.type, test.body.status]).toEqual([201, 'webhook.test', 'pending'])
		await until(() => receiver.messages.length === 1)
		expect(JSON.parse(receiver.messages[0]?.body ?? '').data).toEqual({ webhook_id: id })
		await until(async () => (await newest(id)).status === 'delivered')
		const again = await api('POST', `/v1/webhooks/${id}/deliveries/${test.body.id}/replay`)
		expect([again.status, again.body.event_id]).toEqual([201, test.body.event_id])
		await until(() => receiver.messages.length === 2)
		expect(receiver.messages[1]?.body).toBe(receiver.messages[0]?.body)
		expect(receiver.messages[1]?.headers['webhook-id']).toBe(test.body.event_id)
		for (const [at, answer] of [test, again].entries())
			expect(receiver.messages[at]?.headers.traceparent).toBe(answer.headers.get('traceparent'))
		await until(async () => (await newest(id)).status === 'delivered')
		expect(await deliveries(id)).toHaveLength(2)
	})

	it('deliver nothing that their creator could not read', async () => {
		const wanted = ['webhooks:read', 'webhooks:write', 'agents:read']
		const { body } = await api('POST', '/v1/keys', { name: 'narrow', scopes: wanted })
		const make = (events: string[]) =>
			stage.app.request('POST', '/v1/webhooks', {
				token: body.key,
				body: { url: 'http://127.0.0.1:2/', events },
			})
		expect((await make(['agents.*', 'webhook.test'])).status).toBe(201)
		for (const events of [['*'], ['auth.login'], ['agents.pause', 'keys.*']]) {
			const refused = await make(events)
			expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
		}
		const theirs = await register('http://127.0.0.1:2/', ['keys.create'])
		const moved = await stage.app.request('PATCH', `/v1/webhooks/${theirs.id}`, {
			token: body.key,
			body: { url: 'http://127.0.0.1:10/' },
		})
		expect(moved.status).toBe(403)
		const member = await stage.app.memberOf('member')
		expect((await stage.app.request('GET', '/v1/webhooks', { token: member.token })).status).toBe(403)
	})

	it('accept what GET returned, and refuse changed read-only fields and unknown types', async () => {
		const receiver = await receive()
		const { id } = await register(receiver.url)
		const path = `/v1/webhooks/${id}`
		expect((await api('PATCH', path, await get(id))).status).toBe(200)
		expect((await api('PATCH', path, { created_at: '2020-01-01T00:00:00.000Z' })).status).toBe(400)
		expect((await api('PATCH', path, { events: ['keys.fly'] })).status).toBe(400)
		expect((await api('PATCH', path, { events: ['call.finished'] })).status).toBe(400)
	})
})
