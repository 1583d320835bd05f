import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { newId } from '../../../platform/ids.ts'
import { closedAddress, objectSchema, startModernServer } from '../../../servers/testing.ts'
import { type RecordedCall, type ReviewStage, startReview } from '../testing.ts'

describeWithStore('POST /v1/access/simulate', (store) => {
	let app: ReviewStage
	let server_id = ''
	let agent_uuid = ''
	let names = 0
	beforeAll(async () => {
		app = await startReview(store())
		const address = await closedAddress()
		server_id = (await app.create('/v1/mcp/servers', { name: 'Tools', url: address, transport_type: 'http' }))
			.id
	})
	afterAll(() => app?.close())
	beforeEach(async () => {
		names += 1
		agent_uuid = (await app.create('/v1/agents', { name: `agent ${names}` })).id
	})

	const simulate = (changes: object[], more: object = {}, token = app.owner.token) =>
		app.request('POST', '/v1/access/simulate', { token, body: { changes, ...more } })
	const newCall = (more: Partial<RecordedCall> = {}): RecordedCall => ({
		agentId: agent_uuid,
		serverId: server_id,
		toolName: 'read',
		atMs: Date.now() - 60_000,
		...more,
	})
	const create = (terms: object = {}) => ({ op: 'create', server_id, agent_uuid, ...terms })

	it('answers with the decisions, the names and the times', async () => {
		await app.record([newCall({ status: 'denied' }), newCall({ atMs: Date.now() - 120_000 })])
		const { status, body } = await simulate([create()])
		expect(status).toBe(200)
		expect(Date.parse(body.end) - Date.parse(body.start)).toBe(7 * 86_400_000)
		expect(body).toMatchObject({
			totals: { newly_allowed: 2, newly_denied: 0, unknown: 0 },
			truncated: false,
		})
		expect(body.groups).toMatchObject([
			{
				change: 'newly_allowed',
				agent: { uuid: agent_uuid, name: `agent ${names}` },
				server: { id: server_id, name: 'Tools' },
				tool: 'read',
				calls: 2,
				reason_before: 'no_grant',
				reason_after: 'granted_all',
				sample_trace_ids: [expect.stringMatching(/^[0-9a-f]{32}$/), expect.any(String)],
			},
		])
		expect(app.grants.view.of(agent_uuid, server_id)).toEqual([])
	})

	it('looks back the requested number of days', async () => {
		await app.record([newCall(), newCall({ atMs: Date.now() - 20 * 86_400_000 })])
		const of = async (days: number) => (await simulate([create()], { days })).body.totals.newly_allowed
		expect([await of(1), await of(19), await of(21)]).toEqual([1, 1, 2])
		for (const days of [0, 91, 1.5]) expect((await simulate([create()], { days })).status).toBe(400)
	})

	it('counts calls without a known server, and changes none of them', async () => {
		const before = (await simulate([create()])).body.totals.without_server
		await app.record([newCall({ serverId: '', toolName: 'tools__read', status: 'denied' })])
		expect((await simulate([create()])).body.totals).toMatchObject({
			newly_allowed: 0,
			without_server: before + 1,
		})
	})

	it('reports unknown if a constraint applies and the arguments were not recorded', async () => {
		const calls = [{ path: 'a' }, { path: 'b' }, undefined].map((values) => newCall({ arguments: values }))
		await app.record(calls)
		const constraints = { read: { properties: { path: { const: 'a' } } } }
		expect((await simulate([create({ constraints })])).body.groups).toMatchObject([
			{ change: 'newly_allowed', calls: 1, reason_after: 'granted_constrained' },
			{ change: 'unknown', calls: 1, reason_after: 'granted_constrained' },
		])
		const approval = { read: 'ask' }
		expect((await simulate([create({ approval })])).body.totals).toMatchObject({
			newly_allowed: 0,
			unknown: 0,
		})
	})

	it('denies a tool whose definition waits for approval, before the change and after it', async () => {
		const needs: Record<string, { type: string }> = {}
		const upstream = await startModernServer({
			bare: true,
			configure: (server) => {
				for (const name of ['read', 'write'])
					server.registerTool(name, { inputSchema: objectSchema(needs) }, async () => ({ content: [] }))
			},
		})
		const changed = { name: `changed ${names}`, url: upstream.url, definition_policy: 'suspend' }
		const { id } = await app.create('/v1/mcp/servers', changed)
		const other = (await app.create('/v1/agents', { name: `holder ${names}` })).id
		const grant = { agent_uuid: other, access_mode: 'selected', allowed_tools: ['read'] }
		await app.create(`/v1/mcp/servers/${id}/access`, grant)
		await app.record([
			newCall({ serverId: id, toolName: 'read' }),
			newCall({ serverId: id, toolName: 'write' }),
			newCall({ serverId: id, agentId: other }),
		])
		needs.path = { type: 'string' }
		const path = `/v1/mcp/servers/${id}/tools/refresh`
		expect((await app.request('POST', path, { token: app.owner.token })).status).toBe(200)
		const take = { op: 'delete', server_id: id, agent_uuid: other }
		const { totals, groups } = (await simulate([{ ...create(), server_id: id }, take])).body
		expect(totals).toMatchObject({ newly_allowed: 1, newly_denied: 0, unknown: 0 })
		expect(groups).toMatchObject([{ tool: 'write', reason_after: 'granted_all' }])
		await upstream.close()
	})

	it('checks only as many different arguments as it may hold; the rest is unknown', async () => {
		const made = 40_000
		const calls = Array.from({ length: made }, (_, n) =>
			newCall({ arguments: { n }, requestBytes: 1_000_000 }),
		)
		await app.record(calls)
		const { totals } = (await simulate([create({ constraints: { read: { required: ['n'] } } })])).body
		expect(totals.newly_allowed + totals.unknown).toBe(made)
		expect(totals.newly_allowed).toBeGreaterThan(0)
		expect(totals.newly_allowed).toBeLessThan(made / 2)
	})

	it('fails like the change would, and names the place', async () => {
		const update = { op: 'update', server_id, agent_uuid, enabled: false }
		const bad = { ...create(), constraints: { read: { pattern: '(?=x)' } } }
		expect((await simulate([update])).body).toMatchObject({ code: 'not_found' })
		expect((await simulate([create(), create()])).body).toMatchObject({ code: 'conflict', status: 409 })
		const unknown = [{ agent_uuid: newId() }, { server_id: newId() }].map((each) => ({
			...create(),
			...each,
		}))
		for (const change of [...unknown, { toolset_id: newId(), tools: [] }])
			expect((await simulate([create(), change])).body).toMatchObject({
				code: 'not_found',
				detail: expect.stringContaining('changes/1'),
			})
		expect((await simulate([create(), { ...update, ...bad, op: 'update' }])).body).toMatchObject({
			status: 400,
			errors: [{ pointer: '/changes/1/constraints/read' }],
		})
		expect((await simulate([create(), update, { op: 'delete', server_id, agent_uuid }])).status).toBe(200)
		const toolset_id = (await app.create('/v1/toolsets', { name: `toolset ${names}` })).id
		expect(
			(
				await simulate([
					{ toolset_id, groups: [] },
					{ toolset_id, tools: [] },
				])
			).body.errors,
		).toMatchObject([{ pointer: '/changes/1/toolset_id' }])
		for (const change of [
			{ ...update, op: 'replace' },
			{ ...update, role: 'x' },
			{ server_id, agent_uuid },
		])
			expect((await simulate([change])).status).toBe(400)
		expect((await simulate([])).status).toBe(400)
	})

	it('knows nothing of other workspaces', async () => {
		await app.record([newCall(), newCall({ workspaceId: newId() })])
		expect((await simulate([create()])).body.totals.newly_allowed).toBe(1)
		const stranger = await app.register()
		expect((await simulate([create()], {}, stranger.token)).body).toMatchObject({ code: 'not_found' })
		const theirs = (await app.create('/v1/agents', { name: 'theirs' }, stranger.token)).id
		expect((await simulate([{ ...create(), agent_uuid: theirs }])).status).toBe(404)
		expect((await simulate([{ toolset_id: newId(), groups: [] }])).status).toBe(404)
		const viewer = await app.memberOf('viewer')
		expect((await simulate([create()], {}, viewer.token)).status).toBe(200)
	})
})
