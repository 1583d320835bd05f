import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import {
	encodeExchange,
	encodeSpanRow,
	exchangeColumnNames,
	newSpanRow,
	type SpanRow,
	spanColumnNames,
} from '../../telemetry/index.ts'
import {
	groupings,
	presentGroup,
	readBreakdown,
	readOverview,
	readUsage,
	sortExpressions,
} from './breakdowns.ts'
import { startJoinedStore } from './joined-store.testing.ts'
import { readFacets } from './spotlight.ts'
import { readTimeseries } from './timeseries.ts'

const startMs = 1_790_000_000_000
const range = { startMs, endMs: startMs + 3_600_000 }
const ids = { alpha: '0192f0c1-0000-7000-8000-00000000000a', beta: '0192f0c1-0000-7000-8000-00000000000b' }
const server = { serverId: '0192f0c1-0000-7000-8000-000000000001', serverName: 'Docs' }
let count = 0

function row(fields: Partial<SpanRow>, atMs = startMs + 1000): SpanRow {
	count += 1
	return newSpanRow({
		workspaceId: 'w1',
		traceId: count.toString(16).padStart(32, '0'),
		spanId: count.toString(16).padStart(16, '0'),
		name: 'n',
		source: 'gateway',
		kind: 'tool_call',
		status: 'ok',
		startNs: BigInt(atMs) * 1_000_000n,
		durationNs: 10_000_000n,
		...fields,
	})
}

const alpha = { agentId: ids.alpha, agentName: 'Alpha', sessionId: 's1', userId: 'jane', client: 'cli/1' }
const beta = { agentId: ids.beta, agentName: 'Beta', sessionId: 's2', client: 'cli/2' }
const failed = { status: 'error', errorType: 'timeout', statusMessage: 'took too long' } as const
const model = { source: 'model_proxy', kind: 'model_call', provider: 'openai', model: 'gpt-5.6-sol' } as const
const prod = new Map([['env', 'prod']])
/** A span from an SDK, of an agent and a server that are not registered. */
const seen = {
	...({ source: 'otlp', otlpKind: 3, serviceName: 'my-app', toolName: 'add' } as const),
	...{ agentName: 'planner', serverName: 'calculator' },
}
const rows = [
	row({ ...alpha, ...server, toolName: 'search' }),
	row({ ...alpha, ...server, toolName: 'search', ...failed }, startMs + 5000),
	row({ ...alpha, agentName: 'Alpha renamed', ...server, toolName: 'fetch' }, startMs + 9000),
	row({ ...beta, ...server, toolName: 'search' }),
	row({ ...beta, source: 'otlp', serviceName: 'weather', toolName: 'forecast', attributes: prod }),
	row({ ...beta, ...model, inputTokens: 100, outputTokens: 20, costNanoUsd: 800_000n }),
	row({ ...beta, ...model, model: '', modelRequested: 'unknown', inputTokens: 5 }),
	...['resources/read', 'prompts/get'].map((mcpMethod) => row({ ...server, kind: 'mcp', mcpMethod })),
	row({ ...alpha, ...server, toolName: 'search' }, startMs - 60_000),
	row({ ...alpha, ...server, toolName: 'search', workspaceId: 'w2' }),
	...[seen, { ...seen, serverName: '' }, { ...seen, ...alpha }].map((fields) =>
		row({ ...fields, workspaceId: 'w3' }),
	),
]

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
	await started.store.insertRowBinary({
		table: 'spans',
		columns: spanColumnNames,
		rows: rows.map(encodeSpanRow),
		deduplicationToken: 'b1',
	})
	const withMessage = rows[5] as SpanRow
	const hash = 'ab'.repeat(16)
	await started.store.insertRowBinary({
		...{ table: 'exchanges', columns: exchangeColumnNames, deduplicationToken: 'b2' },
		rows: [
			encodeExchange(
				{
					...{ ...withMessage, toolUses: [], results: [], cacheMarks: 0, cacheSeconds: 0 },
					parts: [{ kind: 'message', name: 'user', hash, bytes: 10 }],
				},
				30,
			),
		],
	})
	await started.store.command(
		`INSERT INTO messages (workspace_id, recorded_at, hash, text) SELECT 'w1', now64(9), unhex('${hash}'), 'about the GEWÜRZ'`,
	)
})
afterAll(() => started.close())

type Noun = keyof typeof groupings
const read = (noun: Noun, more: object = {}) =>
	readBreakdown(started.store, {
		...{ workspaceId: 'w1', range, noun, query: { sort: 'calls', limit: 50, ...more } },
		present: (sums): object => presentGroup[noun](sums),
	})

