import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { newId } from '../../../platform/ids.ts'
import { type ModernTestServer, startModernServer } from '../../../servers/testing.ts'
import { type RecordedCall, type ReviewStage, startReview } from '../testing.ts'

const dayMs = 86_400_000
const ago = (days: number) => Date.now() - days * dayMs

describeWithStore('suggestions of less access', (store) => {
	let app: ReviewStage
	let upstream: ModernTestServer
	let serverId = ''
	let agentId = ''
	let names = 0
	beforeAll(async () => {
		upstream = await startModernServer()
		app = await startReview(store(), { retentionDays: 45 })
		serverId = (await app.create('/v1/mcp/servers', { name: 'Tools', url: upstream.url })).id
	})
	afterAll(async () => {
		await app?.close()
		await upstream?.close()
	})
	beforeEach(async () => {
		agentId = await newAgent()
	})

	const send = (method: string, path: string, body?: object, token = app.owner.token) =>
		app.request(method, path, { token, ...(body && { body }) })
	const newAgent = async (content: object = {}): Promise<string> => {
		names += 1
		return (await app.create('/v1/agents', { name: `agent ${names}`, ...content })).id
	}
	/** Creates a grant that was created and last changed some days ago. */
	const grant = async (terms: object = {}, days = 60) => {
		const { id } = await app.create(`/v1/mcp/servers/${serverId}/access`, { agent_uuid: agentId, ...terms })
		await store()
			.db.updateTable('access_grants')
			.set({ created_at: ago(days), updated_at: ago(days) })
			.where('id', '=', id)
			.execute()
		return id as string
	}
	const grantPath = () => `/v1/mcp/servers/${serverId}/access/${agentId}`
	const called = (toolName: string, more: Partial<RecordedCall> = {}) =>
		app.record([{ agentId, serverId, toolName, atMs: ago(1), ...more }])
	const list = async (query = '') =>
		(await send('GET', `/v1/access/suggestions?limit=100${query}`)).body.suggestions
	const suggested = async (query = '') =>
		(await list(query)).filter(({ agent }: { agent: { uuid: string } | null }) => agent?.uuid === agentId)
	const act = (id: string, verb: 'apply' | 'revert', token?: string) =>
		send('POST', `/v1/access/suggestions/${id}/${verb}`, undefined, token)

	it('narrows a grant of all tools to those that were used, with the evidence', async () => {
		await grant()
		await called('echo', { atMs: ago(3) })
		await called('echo', { atMs: ago(2) })
		await called('add', { atMs: ago(31) })
		await called('add', { status: 'denied' })
		expect(await suggested()).toMatchObject([
			{
				kind: 'all_to_used_tools',
				state: 'open',
				applicable: true,
				agent: { uuid: agentId },
				server: { id: serverId, name: 'Tools' },
				changes: [
					{
						op: 'update',
						server_id: serverId,
						agent_uuid: agentId,
						access_mode: 'selected',
						allowed_tools: ['echo'],
					},
				],
				evidence: { days: 30, calls: 2, tools_used: [{ tool: 'echo', calls: 2 }] },
			},
		])
		const [{ evidence }] = await suggested()
		expect(evidence.tools_unused).toContain('add')
		expect(Math.abs(Date.parse(evidence.last_used_at) - ago(2))).toBeLessThan(60_000)
		expect(Math.abs(Date.parse(evidence.given_at) - ago(60))).toBeLessThan(60_000)
		const [earlier] = await suggested('&days=50')
		expect(earlier.changes[0].allowed_tools).toEqual(['add', 'echo'])
		expect(earlier.evidence.days, 'telemetry is kept for 45 days').toBe(45)
	})

	it('drops selected tools that were not used, and removes unused grants', async () => {
		await grant({ allowed_tools: ['add', 'echo'] })
		await called('echo')
		expect(await suggested()).toMatchObject([
			{ kind: 'unused_tools', changes: [{ allowed_tools: ['echo'] }], evidence: { tools_unused: ['add'] } },
		])
		agentId = await newAgent()
		await grant({ allowed_tools: ['add'] })
		await called('echo')
		expect(await suggested()).toMatchObject([
			{ kind: 'unused_grant', changes: [{ op: 'delete' }], evidence: { calls: 0, last_used_at: null } },
		])
	})

	it('reports agents that were never seen, once for all their grants', async () => {
		await grant()
		expect(await suggested()).toMatchObject([{ kind: 'unseen_agent', changes: [{ op: 'delete' }] }])
		await called('', { kind: 'mcp', mcpMethod: 'tools/list' })
		expect(await suggested()).toMatchObject([{ kind: 'unused_grant' }])
	})

	it.each([
		['younger than the time looked at', {}, 29],
		['switched off', { enabled: false }, 60],
		['expired', { expires_at: '2020-01-01T00:00:00.000Z' }, 60],
	])('accuses no grant that is %s', async (_why, terms, days) => {
		await grant(terms, days)
		await called('', { kind: 'mcp', mcpMethod: 'tools/list' })
		expect(await suggested()).toEqual([])
	})

	it('leaves a grant alone whose prompts or resources are used, or all of whose tools are', async () => {
		await grant()
		await called('', { kind: 'mcp', mcpMethod: 'resources/read' })
		expect(await suggested()).toEqual([])
		agentId = await newAgent()
		await grant({ allowed_tools: ['echo'] })
		await called('echo')
		expect(await suggested()).toEqual([])
		agentId = await newAgent()
		await grant({ allowed_tools: ['echo'], allowed_prompts: ['greet'] })
		await called('', { kind: 'mcp', mcpMethod: 'prompts/get' })
		expect(await suggested()).toEqual([])
	})

	it('counts no calls of other workspaces, of SDKs and of other agents', async () => {
		await grant({ allowed_tools: ['add', 'echo'] })
		await called('echo')
		await called('add', { workspaceId: newId() })
		await called('add', { source: 'otlp' })
		await called('add', { agentId: await newAgent() })
		expect(await suggested()).toMatchObject([{ changes: [{ allowed_tools: ['echo'] }] }])
	})

	it('applies a suggestion and reverts it exactly', async () => {
		await grant({ constraints: { echo: { maxProperties: 3 } } })
		await called('echo')
		const [{ id }] = await suggested()
		expect((await suggested())[0].id).toBe(id)
		const before = (await send('GET', grantPath())).body
		expect(await act(id, 'apply')).toMatchObject({ status: 200, body: { id, state: 'applied' } })
		const after = (await send('GET', grantPath())).body
		expect(after).toMatchObject({
			...before,
			access_mode: 'selected',
			allowed_tools: ['echo'],
			// Prompts and resources that were allowed only by the mode `all`, and that nobody used.
			allowed_prompts: [],
			allowed_resources: [],
			updated_at: after.updated_at,
		})
		expect(app.grants.view.of(agentId, serverId)[0]?.allowedTools).toEqual(new Set(['echo']))
		expect(await suggested()).toEqual([])
		expect(await suggested('&state=applied')).toMatchObject([{ id, state: 'applied' }])
		expect(await act(id, 'apply')).toMatchObject({ status: 409, body: { code: 'suggestion_outdated' } })
		expect(await act(id, 'revert')).toMatchObject({ status: 200, body: { id, state: 'reverted' } })
		expect((await send('GET', grantPath())).body).toEqual(before)
		expect(app.grants.view.of(agentId, serverId)[0]?.accessMode).toBe('all')
		expect(await act(id, 'revert')).toMatchObject({ status: 409, body: { code: 'conflict' } })
		expect(await suggested('&state=applied')).toEqual([])
		expect(await suggested()).toMatchObject([{ id, reverted_at: expect.any(String) }])
		expect((await act(id, 'apply')).status).toBe(200)
		const { audit } = (await send('GET', '/v1/audit?limit=6')).body
		expect(audit.map(({ action }: { action: string }) => action)).toEqual([
			'access-review.apply',
			'access.update',
			'access-review.revert',
			'access.update',
			'access-review.apply',
			'access.update',
		])
	})

	it('removes a grant and restores it as it was', async () => {
		await grant({ allowed_tools: ['add'], approval: { add: 'ask' } })
		const [{ id }] = await suggested()
		const before = (await send('GET', grantPath())).body
		expect((await act(id, 'apply')).status).toBe(200)
		expect((await send('GET', grantPath())).status).toBe(404)
		expect((await act(id, 'revert')).status).toBe(200)
		expect((await send('GET', grantPath())).body).toEqual(before)
	})

	it('applies nothing when the grant or its use has changed since', async () => {
		await grant()
		await called('echo')
		const [{ id }] = await suggested()
		await called('add')
		expect(await act(id, 'apply')).toMatchObject({ status: 409, body: { code: 'suggestion_outdated' } })
		const [{ id: now }] = await suggested()
		await send('PATCH', grantPath(), { constraints: { echo: {} } })
		expect(await act(now, 'apply')).toMatchObject({ status: 409, body: { code: 'suggestion_outdated' } })
		expect((await send('GET', grantPath())).body.access_mode).toBe('all')
	})

	it('reverts nothing that somebody has changed since, and names it', async () => {
		await grant({ allowed_tools: ['add', 'echo'] })
		await called('echo')
		const [{ id }] = await suggested()
		await act(id, 'apply')
		await send('PATCH', grantPath(), { allowed_tools: ['fail'] })
		const refused = await act(id, 'revert')
		expect(refused).toMatchObject({ status: 409, body: { code: 'grant_changed' } })
		expect(refused.body.detail).toMatch(/changed since: allowed_tools/)
		expect((await send('GET', grantPath())).body.allowed_tools).toEqual(['fail'])
		await send('DELETE', grantPath())
		expect((await act(id, 'revert')).body.detail).toMatch(/taken away since/)
		await send('DELETE', `/v1/agents/${agentId}`)
		expect((await act(id, 'revert')).body).toMatchObject({
			code: 'grant_changed',
			detail: `The agent ${agentId} is gone.`,
		})
	})

	it('shows what nobody uses of a toolset, and leaves the change to people', async () => {
		const group = `group-${names}`
		agentId = await newAgent({ groups: [group] })
		const tools = [{ server_id: serverId, tools: ['add', 'echo'] }]
		const toolset = await app.create('/v1/toolsets', { name: group, groups: [group], tools })
		const of = async () =>
			(await list()).filter((each: { toolset: { id: string } | null }) => each.toolset?.id === toolset.id)
		await called('echo')
		expect(await of()).toEqual([])
		const old = { created_at: ago(60), updated_at: ago(60) }
		await store().db.updateTable('toolsets').set(old).where('id', '=', toolset.id).execute()
		await store().db.updateTable('access_grants').set(old).where('source', '=', toolset.id).execute()
		const [suggestion] = await of()
		expect(suggestion).toMatchObject({
			kind: 'unused_tools_of_toolset',
			applicable: false,
			changes: [{ toolset_id: toolset.id, tools: [{ server_id: serverId, tools: ['echo'] }] }],
			evidence: { calls: 1, tools_unused: ['add'] },
		})
		expect(await act(suggestion.id, 'apply')).toMatchObject({ status: 409, body: { code: 'derived_grant' } })
		const { changes } = suggestion
		const simulated = await send('POST', '/v1/access/simulate', { changes })
		expect(simulated).toMatchObject({ status: 200, body: { totals: { newly_denied: 0 } } })
	})

	it('is invisible to another workspace, and only admins can apply it', async () => {
		await grant()
		await called('echo')
		const [{ id }] = await suggested()
		const stranger = await app.register()
		expect((await send('GET', '/v1/access/suggestions', undefined, stranger.token)).body.suggestions).toEqual(
			[],
		)
		for (const verb of ['apply', 'revert'] as const) {
			expect((await act(id, verb, stranger.token)).status).toBe(404)
			expect((await act(`30.${newId()}.${'0'.repeat(32)}`, verb)).status).toBe(404)
			expect((await act('x', verb)).status).toBe(404)
			expect((await act(id, verb, (await app.memberOf('member')).token)).status).toBe(403)
		}
		expect((await act(id, 'apply')).status).toBe(200)
		expect((await act(id, 'revert', stranger.token)).status).toBe(404)
	})
})
