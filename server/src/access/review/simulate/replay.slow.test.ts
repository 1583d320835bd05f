import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { newId } from '../../../platform/ids.ts'
import { closedAddress } from '../../../servers/testing.ts'
import { decideAccess, type GrantEntry } from '../../grants/index.ts'
import { type RecordedCall, type ReviewStage, startReview } from '../testing.ts'

const proposals = Number(process.env.PROPOSALS ?? (process.env.LONG_TESTS ? 1000 : 30))
const dayMs = 86_400_000
const tools = ['read', 'write', 'list', 'drop']
const groups = ['one', 'two', 'three']
/** All possible arguments, so that every combination can be tried. */
const possible = ['a', 'b', 'c'].flatMap((path) => [0, 1, 2].map((n) => ({ path, n })))
const schemas = [
	{ properties: { path: { const: 'a' } } },
	{ properties: { path: { enum: ['a', 'b'] } }, required: ['path'] },
	{ properties: { n: { maximum: 0 } } },
]

/** A seeded generator, so that a failed run can be reproduced. */
function randomOf(seed: number) {
	let state = seed
	const next = (below: number) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0
		return Math.floor((state / 2 ** 32) * below)
	}
	const one = <T>(list: readonly T[]) => list[next(list.length)] as T
	return { next, one, some: <T>(list: readonly T[]) => list.filter(() => next(2) === 0) }
}

