import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock } from '../../platform/clock.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { type ApprovalResult, expireOverdue } from './approvals.ts'
import { type ApprovalStage, startApprovals } from './stage.testing.ts'

const minuteMs = 60_000

describeOnBothDatabases('approvals', (store) => {
	const clock = manualClock(Date.now())
	let stage: ApprovalStage
	/** The token of a key, because the clock is moved beyond the end of a person's session. */
	let token = ''
	beforeAll(async () => {
		stage = await startApprovals(store(), clock)
		const body = { name: 'approver', scopes: ['approvals:decide'] }
		token = (await stage.request('POST', '/v1/keys', { token: stage.owner.token, body })).body.key
	})
	afterAll(() => stage?.close())

	const advance = async (ms: number) => {
		clock.advance(ms)
		await stage.feed.catchUp()
	}
	const ask = (values: object) => stage.approvals.gate.ask(stage.callOf(values))
	const idOf = (standing: ApprovalResult) => ('approvalId' in standing ? standing.approvalId : '')
	const read = async (path: string) => (await stage.request('GET', path, { token })).body
	const decide = (id: string, verb: string, body: object = {}) =>
		stage.request('POST', `/v1/approvals/${id}/${verb}`, { token, body })
	const events = async () => {
		const rows = await store().db.selectFrom('events').select(['type', 'data']).orderBy('id').execute()
		return rows.filter(({ type }) => type.startsWith('approval.'))
	}

	it('is decided by admins and by keys with the scope, never by the key that asked', async () => {
		const id = idOf(await ask({ who: 1 }))
		for (const role of ['viewer', 'member'] as const) {
			const { token } = await stage.memberOf(role)
			expect((await stage.request('GET', `/v1/approvals/${id}`, { token })).status).toBe(403)
		}
		const key = { name: 'decider', scopes: ['approvals:decide', 'mcp:invoke'] }
		const made = (await stage.request('POST', '/v1/keys', { token: stage.owner.token, body: key })).body
		const own = idOf(await stage.approvals.gate.ask(stage.callOf({ own: 1 }, { credentialId: made.id })))
		const approve = (which: string) =>
			stage.request('POST', `/v1/approvals/${which}/approve`, { token: made.key, body: {} })
		expect((await approve(own)).status).toBe(403)
		expect((await approve(id)).body.decided_by).toEqual({
			kind: 'platform_key',
			id: made.id,
			name: 'decider',
		})
		const other = await stage.register()
		expect((await stage.request('GET', `/v1/approvals/${id}`, { token: other.token })).status).toBe(404)
	})

	it('approves with the calls of the tool those that wait already, but none that the deciding key sent', async () => {
		const key = { name: 'decider of a period', scopes: ['approvals:decide', 'mcp:invoke'] }
		const made = (await stage.request('POST', '/v1/keys', { token: stage.owner.token, body: key })).body
		const { gate } = stage.approvals
		const second = stage.callOf({ wait: 2 }, { tool: 'sweep' })
		const request = async (values: object, more: object) => idOf(await gate.ask(stage.callOf(values, more)))
		const one = await request({ wait: 1 }, { tool: 'sweep' })
		const two = await request({ wait: 2 }, { tool: 'sweep' })
		const mine = await request({ wait: 3 }, { tool: 'sweep', credentialId: made.id })
		const other = await request({ wait: 2 }, { tool: 'other sweep' })
		const waiting = gate.wait(second, two, 10_000, new AbortController().signal)
		const body = { for_minutes: 10, reason: 'for the clean-up' }
		await stage.request('POST', `/v1/approvals/${one}/approve`, { token: made.key, body })
		expect(await waiting).toEqual({ kind: 'run', approvalId: two })
		expect(await read(`/v1/approvals/${two}`)).toMatchObject({
			...{ status: 'used', reason: 'for the clean-up', for_minutes: null },
			decided_by: { id: made.id },
		})
		expect(await gate.ask(second)).toEqual({ kind: 'run', approvalId: one })
		for (const id of [mine, other]) expect((await read(`/v1/approvals/${id}`)).status).toBe('pending')
		await stage.request('POST', `/v1/approvals/${one}/revoke`, { token })
		expect((await gate.ask(second)).kind).toBe('pending')
	})

	it('can be answered by the user of the agent only if the grant allows that', async () => {
		const call = stage.callOf({ mine: 1 })
		const id = idOf(await stage.approvals.gate.ask(call))
		await expect(stage.approvals.gate.answer(call, id, { answer: 'approve' })).rejects.toThrow(
			'Only approvers',
		)
		const allowed = { ...call, approver: 'caller' as const }
		await stage.approvals.gate.answer(allowed, id, { answer: 'approve' })
		expect((await read(`/v1/approvals/${id}`)).decided_by.name).toContain('the user of')
	})

	it('asks once about the same call, whatever the order of its keys, and shows it without secrets', async () => {
		const first = await ask({ a: { x: 1, y: [2] }, note: 'Bearer abcdefghijklmnopqrstuvwxyz0123456789' })
		expect(first.kind).toBe('pending')
		const again = await ask({ note: 'Bearer abcdefghijklmnopqrstuvwxyz0123456789', a: { y: [2], x: 1 } })
		expect(again).toEqual(first)
		expect(idOf(await ask({ a: 1 }))).not.toBe(idOf(first))
		const shown = await read(`/v1/approvals/${idOf(first)}`)
		expect(shown).toMatchObject({ status: 'pending', tool: 'run', approver: 'workspace', decided_by: null })
		expect(shown.arguments.a).toEqual({ x: 1, y: [2] })
		const { sealed_arguments } = await store()
			.db.selectFrom('approvals')
			.selectAll()
			.where('id', '=', idOf(first))
			.executeTakeFirstOrThrow()
		expect(sealed_arguments).not.toContain('abcdef')
		const event = (await events()).find(({ data }) => data.includes(idOf(first)))
		expect(event?.type).toBe('approval.requested')
		expect(event?.data).not.toContain('arguments')
	})

	it('lets a call run once when it is approved, and recognises a retry of it', async () => {
		const id = idOf(await ask({ once: 1 }))
		expect((await decide(id, 'approve', { reason: 'fine' })).body).toMatchObject({
			...{ status: 'approved', reason: 'fine', for_minutes: null },
			decided_by: { kind: 'platform_key', name: 'approver' },
		})
		expect(await ask({ once: 1 })).toEqual({ kind: 'run', approvalId: id })
		expect((await ask({ once: 1 })).kind).toBe('used')
		expect((await read(`/v1/approvals/${id}`)).status).toBe('used')
		await advance(11_000)
		const renewed = await ask({ once: 1 })
		expect(renewed.kind).toBe('pending')
		expect(idOf(renewed)).not.toBe(id)
	})

	it('is requested again for a call whose approval was revoked before it ran', async () => {
		const call = stage.callOf({ back: 1 })
		const id = idOf(await stage.approvals.gate.ask(call))
		await decide(id, 'approve')
		await decide(id, 'revoke')
		const waiting = stage.approvals.gate.wait(call, id, 1000, new AbortController().signal)
		expect(await waiting).toEqual({ kind: 'revoked', approvalId: id })
		const renewed = await stage.approvals.gate.ask(call)
		expect(renewed.kind).toBe('pending')
		expect(idOf(renewed)).not.toBe(id)
	})

	it('keeps a denial for a quarter of an hour', async () => {
		const id = idOf(await ask({ no: 1 }))
		await decide(id, 'deny', { reason: 'no' })
		expect(await ask({ no: 1 })).toEqual({ kind: 'denied', approvalId: id, reason: 'no' })
		await advance(14 * minuteMs)
		expect((await ask({ no: 1 })).kind).toBe('denied')
		await advance(2 * minuteMs)
		expect((await ask({ no: 1 })).kind).toBe('pending')
	})

	it('follows a clock that is set back', async () => {
		const [used, denied] = [idOf(await ask({ used: 2 })), idOf(await ask({ no: 2 }))]
		await decide(used, 'approve')
		await decide(denied, 'deny')
		const kinds = async () => [(await ask({ used: 2 })).kind, (await ask({ no: 2 })).kind]
		expect(await kinds()).toEqual(['run', 'denied'])
		const call = stage.callOf({ waits: 1 })
		const id = idOf(await stage.approvals.gate.ask(call))
		const waiting = stage.approvals.gate.wait(call, id, 300, new AbortController().signal)
		await advance(-60 * minuteMs)
		expect(await kinds()).toEqual(['pending', 'pending'])
		expect((await waiting).kind).toBe('pending')
		await advance(60 * minuteMs)
	})

	it('decides once: a second approver is told the decision', async () => {
		const id = idOf(await ask({ twice: 1 }))
		const answers = await Promise.all([decide(id, 'approve'), decide(id, 'deny')])
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
		expect(answers.find(({ status }) => status === 409)?.body.code).toBe('approval_decided')
	})

	it('expires what nobody decides in an hour, and what is approved but not sent again', async () => {
		const [open, approved] = [idOf(await ask({ open: 1 })), idOf(await ask({ late: 1 }))]
		await decide(approved, 'approve')
		await advance(16 * minuteMs)
		await expireOverdue({ ...stage })
		expect((await read(`/v1/approvals/${approved}`)).status).toBe('expired')
		await advance(45 * minuteMs)
		expect((await decide(open, 'approve')).body.code).toBe('approval_decided')
		expect((await ask({ open: 1 })).kind).toBe('pending')
		expect((await read(`/v1/approvals/${open}`)).status).toBe('expired')
		expect((await events()).map(({ type }) => type)).toContain('approval.expired')
	})

	it('approves all calls of the tool for a time, until it is revoked', async () => {
		const id = idOf(await ask({ pass: 1 }))
		await decide(id, 'approve', { for_minutes: 10 })
		expect(await ask({ pass: 1 })).toEqual({ kind: 'run', approvalId: id })
		expect((await ask({ pass: 1 })).kind).toBe('run')
		expect((await ask({ pass: 2 })).kind).toBe('run')
		const call = stage.callOf({ pass: 3 }, { tool: 'other' })
		expect((await stage.approvals.gate.ask(call)).kind).toBe('pending')
		const revoked = await stage.request('POST', `/v1/approvals/${id}/revoke`, { token })
		expect(revoked.body.status).toBe('revoked')
		expect((await ask({ pass: 2 })).kind).toBe('pending')
	})

	it('accepts at most 50 requests of an agent, and none that would be too large to show', async () => {
		expect((await ask({ large: 'x'.repeat(70_000) })).kind).toBe('too_large')
		const kinds: string[] = []
		for (let round = 0; round < 5; round += 1) {
			const calls = Array.from({ length: 11 }, (_, n) => ask({ flood: round * 11 + n }))
			kinds.push(...(await Promise.all(calls)).map(({ kind }) => kind))
		}
		expect(kinds).toContain('full')
		const { pagination } = await read('/v1/approvals?status=pending&limit=5')
		expect(pagination.total).toBe(50)
	})
})
