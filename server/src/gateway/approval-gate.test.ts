import { describe, expect, it } from 'vitest'
import { until } from './testing-client.ts'
import { useCallStage } from './testing-stage.ts'
import { sendText } from './testing-upstream.ts'

const stage = useCallStage()
const grantPath = () => `/v1/mcp/servers/${stage.serverId}/access/${stage.agent.id}`
const askFor = (change: object = {}) => {
	stage.answer = ({ id }, response) => sendText(response, id, 'ran')
	return stage.gateway.manage('PATCH', grantPath(), { approval: { run: 'ask' }, ...change })
}
const call = (values: object = {}) => stage.client.request('tools/call', { name: 'run', arguments: values })
const ran = () => stage.upstream.calls().length
const pending = async (count = 1) => {
	let approvals: { id: string; arguments: object }[] = []
	await until(async () => {
		const path = `/v1/approvals?status=pending&agent_uuid=${stage.agent.id}`
		approvals = (await stage.gateway.manage('GET', path)).approvals
		return approvals.length >= count
	}, 5000)
	return approvals
}
const decide = (id: string, verb: 'approve' | 'deny' | 'revoke', body: object = {}) =>
	stage.gateway.manage('POST', `/v1/approvals/${id}/${verb}`, verb === 'revoke' ? undefined : body)