describeWithStore('simulating a change of grants', (store) => {
	const random = randomOf(20261121)
	const { next, one, some } = random
	let app: ReviewStage
	const agents: string[] = []
	const servers: string[] = []
	const toolsets: string[] = []
	const calls: (RecordedCall & { truth: unknown; traceId: string })[] = []

	beforeAll(async () => {
		app = await startReview(store())
		const address = await closedAddress()
		for (const name of ['Alpha', 'Beta'])
			servers.push((await app.create('/v1/mcp/servers', { name, url: address, transport_type: 'http' })).id)
		for (let made = 0; made < 5; made += 1)
			agents.push((await app.create('/v1/agents', { name: `agent ${made}`, groups: some(groups) })).id)
		for (const name of ['First', 'Second'])
			toolsets.push((await app.create('/v1/toolsets', { name, groups: some(groups), tools: someTools() })).id)
		await send('POST', `/v1/agents/${agents[4]}/pause`)
		for (let made = 0; made < 2000; made += 1) calls.push(newCall())
		await app.record(calls.map(({ truth: _, ...call }) => call))
		await app.record(strangeCalls())
	}, 60_000)
	afterAll(() => app?.close())

	const send = (method: string, path: string, body?: object) =>
		app.request(method, path, { token: app.owner.token, ...(body && { body }) })
	const someTools = () => some(servers).map((server_id) => ({ server_id, tools: some(tools) }))

	function newCall() {
		const truth = one(possible)
		return {
			agentId: one(agents),
			serverId: one(servers),
			toolName: one(tools),
			atMs: Date.now() - 60_000 - next(6 * dayMs),
			traceId: randomBytes(16).toString('hex'),
			truth,
			...(next(10) < 7 && { arguments: truth }),
		}
	}

	/** Calls of which none may count. */
	function strangeCalls(): RecordedCall[] {
		const call = () => ({ ...newCall(), truth: undefined })
		return [
			{ ...call(), atMs: Date.now() - 8 * dayMs },
			{ ...call(), source: 'otlp' as const },
			{ ...call(), workspaceId: newId() },
			{ ...call(), kind: 'mcp' as const, mcpMethod: 'tools/list' },
			{ ...call(), agentId: '' },
		].map(({ truth: _, ...rest }) => rest)
	}

	function someTerms() {
		const list = next(2) === 0
		return {
			...(next(4) > 0 &&
				(list ? { access_mode: 'selected', allowed_tools: some(tools) } : { access_mode: 'all' })),
			...(next(4) === 0 && { enabled: next(3) > 0 }),
			...(next(5) === 0 && {
				expires_at: one([null, '2020-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z']),
			}),
			...(next(3) === 0 && {
				constraints: Object.fromEntries(some(tools).map((tool) => [tool, one(schemas)])),
			}),
			...(next(5) === 0 && { approval: Object.fromEntries(some(tools).map((tool) => [tool, 'ask'])) }),
		}
	}

	function someChange() {
		if (next(8) === 0)
			return {
				toolset_id: one(toolsets),
				...(next(2) === 0 ? { tools: someTools() } : { groups: some(groups) }),
			}
		const pair = { server_id: one(servers), agent_uuid: one(agents) }
		const held = app.grants.view.of(pair.agent_uuid, pair.server_id).some(({ source }) => source === 'manual')
		const op =
			next(12) === 0
				? one(['create', 'update', 'delete'])
				: held
					? one(['update', 'update', 'delete'])
					: 'create'
		return { op, ...pair, ...(op !== 'delete' && someTerms()) }
	}

	/** Makes a change through the API. */
	function make(change: ReturnType<typeof someChange>) {
		if ('toolset_id' in change) {
			const { toolset_id, ...content } = change
			return send('PATCH', `/v1/toolsets/${toolset_id}`, content)
		}
		const { op, server_id, agent_uuid, ...terms } = change
		const grants = `/v1/mcp/servers/${server_id}/access`
		if (op === 'create') return send('POST', grants, { agent_uuid, ...terms })
		// An empty PATCH is refused; an empty proposal is not.
		const body = Object.keys(terms).length === 0 ? { agent_uuid } : terms
		return op === 'update'
			? send('PATCH', `${grants}/${agent_uuid}`, body)
			: send('DELETE', `${grants}/${agent_uuid}`)
	}

	type Grants = Map<string, readonly GrantEntry[]>
	const grantsNow = (): Grants =>
		new Map(
			agents.flatMap((agent) =>
				servers.map((server) => [`${agent} ${server}`, app.grants.view.of(agent, server)]),
			),
		)

	const decide = (grants: Grants, { agentId, serverId, toolName }: RecordedCall, values: unknown) =>
		decideAccess({
			agent: app.agents.view.get(agentId),
			server: app.servers.view.get(serverId),
			grants: grants.get(`${agentId} ${serverId}`) ?? [],
			tool: toolName,
			arguments: values,
			nowMs: Date.now(),
		})

	function changeOf(before: Grants, after: Grants, call: RecordedCall, values: unknown): string | null {
		const [then, now] = [decide(before, call, values).allowed, decide(after, call, values).allowed]
		return then === now ? null : now ? 'newly_allowed' : 'newly_denied'
	}

	/** Groups calls that differ only in their time: they have the same decision, which is made once. */
	const alike = (): RecordedCall[][] =>
		Object.values(
			Object.groupBy(calls, ({ agentId, serverId, toolName, arguments: values }) =>
				JSON.stringify([agentId, serverId, toolName, values]),
			),
		) as RecordedCall[][]

	/**
	 * The expected result of a replay: with recorded arguments the decision about them, otherwise the decision that all possible
	 * arguments share.
	 */
	function replay(before: Grants, after: Grants) {
		const found = new Map<string, { calls: RecordedCall[]; group: object }>()
		const totals = {
			calls: calls.length,
			newly_denied: 0,
			newly_allowed: 0,
			unknown: 0,
			unchanged: 0,
			without_server: 0,
		}
		for (const same of alike()) {
			const call = same[0] as RecordedCall
			const tried = call.arguments === undefined ? possible : [call.arguments]
			const changes = new Set(tried.map((values) => changeOf(before, after, call, values)))
			const change = (changes.size === 1 ? [...changes][0] : 'unknown') ?? null
			totals[(change ?? 'unchanged') as 'unchanged'] += same.length
			if (change === null) continue
			const group = {
				change,
				agent: call.agentId,
				server: call.serverId,
				tool: call.toolName,
				reason_before: decide(before, call, call.arguments).reason,
				reason_after: decide(after, call, call.arguments).reason,
			}
			const key = JSON.stringify(group)
			const known = found.get(key) ?? { group, calls: [] }
			known.calls.push(...same)
			found.set(key, known)
		}
		return {
			totals,
			groups: [...found.values()].map(({ group, calls }) => ({ ...group, ...figuresOf(calls) })),
		}
	}

	function figuresOf(of: readonly RecordedCall[]) {
		const newest = [...of].sort((a, b) => b.atMs - a.atMs)
		return {
			calls: of.length,
			first_at: new Date(newest.at(-1)?.atMs ?? 0).toISOString(),
			last_at: new Date(newest[0]?.atMs ?? 0).toISOString(),
			sample_trace_ids: newest.slice(0, 3).map(({ traceId }) => traceId),
		}
	}

	const byKey = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer has.
	const flat = ({ agent, server, change, tool, reason_before, reason_after, ...figures }: any) => ({
		change,
		agent: agent.uuid,
		server: server.id,
		tool,
		reason_before,
		reason_after,
		...figures,
	})

	it(`predicts what ${proposals} random proposals do when they are made and every call is decided again`, async () => {
		let changed = 0
		let refused = 0
		const seen = new Set<string>()
		for (let done = 0; done < proposals; done += 1) {
			const changes = Array.from({ length: 1 + next(4) }, someChange)
			const before = grantsNow()
			const simulated = await send('POST', '/v1/access/simulate', { changes })
			expect(grantsNow()).toEqual(before)
			if (simulated.status !== 200) {
				refused += 1
				if (changes.length > 1) continue
				const { status, body } = await make(changes[0] as (typeof changes)[number])
				expect([simulated.status, simulated.body.code]).toEqual([status, body.code])
				continue
			}
			const inOrder = [
				...changes.filter((each) => 'op' in each),
				...changes.filter((each) => !('op' in each)),
			]
			for (const change of inOrder)
				expect((await make(change)).status, JSON.stringify(changes)).toBeLessThan(300)
			const expected = replay(before, grantsNow())
			const { totals, groups: found, truncated } = simulated.body
			expect(totals, JSON.stringify(changes)).toEqual(expected.totals)
			expect(found.map(flat).sort(byKey), JSON.stringify(changes)).toEqual(expected.groups.sort(byKey))
			expect(found.map(({ calls }: { calls: number }) => calls)).toEqual(
				found.map(({ calls }: { calls: number }) => calls).sort((a: number, b: number) => b - a),
			)
			expect(truncated).toBe(false)
			if (found.length > 0) changed += 1
			for (const { change } of found) seen.add(change)
		}
		expect([...seen].sort()).toEqual(['newly_allowed', 'newly_denied', 'unknown'])
		expect(changed).toBeGreaterThan(proposals / 3)
		expect(refused).toBeLessThan(proposals / 3)
	}, 3_600_000)
})
