import { scopes } from '@signalbox/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { hasFormOf } from '../events/testing.ts'
import { startTestApp, type TestApp } from '../identity/testing.ts'
import { systemClock as clock } from '../platform/clock.ts'
import { describeOnBothDatabases } from '../platform/database/testing.ts'
import { until } from '../platform/jobs/testing.ts'
import { createSafeFetch } from '../platform/safe-fetch.ts'
import { openWebhooks } from './index.ts'
import { type Receiver, startReceiver } from './testing.ts'

const day = 24 * 60 * 60 * 1000

describeOnBothDatabases('webhooks', (store) => {
	const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
	const receivers: Receiver[] = []
	let app: TestApp
	let key = ''
	beforeAll(async () => {
		app = await startTestApp(store(), { open: (core) => openWebhooks({ ...core, safeFetch }) })
		const body = { name: 'all', scopes: [...scopes] }
		key = (await app.request('POST', '/v1/keys', { token: app.owner.token, body })).body.key
		app.jobs.start()
	})
	afterEach(async () => {
		const { body } = await api('GET', '/v1/webhooks?limit=100')
		for (const { id } of body.webhooks) await api('DELETE', `/v1/webhooks/${id}`)
		await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
	})
	afterAll(async () => {
		await app.close()
		await safeFetch.close()
	})

	const api = (method: string, path: string, body?: object) =>
		app.request(method, path, { token: key, ...(body && { body }) })
	const receive = async () => {
		const receiver = await startReceiver()
		receivers.push(receiver)
		return receiver
	}
	const register = async (url: string, events = ['keys.*', 'webhook.test']) => {
		const { status, body, text } = await api('POST', '/v1/webhooks', { url, events })
		if (status !== 201) throw new Error(text)
		return body as { id: string; secret: string }
	}
	const addKey = (name: string) => api('POST', '/v1/keys', { name })
	const deliveries = async (id: string, query = '') =>
		(await api('GET', `/v1/webhooks/${id}/deliveries${query}`)).body.deliveries
	const newest = async (id: string) => (await deliveries(id))[0]
	const get = async (id: string) => (await api('GET', `/v1/webhooks/${id}`)).body
	/** As if the time until the next attempt had passed. */
	const makeDue = () =>
		store().db.updateTable('webhook_deliveries').set({ next_at: 1 }).where('status', '=', 'pending').execute()
	const tryNow = async () => {
		await makeDue()
		await store().db.updateTable('jobs').set({ run_at: 1 }).where('lease_holder', 'is', null).execute()
	}

	it('deliver what was asked for, signed so that the public library accepts it', async () => {
		const receiver = await receive()
		const { secret, id } = await register(receiver.url, ['keys.create'])
		await api('POST', '/v1/ingest-tokens', { name: 'not asked for' })
		await addKey('told')
		await until(() => receiver.messages.length > 0)
		const [message] = receiver.messages
		const read = new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {}) as {
			type: string
			timestamp: string
			data: { target: { name: string } }
		}
		expect([read.type, read.data.target.name]).toEqual(['keys.create', 'told'])
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

	it('show the secret once, and keep it sealed', async () => {
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

	it('give another origin a new secret, and another path of the same none', async () => {
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

	it('try again later with the same id and body, and show what the receiver said', async () => {
		const receiver = await receive()
		receiver.answer((response) => void response.writeHead(500).end(`sorry\0${'x'.repeat(5000)}`))
		const { id, secret } = await register(receiver.url)
		await addKey('again')
		await until(async () => (await newest(id))?.attempts === 1)
		const first = await newest(id)
		expect(first).toMatchObject({ status: 'pending', response_status: 500, error: 'It answered 500.' })
		const waitMs = Date.parse(first.next_attempt_at) - Date.parse(first.attempted_at)
		expect(waitMs).toBeGreaterThanOrEqual(5000)
		expect(waitMs).toBeLessThanOrEqual(5500)
		expect((await get(id)).failing_since).not.toBeNull()
		const detail = (await api('GET', `/v1/webhooks/${id}/deliveries/${first.id}`)).body
		expect([detail.response_body.slice(0, 6), detail.response_body.length]).toEqual(['sorry\uFFFD', 1024])
		expect(detail.body).toBe(receiver.messages[0]?.body)
		receiver.answer((response) => void response.writeHead(200).end())
		await tryNow()
		await until(async () => (await newest(id)).status === 'delivered')
		const [before, after] = receiver.messages
		expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id'])
		expect(after?.body).toBe(before?.body)
		new Webhook(secret).verify(after?.body ?? '', after?.headers ?? {})
		expect(await get(id)).toMatchObject({ failing_since: null })
	})

	it('wait longer after each failure, and give up after the tenth attempt', async () => {
		const receiver = await receive()
		receiver.answer((response) => void response.writeHead(503).end())
		const { id } = await register(receiver.url)
		await addKey('hopeless')
		const waits: number[] = []
		for (let attempt = 1; attempt <= 10; attempt += 1) {
			await until(async () => (await newest(id))?.attempts === attempt)
			const { attempted_at, next_attempt_at, status } = await newest(id)
			if (next_attempt_at) waits.push((Date.parse(next_attempt_at) - Date.parse(attempted_at)) / 1000)
			expect(status).toBe(attempt === 10 ? 'failed' : 'pending')
			if (attempt < 10) await tryNow()
		}
		const minutes = [1 / 12, 5, 30, 120, 300, 600, 840, 1200, 1440]
		for (const [index, wait] of waits.entries()) {
			expect(wait).toBeGreaterThanOrEqual((minutes[index] as number) * 60)
			expect(wait).toBeLessThanOrEqual((minutes[index] as number) * 60 * 1.1)
		}
		expect(waits).toHaveLength(9)
		expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
	}, 60_000)

	it('are turned off when the receiver is gone, with a record and an event', async () => {
		const receiver = await receive()
		receiver.answer((response) => void response.writeHead(410).end())
		const other = await receive()
		await register(other.url, ['webhooks.disable'])
		const { id } = await register(receiver.url)
		await addKey('gone')
		await until(async () => !(await get(id)).enabled)
		expect(await get(id)).toMatchObject({ disabled_reason: 'its receiver answered 410 Gone' })
		expect((await newest(id)).status).toBe('failed')
		const { body } = await api('GET', '/v1/audit?action=webhooks.disable&limit=1')
		expect(body.audit[0]).toMatchObject({ actor: { kind: 'system' }, target: { id } })
		await until(() => other.messages.length === 1)
		const count = receiver.messages.length
		await addKey('not told')
		expect((await deliveries(id)).length).toBe(1)
		expect(receiver.messages.length).toBe(count)
		expect((await api('POST', `/v1/webhooks/${id}/test`)).status).toBe(409)
		const on = (await api('PATCH', `/v1/webhooks/${id}`, { enabled: true })).body
		expect(on).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null })
	})

	it('are turned off after five days of failure', async () => {
		const receiver = await receive()
		receiver.answer((response) => void response.writeHead(500).end())
		const { id } = await register(receiver.url)
		await addKey('first')
		await until(async () => (await get(id)).failing_since !== null)
		const since = { failing_since: clock.nowMs() - 5 * day + 60_000 }
		await store().db.updateTable('webhooks').set(since).where('id', '=', id).execute()
		await addKey('second')
		await until(async () => (await newest(id)).attempts === 1)
		expect((await get(id)).enabled).toBe(true)
		const longer = { failing_since: clock.nowMs() - 5 * day }
		await store().db.updateTable('webhooks').set(longer).where('id', '=', id).execute()
		await addKey('third')
		await until(async () => !(await get(id)).enabled)
		expect((await get(id)).disabled_reason).toBe('its receiver has failed for five days')
		expect((await deliveries(id, '?status=pending')).length).toBe(0)
	})

	it('are not held up by others that do not answer', async () => {
		const dead = await Promise.all(Array.from({ length: 6 }, receive))
		for (const receiver of dead) receiver.answer(() => {})
		for (const receiver of dead) await register(receiver.url)
		const alive = await receive()
		await register(alive.url)
		for (let count = 0; count < 20; count += 1) await addKey(`n${count}`)
		const startedMs = performance.now()
		await until(() => alive.messages.length === 20)
		expect(performance.now() - startedMs).toBeLessThan(6000)
	})

	it('can be tried out, and sent again under the same id', async () => {
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
		await until(async () => (await newest(id)).status === 'delivered')
		expect(await deliveries(id)).toHaveLength(2)
	})

	it('list their deliveries page by page', async () => {
		const receiver = await receive()
		const { id } = await register(receiver.url)
		for (const name of ['a', 'b', 'c']) await addKey(name)
		await until(() => receiver.messages.length === 3)
		await until(async () => (await deliveries(id, '?status=delivered')).length === 3)
		const seen: string[] = []
		for (let query = '?limit=1'; ; ) {
			const { body } = await api('GET', `/v1/webhooks/${id}/deliveries${query}`)
			seen.push(...body.deliveries.map((one: { id: string }) => one.id))
			if (body.next_cursor === null) break
			query = `?limit=1&cursor=${body.next_cursor}`
		}
		expect(seen).toEqual((await deliveries(id)).map((one: { id: string }) => one.id))
		expect((await api('GET', `/v1/webhooks/${id}/deliveries?cursor=x`)).status).toBe(400)
	})

	it('do not follow redirects, and do not reach addresses that are refused', async () => {
		const [receiver, target] = [await receive(), await receive()]
		receiver.answer((response) => void response.writeHead(307, { location: target.url }).end())
		const { id } = await register(receiver.url)
		await addKey('redirected')
		await until(async () => (await newest(id))?.attempts === 1)
		expect((await newest(id)).error).toContain('redirected')
		expect(target.messages).toEqual([])
		for (const url of [
			'http://169.254.169.254/x',
			'http://10.0.0.1/',
			'ftp://example.org/',
			'http://u:p@example.org/',
		])
			expect([400, 403]).toContain((await api('POST', '/v1/webhooks', { url, events: ['*'] })).status)
		const inside = await api('PATCH', `/v1/webhooks/${id}`, { url: 'http://192.168.0.1/' })
		expect([inside.status, inside.body.code]).toEqual([403, 'blocked_address'])
	})

	it('tell nobody what their maker could not read', async () => {
		const wanted = ['webhooks:read', 'webhooks:write', 'agents:read']
		const { body } = await api('POST', '/v1/keys', { name: 'narrow', scopes: wanted })
		const make = (events: string[]) =>
			app.request('POST', '/v1/webhooks', { token: body.key, body: { url: 'http://127.0.0.1:9/', events } })
		expect((await make(['agents.*', 'webhook.test'])).status).toBe(201)
		for (const events of [['*'], ['auth.login'], ['agents.pause', 'keys.*']]) {
			const refused = await make(events)
			expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
		}
		const theirs = await register('http://127.0.0.1:9/', ['keys.create'])
		const moved = await app.request('PATCH', `/v1/webhooks/${theirs.id}`, {
			token: body.key,
			body: { url: 'http://127.0.0.1:10/' },
		})
		expect(moved.status).toBe(403)
		const member = await app.memberOf('member')
		expect((await app.request('GET', '/v1/webhooks', { token: member.token })).status).toBe(403)
	})

	it('take back what GET returned, and refuse changed read-only fields and unknown types', async () => {
		const receiver = await receive()
		const { id } = await register(receiver.url)
		const path = `/v1/webhooks/${id}`
		expect((await api('PATCH', path, await get(id))).status).toBe(200)
		expect((await api('PATCH', path, { created_at: '2020-01-01T00:00:00.000Z' })).status).toBe(400)
		expect((await api('PATCH', path, { events: ['keys.fly'] })).status).toBe(400)
		expect((await api('PATCH', path, { events: ['call.finished'] })).status).toBe(400)
	})

	it('end what waits when they are turned off', async () => {
		const receiver = await receive()
		receiver.answer((response) => void response.writeHead(500).end())
		const { id } = await register(receiver.url)
		await addKey('waiting')
		await until(async () => (await newest(id))?.attempts === 1)
		await api('PATCH', `/v1/webhooks/${id}`, { enabled: false })
		expect(await newest(id)).toMatchObject({ status: 'failed', next_attempt_at: null })
	})
})