describe('a call that needs the approval of a person', () => {
	it('waits, and runs within a second after it is approved', async () => {
		await askFor()
		const before = ran()
		const waiting = call({ path: '/x', token: 'Bearer sk_service_abcdefghijklmnopqrstuvwxyz' })
		const [approval] = await pending()
		expect(ran()).toBe(before)
		expect(approval).toMatchObject({ tool: 'run', status: 'pending', arguments: { path: '/x' } })
		const startedMs = performance.now()
		await decide(approval?.id ?? '', 'approve')
		expect((await waiting).body.result.content[0].text).toBe('ran')
		expect(performance.now() - startedMs).toBeLessThan(5000)
		expect(ran()).toBe(before + 1)
		expect(await stage.gateway.manage('GET', `/v1/approvals/${approval?.id}`)).toMatchObject({
			status: 'used',
		})
		const recorded = Object.fromEntries(stage.lastRow()?.attributes ?? [])
		expect(recorded).toMatchObject({
			'signalbox.approval.id': approval?.id,
			'signalbox.approval.decision': 'approved',
			'signalbox.approval.waited_ms': expect.any(BigInt),
		})
	})

	it('is denied with the reason, and again when it is retried', async () => {
		await askFor()
		const before = ran()
		const waiting = call({ a: 1, b: [2] })
		const [approval] = await pending()
		await decide(approval?.id ?? '', 'deny', { reason: 'not on a Friday' })
		const denied = (await waiting).body.error
		expect(denied).toMatchObject({
			data: { code: 'approval_denied', tool: 'run', approval_id: approval?.id },
		})
		expect(denied.message).toContain('not on a Friday')
		expect((await call({ b: [2], a: 1 })).body.error).toEqual(denied)
		expect(stage.lastRow()).toMatchObject({ status: 'denied', errorType: 'approval_denied' })
		expect(stage.lastRow()?.attributes.get('signalbox.approval.decision')).toBe('denied')
		expect(ran()).toBe(before)
	})

	it('is answered as pending when the wait is over, and runs once when it is retried', async () => {
		await askFor({ approval_wait_ms: 50 })
		const before = ran()
		const first = (await call()).body.error
		expect(first).toMatchObject({ data: { code: 'approval_pending', retry_after_ms: 5000 } })
		expect(first.message).toContain('Send the same call again')
		expect((await call()).body.error).toEqual(first)
		const approvals = await pending()
		expect(approvals).toHaveLength(1)
		expect(first.data.approval_url).toContain(`/approvals/${approvals[0]?.id}`)
		await decide(approvals[0]?.id ?? '', 'approve')
		expect((await call()).body.result).toBeDefined()
		expect((await call()).body.error).toMatchObject({ data: { code: 'approval_used' } })
		expect(ran()).toBe(before + 1)
	})

	it('keeps its approval across a restart during the wait', async () => {
		await askFor()
		const before = ran()
		const stop = new AbortController()
		const cut = stage.call({}, stop.signal).catch(() => null)
		const [approval] = await pending()
		stop.abort()
		await cut
		await stage.gateway.restart()
		await decide(approval?.id ?? '', 'approve')
		expect((await stage.call()).body.result).toBeDefined()
		expect(ran()).toBe(before + 1)
	})

	it('runs once, however many clients send it', async () => {
		await askFor()
		const before = ran()
		const waiting = Array.from({ length: 20 }, (_, id) =>
			stage.client.request('tools/call', { name: 'run', arguments: { n: 1 } }, id),
		)
		const [approval] = await pending()
		await decide(approval?.id ?? '', 'approve')
		const answers = await Promise.all(waiting)
		expect(answers.filter(({ body }) => body.result)).toHaveLength(1)
		const codes = answers.flatMap(({ body }) => (body.error ? [body.error.data.code] : []))
		expect(new Set(codes)).toEqual(new Set(['approval_used']))
		expect(ran()).toBe(before + 1)
	})

	it('runs without a question while all calls of the tool are approved, until that is revoked', async () => {
		await askFor({ approval_wait_ms: 50 })
		await call({ n: 1 })
		const [approval] = await pending()
		await decide(approval?.id ?? '', 'approve', { for_minutes: 5 })
		for (const n of [1, 2, 3]) expect((await call({ n })).body.result).toBeDefined()
		await decide(approval?.id ?? '', 'revoke')
		expect((await call({ n: 4 })).body.error).toMatchObject({ data: { code: 'approval_pending' } })
	})

	it('is sent with the headers that its server has when it is approved', async () => {
		await askFor()
		const waiting = call()
		const [approval] = await pending()
		const path = `/v1/mcp/servers/${stage.serverId}`
		await stage.gateway.manage('PATCH', path, { headers: { authorization: 'Bearer rotated' } })
		await decide(approval?.id ?? '', 'approve')
		expect((await waiting).body.result.content[0].text).toBe('ran')
		expect(stage.upstream.calls().at(-1)?.headers).toMatchObject({ authorization: 'Bearer rotated' })
	})

	it('is cut when its access is revoked while it waits, and nothing runs', async () => {
		await askFor()
		const before = ran()
		const waiting = call()
		const [approval] = await pending()
		await stage.gateway.manage('DELETE', grantPath())
		expect((await waiting).body.error).toMatchObject({ data: { code: 'tool_not_granted' } })
		await decide(approval?.id ?? '', 'approve')
		expect(ran()).toBe(before)
	})

	it('is not approved by the end of its access, even if that comes before it waits', async () => {
		await askFor()
		stage.gateway.afterAsking = () => stage.gateway.manage('DELETE', grantPath())
		const waiting = call()
		expect((await waiting).body.error).toMatchObject({ data: { code: 'tool_not_granted' } })
		stage.gateway.afterAsking = async () => {}
		const [approval] = await pending()
		await decide(approval?.id ?? '', 'deny', { reason: 'nobody has approved it' })
	})

	it('runs once within a second, whatever the number of its copies, when the grant no longer requires approval', async () => {
		await askFor()
		const before = ran()
		const copies = [1, 2, 3].map((id) => stage.client.request('tools/call', { name: 'run' }, id))
		const [approval] = await pending()
		const startedMs = performance.now()
		await stage.gateway.manage('PATCH', grantPath(), { approval: {} })
		const answers = await Promise.all(copies)
		expect(performance.now() - startedMs).toBeLessThan(5000)
		const codes = answers.map(({ body }) => body.error?.data.code ?? 'ran').sort()
		expect(codes).toEqual(['approval_used', 'approval_used', 'ran'])
		expect(ran()).toBe(before + 1)
		expect(await stage.gateway.manage('GET', `/v1/approvals/${approval?.id}`)).toMatchObject({
			status: 'used',
			reason: 'the grant asks for no approval any more',
			decided_by: { kind: 'system' },
		})
		expect((await call()).body.result).toBeDefined()
	})

	it('tells a client with a progress token that it waits', async () => {
		await askFor()
		const waiting = stage.call({ progressToken: 'p' })
		const [approval] = await pending()
		await decide(approval?.id ?? '', 'approve')
		const { text, body } = await waiting
		expect(text).toContain('"progressToken":"p"')
		expect(text).toContain('waits for the approval')
		expect(body.result).toBeDefined()
	})
})
