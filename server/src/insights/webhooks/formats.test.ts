import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Approvals, openApprovals } from '../../access/approvals/approvals.ts'
import { addTargets, newCall } from '../../access/approvals/stage.testing.ts'
import { appendEvent } from '../../accounts/events/events.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../accounts/identity/testing.ts'
import { lockNumbering } from '../../platform/changes.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { createSafeFetch } from '../../platform/safe-fetch.ts'
import { type Receiver, startReceiver } from './testing.ts'
import { openWebhooks } from './webhooks.ts'

const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5'
const firing = {
	alert: { id: '019a0000-0000-7000-8000-000000000001', name: 'Errors <all>' },
	...{
		kind: 'question',
		status: 'firing',
		value: 12,
		text: '12 errors & more',
		since: '2026-11-22T10:00:00.000Z',
	},
	...{ url: 'http://signalbox.example/ui/w/x/spotlight', transition_id: null },
}

describeOnBothDatabases('webhooks with the formats of chats and pagers', (store) => {
	const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
	let app: TestApp
	let approvals: Approvals
	let receiver: Receiver
	let ids: { agentId: string; serverId: string; workspaceId: string }
	beforeAll(async () => {
		receiver = await startReceiver()
		app = await startTestApp(store(), {
			open: (core) => {
				approvals = openApprovals(core)
				const webhooks = openWebhooks({
					...core,
					safeFetch,
					publicAddress: () => 'http://signalbox.example',
					memberOf: core.identity.memberOf,
					decideApproval: (...of) => approvals.decideAs(...of),
				})
				return { operations: [...approvals.operations, ...webhooks.operations], routes: webhooks.routes }
			},
		})
		app.jobs.start()
		const { workspaceId } = app.owner
		ids = { workspaceId, ...(await addTargets(store(), workspaceId, Date.now())) }
	})
	afterAll(async () => {
		await app.close()
		await safeFetch.close()
		await receiver.close()
	})

	const api = (method: string, path: string, body?: object) =>
		app.request(method, path, { token: app.owner.token, ...(body && { body }) })
	const emit = (type: string, data: Record<string, unknown>) =>
		app.mutate((tx) => appendEvent(tx, { workspaceId: app.owner.workspaceId, type, data }, app.clock))
	/** The message that a webhook of a format receives for an event. */
	const sent = async (body: object, type: string, data: Record<string, unknown>) => {
		const made = await api('POST', '/v1/webhooks', { url: receiver.url, events: ['alert.*'], ...body })
		expect(made.status, made.text).toBe(201)
		const before = receiver.messages.length
		await emit(type, data)
		await expect.poll(() => receiver.messages.length, { timeout: 10_000 }).toBe(before + 1)
		await api('DELETE', `/v1/webhooks/${made.body.id}`)
		return { webhook: made.body, ...JSON.parse(receiver.messages.at(-1)?.body ?? '{}') }
	}

	it('Slack gets blocks, with its markup characters escaped', async () => {
		const { webhook, text, blocks } = await sent({ format: 'slack' }, 'alert.firing', firing)
		expect(text).toBe('Alert: Errors &lt;all&gt;')
		expect(blocks).toEqual([
			{
				type: 'section',
				text: {
					type: 'mrkdwn',
					text: `*<${firing.url}|Alert: Errors &lt;all&gt;>*\n12 errors &amp; more`,
				},
			},
		])
		expect(webhook.url).toBe(`${new URL(receiver.url).origin}/`)
		expect(webhook.secret).toBeUndefined()
		const row = await store().db.selectFrom('webhooks').selectAll().execute()
		expect(JSON.stringify(row)).not.toContain('/hook')
	})

	it('a chat that moves to another channel stays on when the old one says that it is gone', async () => {
		let gone = () => {}
		receiver.answer((response) => {
			gone = () => void response.writeHead(410).end()
		})
		const before = receiver.messages.length
		const { body } = await api('POST', '/v1/webhooks', {
			url: receiver.url,
			events: ['alert.*'],
			format: 'slack',
		})
		await emit('alert.firing', firing)
		await expect.poll(() => receiver.messages.length, { timeout: 10_000 }).toBe(before + 1)
		await api('PATCH', `/v1/webhooks/${body.id}`, { url: `${receiver.url}/new` })
		gone()
		receiver.answer((response) => void response.writeHead(204).end())
		const attempts = async () =>
			(await api('GET', `/v1/webhooks/${body.id}/deliveries`)).body.deliveries[0].attempts
		await expect.poll(attempts, { timeout: 10_000 }).toBe(1)
		expect((await api('GET', `/v1/webhooks/${body.id}`)).body).toMatchObject({ enabled: true })
		await api('DELETE', `/v1/webhooks/${body.id}`)
	})

	it.each(['deleted', 'turned off'])(
		'a webhook is %s while another change queues a delivery for it',
		async (how) => {
			const { body } = await api('POST', '/v1/webhooks', { url: receiver.url, events: ['alert.*'] })
			let gone = () => {}
			receiver.answer((response) => {
				gone = () => void response.writeHead(410).end()
			})
			const before = receiver.messages.length
			if (how === 'turned off') await emit('alert.firing', firing)
			await expect
				.poll(() => receiver.messages.length, { timeout: 10_000 })
				.toBe(before + Number(how === 'turned off'))
			let deleted: Promise<unknown> | undefined
			await app.mutate(async (tx) => {
				await lockNumbering(tx)
				if (how === 'deleted') deleted = api('DELETE', `/v1/webhooks/${body.id}`)
				gone()
				await new Promise((done) => setTimeout(done, 300))
				await appendEvent(
					tx,
					{ workspaceId: app.owner.workspaceId, type: 'alert.firing', data: firing },
					app.clock,
				)
			})
			const shown = async () => (await api('GET', `/v1/webhooks/${body.id}`)).body.disabled_reason
			if (how === 'deleted') expect(await deleted).toMatchObject({ status: 204 })
			else await expect.poll(shown, { timeout: 10_000 }).toContain('410')
			receiver.answer((response) => void response.writeHead(204).end())
			await api('DELETE', `/v1/webhooks/${body.id}`)
		},
	)

	it('Teams gets an adaptive card, PagerDuty an event of its incident, Discord an embed', async () => {
		const teams = await sent({ format: 'teams' }, 'alert.resolved', firing)
		expect(teams).toMatchObject({
			type: 'message',
			attachments: [
				{
					contentType: 'application/vnd.microsoft.card.adaptive',
					content: {
						type: 'AdaptiveCard',
						body: [{ type: 'TextBlock', text: 'Resolved: Errors <all>' }, { type: 'TextBlock' }],
						actions: [{ type: 'Action.OpenUrl', url: firing.url }],
					},
				},
			],
		})
		const pager = { format: 'pagerduty', routing_key: 'R0UT1NGKEY' }
		const trigger = await sent(pager, 'alert.firing', firing)
		expect(trigger).toMatchObject({
			routing_key: 'R0UT1NGKEY',
			event_action: 'trigger',
			payload: { summary: 'Alert: Errors <all>', severity: 'error', source: 'signalbox.example' },
		})
		const resolve = await sent(pager, 'alert.resolved', firing)
		expect(resolve).toMatchObject({ event_action: 'resolve', dedup_key: trigger.dedup_key })
		expect((await sent(pager, 'alert.test', firing)).dedup_key).toBeUndefined()
		const discord = await sent({ format: 'discord' }, 'alert.firing', firing)
		expect(discord).toMatchObject({
			allowed_mentions: { parse: [] },
			embeds: [{ title: 'Alert: Errors <all>', description: '12 errors & more', url: firing.url }],
		})
	})

	it('a notice of an alert waits for an earlier one of the same alert that must be sent again', async () => {
		const pager = { url: receiver.url, events: ['alert.*'], format: 'pagerduty', routing_key: 'R0UT1NGKEY' }
		const { body: webhook } = await api('POST', '/v1/webhooks', pager)
		const waiting = async () =>
			(await api('GET', `/v1/webhooks/${webhook.id}/deliveries`)).body.deliveries.map(
				(one: { attempts: number; next_attempt_at: string }) => [one.attempts, one.next_attempt_at],
			)
		const before = receiver.messages.length
		receiver.answer((response) => void response.writeHead(503).end())
		await emit('alert.firing', firing)
		await expect.poll(async () => (await waiting())[0]?.[0], { timeout: 10_000 }).toBe(1)
		const again = (await waiting())[0][1]
		await emit('alert.resolved', firing)
		await expect.poll(waiting, { timeout: 4000 }).toEqual([
			[0, again],
			[1, again],
		])
		receiver.answer((response) => void response.writeHead(204).end())
		await store().db.updateTable('webhook_deliveries').set({ next_at: 1 }).where('attempts', '<', 2).execute()
		await store().db.updateTable('jobs').set({ run_at: 1 }).where('lease_holder', 'is', null).execute()
		await expect.poll(() => receiver.messages.length, { timeout: 10_000 }).toBe(before + 3)
		const actions = receiver.messages.slice(before).map(({ body }) => JSON.parse(body).event_action)
		expect(actions).toEqual(['trigger', 'trigger', 'resolve'])
		await api('DELETE', `/v1/webhooks/${webhook.id}`)
	})

	it('one definition is not several, and a long text is not cut within a character', async () => {
		const changed = { server: { id: ids.serverId, name: `${'x'.repeat(248)}😀` }, tools: ['echo'], count: 1 }
		const events = ['tool.*']
		const { embeds } = await sent({ format: 'discord', events }, 'tool.definition_changed', {
			...changed,
			server: { ...changed.server, name: 'Files' },
		})
		expect(embeds[0]).toMatchObject({
			title: 'Files: 1 tool definition changed',
			description: 'Open the server to compare and approve it.',
		})
		const approved = await sent({ format: 'discord', events }, 'tool.approved', { ...changed, count: 2 })
		expect(approved.embeds[0].description).toBe('Open the server to see them.')
		const { text } = await sent({ format: 'slack', events }, 'tool.definition_changed', changed)
		expect(text).toBe(`${'x'.repeat(248)}\uFFFD…`)
	})

	it('the delivery log shows no routing key, and settings of one product are refused for the others', async () => {
		const pager = { url: receiver.url, format: 'pagerduty', events: ['alert.*'] }
		expect((await api('POST', '/v1/webhooks', pager)).body.errors[0].pointer).toBe('/routing_key')
		const { body: made } = await api('POST', '/v1/webhooks', { ...pager, routing_key: 'R0UT1NGKEY' })
		await emit('alert.firing', firing)
		const list = async () => (await api('GET', `/v1/webhooks/${made.id}/deliveries`)).body.deliveries
		await expect.poll(async () => (await list())[0]?.status, { timeout: 10_000 }).toBe('delivered')
		const path = `/v1/webhooks/${made.id}/deliveries/${(await list())[0].id}`
		const { text } = await api('GET', path)
		expect(text).toContain('[redacted]')
		expect(text).not.toContain('R0UT1NGKEY')
		for (const wrong of [{ routing_key: 'x' }, { slack_signing_secret: 'x' }])
			expect((await api('POST', '/v1/webhooks', { url: receiver.url, events: ['*'], ...wrong })).status).toBe(
				400,
			)
		expect((await api('POST', `/v1/webhooks/${made.id}/rotate-secret`)).status).toBe(409)
		expect((await api('PATCH', `/v1/webhooks/${made.id}`, { url: 'http://127.0.0.1:2/' })).status).toBe(400)
		await api('DELETE', `/v1/webhooks/${made.id}`)
	})

	const nowS = () => Math.floor(Date.now() / 1000)
	const signed = (body: string, { secret = signingSecret, atS = nowS() } = {}) => ({
		'content-type': 'application/x-www-form-urlencoded',
		'x-slack-request-timestamp': String(atS),
		'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${atS}:${body}`).digest('hex')}`,
	})
	const press = (webhookId: string, body: string, headers: Record<string, string> = signed(body)) =>
		fetch(`${app.url}/integrations/slack/${webhookId}`, { method: 'POST', body, headers })
	const pressing = (answer: string, approvalId: string, user = 'U0MARA') =>
		`payload=${encodeURIComponent(
			JSON.stringify({
				type: 'block_actions',
				user: { id: user },
				actions: [{ action_id: answer, value: approvalId }],
				response_url: receiver.url,
			}),
		)}`
	const ask = async (values: object) => {
		const standing = await approvals.gate.ask(newCall(ids, values))
		return 'approvalId' in standing ? standing.approvalId : ''
	}
	const statusOf = async (id: string) => (await api('GET', `/v1/approvals/${id}`)).body
	const slackFor = async (person: TestPerson) =>
		(
			await api('POST', '/v1/webhooks', {
				...{ url: receiver.url, format: 'slack', events: ['approval.requested'] },
				slack_signing_secret: signingSecret,
				slack_members: [{ slack_user_id: 'U0MARA', email: person.email }],
			})
		).body

	it('an approval is answered from Slack as the linked member, once, and the audit log says so', async () => {
		const mara = await app.memberOf('admin')
		const webhook = await slackFor(mara)
		expect(webhook).toMatchObject({ answers_approvals: true, slack_members: [{ email: mara.email }] })
		const before = receiver.messages.length
		const id = await ask({ one: 1 })
		await expect.poll(() => receiver.messages.length, { timeout: 10_000 }).toBe(before + 1)
		const { blocks } = JSON.parse(receiver.messages.at(-1)?.body ?? '{}')
		const buttons = blocks[1].elements
		expect(buttons).toMatchObject([
			{ type: 'button', action_id: 'approve', value: id },
			{ type: 'button', action_id: 'deny', value: id },
		])
		const body = pressing('approve', id)
		const headers = signed(body)
		expect((await press(webhook.id, body, headers)).status).toBe(200)
		expect(await statusOf(id)).toMatchObject({
			status: 'approved',
			decided_by: { kind: 'user', id: mara.userId, name: mara.email },
		})
		await expect.poll(() => receiver.messages.length, { timeout: 10_000 }).toBe(before + 2)
		expect(JSON.parse(receiver.messages.at(-1)?.body ?? '{}')).toMatchObject({
			replace_original: true,
			text: expect.stringContaining(`Approved by ${mara.email}`),
		})
		// Sending the same bytes again has no effect: the decision stands.
		await press(webhook.id, body, headers)
		await press(webhook.id, pressing('deny', id))
		expect((await statusOf(id)).status).toBe('approved')
		const { body: log } = await api('GET', `/v1/audit?target=${id}&action=approvals.approve`)
		expect(log.audit).toMatchObject([{ actor: { id: mara.userId } }])
		await api('DELETE', `/v1/webhooks/${webhook.id}`)
	})

	it('forged, old and unknown requests, and people without the right, have no effect', async () => {
		const mara = await app.memberOf('admin')
		const member = await app.memberOf('member')
		const webhook = await slackFor(mara)
		const id = await ask({ two: 2 })
		const body = pressing('approve', id)
		const other = pressing('deny', id)
		const statuses = await Promise.all([
			press(webhook.id, body, signed(body, { secret: 'another' })),
			press(webhook.id, body, signed(body, { atS: nowS() - 600 })),
			press(webhook.id, body, signed(body, { atS: nowS() + 600 })),
			press(webhook.id, body, signed(other)),
			press(webhook.id, body, { 'content-type': 'application/x-www-form-urlencoded' }),
			press('019a0000-0000-7000-8000-000000000009', body),
		])
		expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
		const stranger = pressing('approve', id, 'U0NOBODY')
		expect((await press(webhook.id, stranger)).status).toBe(200)
		await api('PATCH', `/v1/webhooks/${webhook.id}`, {
			slack_members: [{ slack_user_id: 'U0MARA', email: member.email }],
		})
		expect((await press(webhook.id, body)).status).toBe(200)
		expect((await statusOf(id)).status).toBe('pending')
		// Someone who is no longer an admin cannot answer, even if still linked.
		await api('PATCH', `/v1/webhooks/${webhook.id}`, {
			slack_members: [{ slack_user_id: 'U0MARA', email: mara.email }],
		})
		await api('PATCH', `/v1/workspaces/${ids.workspaceId}/members/${mara.userId}`, { role: 'viewer' })
		expect((await press(webhook.id, body)).status).toBe(200)
		expect((await statusOf(id)).status).toBe('pending')
		await api('PATCH', `/v1/webhooks/${webhook.id}`, { slack_signing_secret: null })
		expect((await press(webhook.id, body)).status).toBe(404)
		await api('DELETE', `/v1/webhooks/${webhook.id}`)
	})

	it('a request that was begun before its webhook was switched off has no effect', async () => {
		const webhook = await slackFor(app.owner)
		const id = await ask({ slow: 1 })
		const body = pressing('approve', id)
		let send = () => {}
		const pieces = new ReadableStream<Uint8Array>({
			start: (controller) => {
				controller.enqueue(Buffer.from(body.slice(0, 9)))
				send = () => {
					controller.enqueue(Buffer.from(body.slice(9)))
					controller.close()
				}
			},
		})
		const answered = fetch(`${app.url}/integrations/slack/${webhook.id}`, {
			...{ method: 'POST', body: pieces, headers: signed(body), duplex: 'half' },
		} as RequestInit)
		await new Promise((resolve) => setTimeout(resolve, 200))
		await api('PATCH', `/v1/webhooks/${webhook.id}`, { enabled: false })
		send()
		expect((await answered).status).toBe(404)
		expect((await statusOf(id)).status).toBe('pending')
		await api('DELETE', `/v1/webhooks/${webhook.id}`)
	})

	it('a call of another workspace cannot be decided through this one', async () => {
		const outsider = await app.register()
		const webhook = await slackFor(app.owner)
		const targets = await addTargets(store(), outsider.workspaceId, Date.now())
		const standing = await approvals.gate.ask(
			newCall({ workspaceId: outsider.workspaceId, ...targets }, { three: 3 }),
		)
		const id = 'approvalId' in standing ? standing.approvalId : ''
		expect((await press(webhook.id, pressing('approve', id))).status).toBe(200)
		const row = await store()
			.db.selectFrom('approvals')
			.select('status')
			.where('id', '=', id)
			.executeTakeFirst()
		expect(row?.status).toBe('pending')
	})
})
