import { get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock } from '../../platform/clock.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../identity/testing.ts'
import { systemActor } from './audit.ts'

describeWithStore('the audit log, filtered and exported', (store) => {
	const clock = manualClock()
	const startedAt = new Date(clock.nowMs()).toISOString()
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), { clock })
		await note('agents.create', '=cmd|calc!A1', 't1')
		await note('agents.pause', 'plain', 't1')
		clock.advance(60_000)
		await note('agentsx.create', '\t@SUM("a",b)\nsecond line', 't2')
	})
	afterAll(() => app.close())

	const note = (action: string, name: string, id: string) =>
		app.mutate((tx) =>
			app.audit.record(tx, {
				workspaceId: app.owner.workspaceId,
				actor: systemActor('robot'),
				action,
				target: { kind: 'agent', id, name },
			}),
		)
	const list = async (query: string) => {
		const { body } = await app.request('GET', `/v1/audit?${query}`, { token: app.owner.token })
		return body.audit.map(({ action }: { action: string }) => action)
	}
	const fetchExport = (query: string) =>
		app.request('GET', `/v1/audit/export?${query}`, { token: app.owner.token })

	it('is filtered by actor, action, area, target and time', async () => {
		expect(await list(`actor=${app.owner.email}`)).toEqual(['auth.setup'])
		expect(await list(`actor=${app.owner.userId}`)).toEqual(['auth.setup'])
		expect(await list('action=agents.pause')).toEqual(['agents.pause'])
		expect(await list('action=agents.*')).toEqual(['agents.pause', 'agents.create'])
		expect(await list('target=t1&action=agents.create')).toEqual(['agents.create'])
		expect(await list('target=plain')).toEqual(['agents.pause'])
		expect(await list('start=-30s')).toEqual(['agentsx.create'])
		expect(await list(`end=-30s&start=${startedAt}`)).toEqual(['agents.pause', 'agents.create', 'auth.setup'])
		expect(await list('end=-30s')).toHaveLength(3)
	})

	it.each(['action=a%25', 'start=yesterday', 'format=xml', 'colour=red', 'start=-1m&start=-2m'])(
		'refuses %s',
		async (query) => {
			const path = query.startsWith('format') ? '/v1/audit/export' : '/v1/audit'
			const answers = [
				await app.request('GET', `${path}?${query}`, { token: app.owner.token }),
				await fetchExport(query),
			]
			for (const { status, body } of answers) expect([status, body.code]).toEqual([400, 'invalid_request'])
		},
	)

	it('pages by a cursor with a filter', async () => {
		const first = await app.request('GET', '/v1/audit?action=agents.*&limit=1', { token: app.owner.token })
		expect(await list(`action=agents.*&limit=1&cursor=${first.body.next_cursor}`)).toEqual(['agents.create'])
	})

	it('is exported as JSON lines, oldest first, with the links of the chain', async () => {
		const { text, headers } = await fetchExport('format=jsonl')
		const records = text
			.trimEnd()
			.split('\n')
			.map((line) => JSON.parse(line))
		expect(records.map(({ seq, action }) => [seq, action])).toEqual([
			[1, 'auth.setup'],
			[2, 'agents.create'],
			[3, 'agents.pause'],
			[4, 'agentsx.create'],
		])
		expect(records[1]).toMatchObject({
			target: { id: 't1', name: '=cmd|calc!A1' },
			chain: expect.any(String),
		})
		expect(headers.get('content-type')).toContain('x-ndjson')
	})

	it('is exported as CSV in which no cell is a formula', async () => {
		const { text, headers } = await fetchExport('format=csv&action=agentsx.create')
		expect(headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
		const [head, ...rest] = text.split('\r\n')
		expect(head).toBe(
			'"seq","id","at","action","actor_kind","actor_id","actor_name","target_kind","target_id","target_name","request_id","detail","chain"',
		)
		expect(rest.join('')).toContain(`"'\t@SUM(""a"",b)\nsecond line"`)
		expect((await fetchExport('format=csv&action=agents.create')).text).toContain(`"'=cmd|calc!A1"`)
	})

	it('is exported only to admins, and a refusal is recorded', async () => {
		const member = await app.memberOf('member')
		const answer = await app.request('GET', '/v1/audit/export', { token: member.token })
		expect(answer.status).toBe(403)
		expect(await list('action=denied')).toEqual(['denied'])
		expect((await fetchExport('actor=nobody')).text).toBe('')
	})

	it('keeps few records in memory while a client does not read', async () => {
		const many = 20_000
		const detail = JSON.stringify({ text: 'x'.repeat(2000) })
		const rows = Array.from({ length: many }, (_, index) => ({
			workspace_id: 'big',
			seq: index + 1,
			id: `r${index}`,
			at: 1,
			actor_kind: 'system',
			actor_id: null,
			actor_name: '',
			action: 'test.fill',
			target_kind: null,
			target_id: null,
			target_name: null,
			detail,
			request_id: null,
			chain: '',
		}))
		const own = rows.map((row) => ({ ...row, workspace_id: app.owner.workspaceId, seq: row.seq + 1000 }))
		for (let at = 0; at < many; at += 500)
			await store()
				.db.insertInto('audit_log')
				.values(own.slice(at, at + 500))
				.execute()
		const headers = { authorization: `Bearer ${app.owner.token}` }
		const before = process.memoryUsage().rss
		const size = await new Promise<number>((resolve, reject) => {
			const request = get(`${app.url}/v1/audit/export?action=test.fill`, { headers }, (response) => {
				let bytes = 0
				response.pause()
				setTimeout(() => {
					expect(process.memoryUsage().rss - before).toBeLessThan(30 * 1024 * 1024)
					response.on('data', (chunk: Buffer) => {
						bytes += chunk.length
					})
					response.resume()
				}, 500)
				response.once('end', () => resolve(bytes))
			})
			request.once('error', reject)
		})
		expect(size).toBeGreaterThan(many * 2000)
	})

	it('tells admins whether their chain is valid', async () => {
		const verify = () => app.request('GET', '/v1/audit/verify', { token: app.owner.token })
		const { body } = await verify()
		expect(body).toMatchObject({ intact: false, bad: { reason: 'is missing' } })
		await store().db.deleteFrom('audit_log').where('action', '=', 'test.fill').execute()
		expect((await verify()).body).toEqual({
			intact: true,
			records: expect.any(Number),
			head: { seq: expect.any(Number), chain: expect.any(String) },
			bad: null,
		})
	})
})