describe('calls are grouped', () => {
	it('by tool and its server; a server that is not registered is shown by its service name', async () => {
		const { rows: tools, total } = await read('tools')
		const docs = { id: server.serverId, name: 'Docs' }
		expect(total).toBe(3)
		expect(tools).toMatchObject([
			{ tool: 'search', server: docs, calls: 3, errors: 1, error_rate: 1 / 3, users: 1, sessions: 2 },
			{ tool: 'fetch', server: docs, calls: 1, errors: 0 },
			{ tool: 'forecast', server: { id: null, name: 'weather' }, calls: 1 },
		])
		expect(tools[0]).toMatchObject({
			first_seen_at: new Date(startMs + 1000).toISOString(),
			last_seen_at: new Date(startMs + 5000).toISOString(),
		})
	})

	it('by server, agent, model, user, client and session', async () => {
		expect((await read('servers')).rows).toMatchObject([
			{ server: { name: 'Docs' }, registered: true, calls: 4 },
			{ server: { id: null, name: 'weather' }, registered: false, calls: 1 },
		])
		expect((await read('agents')).rows).toMatchObject([
			{ agent: { id: ids.beta, name: 'Beta' }, calls: 4, cost_nano_usd: '800000', unpriced_calls: 1 },
			{ agent: { id: ids.alpha, name: 'Alpha renamed' }, calls: 3 },
		])
		expect((await read('models')).rows).toMatchObject([
			{ provider: 'openai', model: 'gpt-5.6-sol', calls: 1, tokens: { input: 100, output: 20 } },
			{ provider: 'openai', model: 'unknown', calls: 1, unpriced_calls: 1, cost_nano_usd: '0' },
		])
		expect((await read('users')).rows).toMatchObject([{ user_id: 'jane', calls: 3 }])
		expect((await read('clients')).rows).toMatchObject([{ client: 'cli/2' }, { client: 'cli/1' }])
		expect((await read('sessions')).rows).toMatchObject([
			{ session_id: 's2', agent: { id: ids.beta }, user_id: null, calls: 4 },
			{ session_id: 's1', agent: { id: ids.alpha }, user_id: 'jane', calls: 3 },
		])
		// Each call takes 10 ms.
		expect((await read('sessions')).rows).toMatchObject([
			{ ended_at: new Date(startMs + 1010).toISOString() },
			{ ended_at: new Date(startMs + 9010).toISOString() },
		])
	})

	it('by agents and servers that are not registered, under the names in their spans', async () => {
		const of = (noun: 'agents' | 'servers') =>
			readBreakdown(started.store, {
				...{ workspaceId: 'w3', range, noun, query: { sort: 'calls', limit: 50 } },
				present: (sums): object => presentGroup[noun](sums),
			})
		expect((await of('agents')).rows).toMatchObject([
			{ agent: { id: null, name: 'planner' }, calls: 2 },
			{ agent: { id: ids.alpha, name: 'Alpha' }, calls: 1 },
		])
		expect((await of('servers')).rows).toMatchObject([
			{ server: { id: null, name: 'calculator' }, registered: false, calls: 2 },
			{ server: { id: null, name: 'my-app' }, registered: false, calls: 1 },
		])
	})

	it('by error, with the newest case', async () => {
		expect((await read('errors')).rows).toMatchObject([
			{
				error_type: 'timeout',
				kind: 'tool_call',
				status: 'error',
				tool: 'search',
				model: null,
				message: 'took too long',
				trace_id: '2'.padStart(32, '0'),
				calls: 1,
			},
		])
	})

	const sorts = Object.keys(sortExpressions)
	const nouns = Object.keys(groupings) as Noun[]
	/** Sort orders and groupings are independent parts of one statement: the short form tests each of both, the long form all pairs. */
	const sorted = (place: number) =>
		nouns.filter((_, at) => process.env.LONG_TESTS || at % sorts.length === place)

	it.each(sorts.map((sort, place) => [sort, sorted(place)] as const))(
		'sorted by %s in descending order, up to the limit',
		async (sort, by) => {
			expect(by).not.toEqual([])
			for (const noun of by) {
				const { rows: first, total } = await read(noun, { sort, limit: 1 })
				expect(first).toHaveLength(1)
				expect(total).toBeGreaterThanOrEqual(1)
			}
			if (sort === 'cost')
				expect((await read('agents', { sort })).rows[0]).toMatchObject({ agent: { name: 'Beta' } })
		},
	)

	it('for one agent, tool, model, user, session, kind or failure only', async () => {
		const calls = async (filter: object) => (await readOverview(started.store, 'w1', range, filter)).calls
		expect(await calls({})).toBe(7)
		expect(await calls({ agent: ids.alpha })).toBe(3)
		expect(await calls({ server: server.serverId, tool: 'search' })).toBe(3)
		expect(await calls({ model: 'unknown' })).toBe(1)
		expect(await calls({ user: 'jane', status: 'ok' })).toBe(2)
		expect(await calls({ session: 's2', kind: 'tool_call' })).toBe(2)
		expect(await calls({ error_type: 'timeout' })).toBe(1)
		expect(await calls({ tool: "x' OR 1 = 1 --" })).toBe(0)
		const { buckets } = await readTimeseries(started.store, 'w1', range, { agent: ids.beta })
		expect(buckets.reduce((sum, bucket) => sum + bucket.calls, 0)).toBe(4)
	})

	it('compared with the previous range of the same length', async () => {
		const { previous } = await readOverview(started.store, 'w1', range, {}, { compare: true })
		expect(previous).toMatchObject({ calls: 1, tool_calls: 1, error_rate: 0 })
	})

	it('also by any field or attribute, each with its previous figures', async () => {
		const { rows: lines } = await read('tools', { group_by: ['client', 'env'], compare: 'previous' })
		expect(lines).toMatchObject([
			{ tool: 'search', group: { client: 'cli/1', env: '' }, calls: 2, previous: { calls: 1, errors: 0 } },
			{ tool: 'fetch', group: { client: 'cli/1' }, calls: 1, previous: null },
			{ tool: 'search', group: { client: 'cli/2' }, calls: 1, previous: null },
			{ tool: 'forecast', group: { client: 'cli/2', env: 'prod' }, calls: 1, previous: null },
		])
	})

	it('by the largest change, including groups that no longer have calls', async () => {
		const later = { startMs: range.endMs, endMs: range.endMs + 3_600_000 }
		const { usage, total } = await readUsage(started.store, 'w1', later, {
			...{ group_by: ['agent_name'], sort: 'errors_change', limit: 1 },
		})
		expect(total).toBe(3)
		expect(usage).toMatchObject([
			{ group: { agent_name: 'Alpha' }, calls: 0, previous: { calls: 2, errors: 1 } },
		])
	})

	it('filtered by conditions on fields and attributes; an invalid condition is refused by name', async () => {
		const calls = async (...filter: string[]) =>
			(await readOverview(started.store, 'w1', range, { filter })).calls
		expect(await calls('env=prod')).toBe(1)
		expect(await calls('tool~=SEAR', 'client=cli/1')).toBe(2)
		expect(await calls('cost_usd>=0.0008')).toBe(1)
		expect(await calls('@tool')).toBe(0)
		expect(await calls(`agent=${ids.beta}`)).toBe(4)
		expect(await calls(`agent_uuid=${ids.beta}`)).toBe(4)
		await expect(calls('duration_ms>long')).rejects.toThrow(
			'filter compares with a number, which "long" is not',
		)
		await expect(calls('duration_ms~=1')).rejects.toThrow('filter contains')
	})

	it('with a search in all texts, also negated', async () => {
		const calls = async (...filter: string[]) =>
			(await readOverview(started.store, 'w1', range, { filter })).calls
		expect(await calls('text~=TOOK too')).toBe(1)
		expect(await calls('text!~=took too')).toBe(6)
		expect(await calls('text~=the Gewürz')).toBe(1)
		expect(await calls('tool!~=sear')).toBe(4)
		await expect(calls('text=took')).rejects.toThrow('filter looks for words')
	})

	it('the values of several fields are counted at once, each under the conditions on the others', async () => {
		const of = (more: object) =>
			readFacets(started.store, 'w1', range, { fields: [], of: 'calls', limit: 10, ...more })
		const value = (value: string, count: number, errors = 0, label: string | null = null) => ({
			...{ value, label, count, errors },
		})
		const { facets } = await of({ fields: ['tool', 'agent', 'env'], client: 'cli/1', filter: ['tool=fetch'] })
		expect(facets).toEqual([
			{ field: 'tool', total: 2, values: [value('search', 2, 1), value('fetch', 1)] },
			{ field: 'agent', total: 1, values: [value(ids.alpha, 1, 0, 'Alpha renamed')] },
			{ field: 'env', total: 0, values: [] },
		])
		expect((await of({ fields: ['status', 'user'], limit: 1 })).facets).toEqual([
			{ field: 'status', total: 2, values: [value('ok', 6)] },
			{ field: 'user', total: 1, values: [value('jane', 3, 1)] },
		])
		expect((await of({ fields: ['kind', 'env'], of: 'spans' })).facets).toEqual([
			{
				field: 'kind',
				total: 3,
				values: [value('tool_call', 5, 1), value('mcp', 2), value('model_call', 2)],
			},
			{ field: 'env', total: 1, values: [value('prod', 1)] },
		])
	})

	it('sessions by value: each is counted once per value, however many of its calls have it', async () => {
		const asked = { fields: ['tool', 'agent', 'status'], of: 'sessions' as const, limit: 10 }
		const { facets } = await readFacets(started.store, 'w1', range, asked)
		for (const { field, values } of facets)
			for (const { value, count, errors } of values) {
				const { total } = await read('sessions', { filter: [`${field}=${value}`] })
				const failed = await read('errors', { filter: [`${field}=${value}`] })
				expect([field, value, count]).toEqual([field, value, total])
				expect(errors > 0).toBe(failed.total > 0)
			}
		expect(facets[0]?.values.map(({ value, count }) => [value, count])).toEqual([
			['search', 2],
			['fetch', 1],
			['forecast', 1],
		])
		expect(
			(await readFacets(started.store, 'w1', range, { ...asked, filter: ['env=prod'] })).facets,
		).toMatchObject([
			{ field: 'tool', total: 1 },
			{ field: 'agent', total: 1 },
			{ field: 'status', total: 1 },
		])
	})

	it('over time, for each group separately', async () => {
		const { series, previous_buckets } = await readTimeseries(
			started.store,
			'w1',
			range,
			{},
			{
				...{ groupBy: ['agent'], compare: true },
			},
		)
		const sizes = series?.map(({ group, buckets }) => [
			group.agent,
			buckets.reduce((n, { calls }) => n + calls, 0),
		])
		expect(sizes).toEqual([
			[ids.beta, 4],
			[ids.alpha, 3],
		])
		expect(previous_buckets?.reduce((n, { calls }) => n + calls, 0)).toBe(1)
	})

	it('each bucket of the previous range is cut like the one it is compared with, and none is missing', async () => {
		const [last] = (await read('tools', { sort: 'last_seen' })).rows
		const startMs = Math.ceil(Date.parse(last?.last_seen_at ?? '') / 3_600_000) * 3_600_000 + 600_000
		const later = { startMs, endMs: startMs + 80 * 60_000 }
		const asked = { intervalMs: 3_600_000, compare: true }
		const { buckets, previous_buckets } = await readTimeseries(started.store, 'w1', later, {}, asked)
		const { previous } = await readOverview(started.store, 'w1', later, {}, asked)
		expect(previous?.calls).toBeGreaterThan(0)
		expect(previous_buckets?.reduce((n, { calls }) => n + calls, 0)).toBe(previous?.calls)
		const startsOf = (of: typeof buckets | undefined) => of?.map(({ start }) => Date.parse(start))
		expect(startsOf(previous_buckets)).toEqual(startsOf(buckets)?.map((start) => start - 80 * 60_000))
	})

	it('lists that show servers are filtered and grouped by the name of a server like others', async () => {
		const { calls } = await readOverview(started.store, 'w1', range, {
			kind: 'tool_call',
			filter: ['server_name'],
		})
		expect(calls).toBeGreaterThan(0)
		for (const noun of ['tools', 'servers'] as const) {
			const { rows } = await read(noun, { filter: ['server_name'], group_by: ['server_name'] })
			expect(rows.reduce((sum, row) => sum + row.calls, 0)).toBe(calls)
			expect(rows.every(({ group }) => group?.server_name !== '')).toBe(true)
		}
		for (const noun of ['errors', 'resources', 'prompts'] as const)
			expect(await read(noun, { filter: ['server_name=nobody'] })).toMatchObject({ total: 0 })
	})

	it('the sums of every list equal the overview of its calls', async () => {
		const all = await readOverview(started.store, 'w1', range, { kind: 'tool_call' })
		for (const noun of ['tools', 'servers'] as const) {
			const { rows: groups } = await read(noun)
			expect(groups.reduce((sum, group) => sum + group.calls, 0)).toBe(all.calls)
			expect(groups.reduce((sum, group) => sum + group.errors, 0)).toBe(all.errors)
		}
	})
})
