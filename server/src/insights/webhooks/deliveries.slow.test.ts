import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { systemClock as clock } from '../../platform/clock.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { until } from '../../platform/jobs/testing.ts'
import { useWebhooks } from './stage.testing.ts'

const day = 24 * 60 * 60 * 1000

describeWithStore('deliveries of webhooks', (store) => {
	const stage = useWebhooks(store)
	const { api, receive, register, addKey, deliveries, newest, get, tryNow } = stage

	it("are retried with the same id and body, and show the receiver's answer", async () => {
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
		// The next attempt was scheduled by a clock that was then set back by an hour.
		const ahead = Date.now() + 3_600_000
		const ofClockAhead = { attempted_at: ahead, next_at: ahead + 5000 }
		await store().db.updateTable('webhook_deliveries').set(ofClockAhead).where('id', '=', first.id).execute()
		await store().db.updateTable('jobs').set({ run_at: 1 }).where('lease_holder', 'is', null).execute()
		await until(async () => (await newest(id)).status === 'delivered')
		const [before, after] = receiver.messages
		expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id'])
		expect(after?.body).toBe(before?.body)
		new Webhook(secret).verify(after?.body ?? '', after?.headers ?? {})
		expect(await get(id)).toMatchObject({ failing_since: null })
	})

	it('are delivered by the status, even if the body of the answer breaks off', async () => {
		const receiver = await receive()
		receiver.answer((response) => {
			response.writeHead(202, { 'content-length': 100 }).write('taken')
			setTimeout(() => response.destroy(), 20)
		})
		const { id } = await register(receiver.url)
		await addKey('broken off')
		await until(async () => (await newest(id))?.attempts === 1)
		const { id: delivery } = await newest(id)
		const { body } = await api('GET', `/v1/webhooks/${id}/deliveries/${delivery}`)
		expect(body).toMatchObject({
			status: 'delivered',
			response_status: 202,
			response_body: 'taken',
			error: null,
		})
	})

	it('wait longer after each failure, and end after the tenth attempt', async () => {
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

	it('wait for as long as the receiver asks, up to a day', async () => {
		const receiver = await receive()
		const { id } = await register(receiver.url)
		let asked = '120'
		receiver.answer((response) => void response.writeHead(429, { 'retry-after': asked }).end())
		await addKey('too fast')
		const waits: number[] = []
		const due = [120, 300, 86_400]
		for (const [at, header] of ['7', '999999', ''].entries()) {
			await until(async () => (await newest(id))?.attempts === at + 1)
			const { attempted_at, next_attempt_at } = await newest(id)
			waits.push((Date.parse(next_attempt_at) - Date.parse(attempted_at)) / 1000)
			asked = header
			if (header) await tryNow()
		}
		for (const [at, wait] of waits.entries()) {
			expect(wait).toBeGreaterThanOrEqual(due[at] as number)
			expect(wait).toBeLessThanOrEqual((due[at] as number) * 1.1)
		}
	})

	it('are turned off when the receiver is gone, with an audit record and an event', async () => {
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
		await addKey('not reported')
		expect((await deliveries(id)).length).toBe(1)
		expect(receiver.messages.length).toBe(count)
		expect((await api('POST', `/v1/webhooks/${id}/test`)).status).toBe(409)
		const on = (await api('PATCH', `/v1/webhooks/${id}`, { enabled: true })).body
		expect(on).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null })
	})

	it('are turned off after five days of failures', async () => {
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

	it('are not delayed by others that do not answer', async () => {
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

	it('do not follow redirects, and do not reach refused addresses', async () => {
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
			// A port of another protocol, to which no web client connects.
			'http://example.org:6667/',
		])
			expect([400, 403]).toContain((await api('POST', '/v1/webhooks', { url, events: ['*'] })).status)
		const inside = await api('PATCH', `/v1/webhooks/${id}`, { url: 'http://192.168.0.1/' })
		expect([inside.status, inside.body.code]).toEqual([403, 'blocked_address'])
	})

	it('end pending deliveries when they are turned off', async () => {
		const receiver = await receive()
		receiver.answer((response) => void response.writeHead(500).end())
		const { id } = await register(receiver.url)
		await addKey('waiting')
		await until(async () => (await newest(id))?.attempts === 1)
		await api('PATCH', `/v1/webhooks/${id}`, { enabled: false })
		expect(await newest(id)).toMatchObject({ status: 'failed', next_attempt_at: null })
	})
})
