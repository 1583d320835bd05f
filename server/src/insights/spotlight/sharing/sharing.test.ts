import { tokenPrefixes } from '@signalbox/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestPerson } from '../../../accounts/identity/testing.ts'
import { manualClock, systemClock } from '../../../platform/clock.ts'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { type SessionStage, stageSessions } from '../sessions/stage.testing.ts'

const span = '1'.repeat(16)
const path = '/v1/spotlight/sessions/s1/share'

describeWithStore('links to sessions', (store) => {
	let stage: SessionStage
	let member: TestPerson
	const clock = manualClock(systemClock.nowMs())
	beforeAll(async () => {
		stage = await stageSessions(store(), clock)
		member = await stage.app.memberOf('member')
		const whose = { sessionId: 's1', userId: 'jane', client: 'cli/1', agentId: 'a1', agentName: 'Alpha' }
		await stage.record(
			{ ...whose, atS: 0, spanId: span, source: 'model_proxy', kind: 'model_call', model: 'gpt' },
			{
				...whose,
				atS: 1,
				toolName: 'send',
				serverId: 'v1',
				serverName: 'Mail',
				status: 'error',
				statusMessage: 'no jane@example.org',
			},
			{ ...whose, sessionId: 's2', atS: 2, toolName: 'other' },
		)
		await stage.carry(span, 0, ['message:user:{"content":"write to jane@example.org"}'])
	})
	afterAll(() => stage?.close())

	const api = async (method: string, at: string, body?: unknown, token = member.token) =>
		stage.app.request(method, at, { token, ...(body !== undefined && { body }) })
	const allow = (enabled: boolean) => api('PUT', '/v1/sharing', { enabled }, stage.app.owner.token)
	const share = async (body = {}) => (await api('POST', path, body)).body
	const open = (token: string, more = {}) =>
		stage.app.request('POST', '/shared/session', { body: { token, ...more } })
	const tokenOf = ({ url }: { url: string }) => url.slice(url.indexOf('=') + 1)
	const actions = async () => {
		const { body } = await api('GET', '/v1/audit?limit=3', undefined, stage.app.owner.token)
		return body.audit.map(({ action, target }: { action: string; target: { name: string } | null }) => [
			action,
			target?.name,
		])
	}

	it('are off until an admin allows them', async () => {
		expect((await api('GET', '/v1/sharing')).body).toEqual({ enabled: false })
		expect((await api('POST', path, {})).body.code).toBe('sharing_off')
		expect((await api('PUT', '/v1/sharing', { enabled: true })).status).toBe(403)
		expect((await allow(true)).body).toEqual({ enabled: true })
	})

	it('show that session only, without names and ids, and no messages', async () => {
		const made = await share()
		expect(made.url).toMatch(/^http:\/\/signalbox\.example\/ui\/shared#token=sh_service_\w{49}$/)
		const { body, headers, text } = await open(tokenOf(made))
		expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
		expect(headers.get('cache-control')).toContain('no-store')
		expect(body).toMatchObject({
			conversation: 'not_shared',
			tool_calls: 1,
			calls: [
				{ model: 'gpt', messages: null },
				{ tool: 'send', server: { name: 'Mail' } },
			],
		})
		for (const secret of ['jane', 's1', 'cli/1', 'a1"', 'Alpha', 'v1"', 'a'.repeat(32), 'other'])
			expect(text).not.toContain(secret)
		expect(await actions()).toContainEqual(['sharing.create', 's1'])
	})

	it('show messages if that was chosen, redacted once more, page by page', async () => {
		const token = tokenOf(await share({ messages: true }))
		const { body } = await open(token, { limit: 1 })
		expect(body.calls[0].messages[0].text).toMatch(/^\{"content":"write to \[.*\]"\}$/)
		const second = await open(token, { limit: 1, cursor: body.next_cursor })
		expect(second.body.calls).toMatchObject([{ tool: 'send' }])
	})

	it('are stored as hashes, listed without their secrets, and open nothing once revoked', async () => {
		const { id, url } = await share({ expires_in_hours: 1 })
		const rows = await store().db.selectFrom('session_shares').selectAll().execute()
		expect(JSON.stringify(rows)).not.toContain(tokenOf({ url }))
		const { body, text } = await api('GET', '/v1/spotlight/shares?session_id=s1')
		expect(body.shares).toContainEqual(
			expect.objectContaining({ id, session_id: 's1', messages: false, created_by: member.email }),
		)
		expect(text).not.toContain(tokenPrefixes.share)
		expect((await api('DELETE', `/v1/spotlight/shares/${id}`)).status).toBe(204)
		expect((await open(tokenOf({ url }))).body.code).toBe('share_invalid')
		expect((await api('DELETE', `/v1/spotlight/shares/${id}`)).status).toBe(404)
		expect(await actions()).toContainEqual(['sharing.revoke', 's1'])
	})

	it('are read once for all who open one at the same time', async () => {
		await allow(true)
		const token = tokenOf(await share({ messages: true }))
		const queriesOf = async (openings: number) => {
			const before = stage.queries()
			const answers = await Promise.all(Array.from({ length: openings }, () => open(token)))
			expect(answers.map(({ body }) => body.calls.length)).toEqual(answers.map(() => 2))
			return stage.queries() - before
		}
		const ofOne = await queriesOf(1)
		expect(ofOne).toBeGreaterThan(0)
		// Whoever arrives after the first answer is read for separately.
		expect(await queriesOf(20)).toBeLessThanOrEqual(2 * ofOne)
	})

	it('can be created and opened as soon as the session is acknowledged', async () => {
		await stage.acknowledge({ sessionId: 'new', atS: 9, traceId: 'e'.repeat(32), toolName: 'late' })
		const made = await api('POST', '/v1/spotlight/sessions/new/share', {})
		expect(made.status).toBe(201)
		const token = tokenOf(made.body)
		expect((await open(token)).body).toMatchObject({ started_at: '2026-06-01T10:00:09.000Z', calls: [] })
		await stage.storeAll()
		expect((await open(token)).body.calls).toMatchObject([{ tool: 'late' }])
	})

	it('expire, end when sharing is turned off, and cannot be guessed', async () => {
		const token = tokenOf(await share({ expires_in_hours: 1 }))
		await allow(false)
		const off = await open(token)
		await allow(true)
		expect((await open(token)).status).toBe(200)
		clock.advance(3_600_000)
		const expired = await open(token)
		const guessed = await open(`${token.slice(0, -1)}x`)
		for (const answer of [off, expired, guessed])
			expect([answer.status, answer.body.code]).toEqual([404, 'share_invalid'])
	})

	it('are created for sessions of the own workspace, by members', async () => {
		const stranger = await stage.app.register()
		await api('PUT', '/v1/sharing', { enabled: true }, stranger.token)
		expect((await api('POST', path, {}, stranger.token)).status).toBe(404)
		const viewer = await stage.app.memberOf('viewer')
		expect((await api('POST', path, {}, viewer.token)).status).toBe(403)
	})
})
