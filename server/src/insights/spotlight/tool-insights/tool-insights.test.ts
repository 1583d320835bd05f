import { afterAll, beforeAll, expect, it } from 'vitest'
import { toIso } from '../../../platform/clock.ts'
import { describeWithStore } from '../../../platform/database/testing.ts'
import type { Exchange, SpanRow } from '../../../telemetry/index.ts'
import { createRandom } from '../rollups/random-spans.testing.ts'
import { isError, msOf, slowLoops } from './slow-loops.testing.ts'
import { at, type McpStage, spanAt, startMcpStage, withId } from './stage.testing.ts'
import { compare, comparedTools } from './tool-selection.ts'

const minute = 60_000
const random = createRandom(7)
const pick = <T>(of: readonly T[]): T => of[random(of.length)] as T
describeWithStore('tool insights', (store) => {
	let stage: McpStage
	let startMs: number
	let range: { start: string; end: string }
	let agents: { id: string; name: string }[]
	let servers: { id: string; name: string }[]
	let calls: SpanRow[]
	let models: { span: SpanRow; exchange: Exchange }[]
	/** When `search` of the first server was changed, and when it was changed back. */
	let changes: number[]

	const first = { search: 'Finds pages of the handbook by words', open_page: 'Opens one page', drop: 'Drops' }
	const second = { Search: 'Finds tickets by words', 'open-page': 'Opens a page', list: 'Lists all' }
	beforeAll(async () => {
		stage = await startMcpStage(store())
		startMs = stage.clock.nowMs()
		range = { start: toIso(startMs), end: toIso(startMs + 60 * minute) }
		const docs = await stage.offer({ name: 'Docs' }, first)
		const tickets = await stage.offer({ name: 'Tickets' }, second)
		servers = [
			{ id: docs, name: 'Docs' },
			{ id: tickets, name: 'Tickets' },
		]
		agents = [await stage.agent('Rosa', [docs, tickets]), await stage.agent('Milo', [tickets])]
		changes = []
		for (const search of ['Finds pages, by words and by meaning', first.search]) {
			await stage.wait(20 * minute)
			changes.push(stage.clock.nowMs())
			await stage.offer({ ...at(servers, 0), name: 'Docs' }, { ...first, search })
		}
		calls = Array.from({ length: 400 }, randomCall)
		models = Array.from({ length: 60 }, randomModelCall)
		await stage.record(
			[...calls, ...models.map(({ span }) => span)],
			models.map(({ exchange }) => exchange),
		)
	})
	afterAll(() => stage?.close())

	const anyTime = () => startMs + random(60 * minute)
	function randomCall(): SpanRow {
		const server = pick(servers)
		const agent = pick(agents)
		const invalid = random(6) === 0
		return spanAt(stage.app.owner.workspaceId, anyTime(), {
			...{ agentId: agent.id, agentName: agent.name, serverId: server.id, serverName: server.name },
			toolName: server.name === 'Docs' ? pick(['search', 'search', 'open_page']) : pick(['Search', 'list']),
			status: invalid ? 'error' : pick(['ok', 'ok', 'denied', 'interrupted']),
			durationNs: BigInt(random(1000)) * 1_000_000n,
			attributes: new Map([
				['signalbox.arguments_hash', `h${random(12)}`],
				...(invalid ? [['signalbox.invalid_arguments', pick(['', 'query', 'query,limit'])] as const] : []),
			]),
		})
	}
	function randomModelCall() {
		const agent = pick(agents)
		const costNanoUsd = pick([null, BigInt(random(1000))])
		const span = spanAt(stage.app.owner.workspaceId, anyTime(), {
			...{ source: 'model_proxy', kind: 'model_call', agentId: agent.id, agentName: agent.name, costNanoUsd },
		})
		const names = ['docs__search', 'mcp__signalbox__docs__drop', 'tickets__open-page', 'Bash']
		const offered = names.filter(() => random(3) > 0)
		const parts = offered.map((name) => ({
			kind: 'tool' as const,
			name,
			hash: '0'.repeat(32),
			bytes: 10,
			weight: 10,
		}))
		const toolUses = offered.slice(0, random(2)).map((name) => ({ id: name, name, argumentsHash: '' }))
		const of = { ...span, sessionId: 's', parts: [...parts, ...parts.slice(0, 1)], toolUses, results: [] }
		return { span, exchange: { ...of, cacheMarks: 0, cacheSeconds: 0 } satisfies Exchange & SpanRow }
	}

	/** The names by which models know the tools. */
	const ownNames: Record<string, [place: number, tool: string]> = {
		docs__search: [0, 'search'],
		mcp__signalbox__docs__drop: [0, 'drop'],
		'tickets__open-page': [1, 'open-page'],
	}

	it('show what was offered and what was chosen', async () => {
		const { tool_selection: found, total } = await stage.ask('tool-selection', { ...range, limit: '1000' })
		const rows = new Map<string, Record<string, unknown>>()
		const rowOf = (
			agent: object & { name: string },
			server: (object & { name?: string }) | null,
			tool: string,
		) => {
			const key = `${agent.name} ${server?.name} ${tool}`
			const listed =
				server !== null &&
				(agent.name === 'Rosa' || server.name === 'Tickets') &&
				tool in (server.name === 'Docs' ? first : second)
			const row = rows.get(key) ?? {
				agent,
				server,
				tool,
				listed,
				offered: 0,
				chosen: 0,
				calls: 0,
				errors: 0,
				last: 0,
			}
			rows.set(key, row)
			return row as Record<'offered' | 'chosen' | 'calls' | 'errors' | 'last', number>
		}
		for (const tool of Object.keys(first)) rowOf(at(agents, 0), at(servers, 0), tool)
		for (const agent of agents) for (const tool of Object.keys(second)) rowOf(agent, at(servers, 1), tool)
		for (const call of calls) {
			const row = rowOf(withId(agents, call.agentId), withId(servers, call.serverId), call.toolName)
			row.calls += 1
			row.errors += Number(isError(call))
			row.last = Math.max(row.last, msOf(call))
		}
		for (const { span, exchange } of models) {
			const agent = withId(agents, span.agentId)
			const isKnown = (place: number, tool: string) =>
				rows.has(`${agent.name} ${servers[place]?.name} ${tool}`)
			const count = (name: string, what: 'offered' | 'chosen') => {
				const own = ownNames[name]
				const row =
					own && isKnown(...own) ? rowOf(agent, at(servers, own[0]), own[1]) : rowOf(agent, null, name)
				row[what] += 1
			}
			for (const name of new Set(exchange.parts.map(({ name }) => name))) count(name, 'offered')
			for (const { name } of exchange.toolUses) count(name, 'chosen')
		}
		const expected = [...rows.values()].map(({ last, ...row }) => ({
			...row,
			choice_rate: row.offered === 0 ? null : Number(row.chosen) / Number(row.offered),
			last_called_at: last === 0 ? null : toIso(Number(last)),
		}))
		expect(found).toHaveLength(expected.length)
		expect(total).toBe(expected.length)
		expect(found).toEqual(expect.arrayContaining(expected))
		const uses = (found as { calls: number; chosen: number }[]).map((row) => row.calls + row.chosen)
		expect(uses).toEqual(uses.toSorted((a, b) => a - b))
	})

	it('are limited to an agent and a server', async () => {
		const query = { ...range, agent: at(agents, 1).id, server: at(servers, 1).id }
		const { tool_selection: rows } = await stage.ask('tool-selection', query)
		expect((rows as { tool: string }[]).map(({ tool }) => tool).toSorted()).toEqual([
			'Search',
			'list',
			'open-page',
		])
		expect(await stage.ask('retry-loops', { ...query, agent: 'nobody' })).toMatchObject({
			retry_loops: [],
			total: 0,
		})
	})

	it('compare errors and latency before and after a change of a definition', async () => {
		const { definition_changes: found } = await stage.ask('definition-changes', range)
		const figures = (fromMs: number, untilMs: number) => {
			const of = calls.filter(
				(call) => call.toolName === 'search' && msOf(call) >= fromMs && msOf(call) < untilMs,
			)
			const timed = of
				.filter(({ status }) => status !== 'interrupted')
				.map(({ durationNs }) => Number(durationNs))
			const errors = of.filter(isError).length
			const p95 = timed.toSorted((a, b) => a - b)[Math.floor(0.95 * timed.length)]
			const times = { since: toIso(fromMs), until: toIso(untilMs) }
			return { ...times, calls: of.length, errors, error_rate: errors / of.length, p95_ms: Number(p95) / 1e6 }
		}
		const [changed, back] = changes as [number, number]
		const times = [startMs, changed, back, startMs + 60 * minute]
		const expected = [1, 0].map((place) => ({
			...{ server: servers[0], tool: 'search', changed_at: toIso(at(times, place + 1)) },
			before: figures(at(times, place), at(times, place + 1)),
			after: figures(at(times, place + 1), at(times, place + 2)),
		}))
		expect(found).toMatchObject(expected)
		const [last, middle] = found as { before: { hash: string }; after: { hash: string } }[]
		expect([last?.before.hash, last?.after.hash]).toEqual([middle?.after.hash, middle?.before.hash])
	})

	it('count refused arguments by field', async () => {
		const { invalid_arguments: found } = await stage.ask('invalid-arguments', range)
		const counts = new Map<string, number>()
		for (const call of calls) {
			const names = call.attributes.get('signalbox.invalid_arguments')
			if (typeof names !== 'string') continue
			for (const field of names.split(',')) {
				const key = `${call.serverId} ${call.toolName} ${field}`
				counts.set(key, (counts.get(key) ?? 0) + 1)
			}
		}
		const rows = found as {
			server: { id: string }
			tool: string
			field: string | null
			failures: number
			calls: number
		}[]
		expect(
			new Map(rows.map((row) => [`${row.server.id} ${row.tool} ${row.field ?? ''}`, row.failures])),
		).toEqual(counts)
		for (const { tool, calls: all } of rows)
			expect(all).toBe(calls.filter(({ toolName }) => toolName === tool).length)
		expect(rows.map(({ failures }) => failures)).toEqual(
			rows.map(({ failures }) => failures).toSorted((a, b) => b - a),
		)
	})

	it('find repeated identical calls', async () => {
		const { retry_loops: found, total } = await stage.ask('retry-loops', {
			...range,
			min_calls: '2',
			limit: '1000',
		})
		const expected = slowLoops(calls, models)
		expect(total).toBe(expected.length)
		const byTrace = (a: { trace_id: string }, b: { trace_id: string }) => (a.trace_id < b.trace_id ? -1 : 1)
		expect((found as typeof expected).toSorted(byTrace)).toMatchObject(expected.toSorted(byTrace))
		const lengths = (found as typeof expected).map((loop) => loop.calls)
		expect(lengths).toEqual(lengths.toSorted((a, b) => b - a))
	})

	it('find tools that several servers have', async () => {
		const { overlaps } = await stage.ask('overlaps', range)
		const entries = servers.flatMap(({ id }) => stage.app.servers.view.get(id) ?? [])
		const [docs, tickets] = entries.map((entry) => comparedTools([entry]))
		const slow = (docs ?? []).flatMap((one) => (tickets ?? []).flatMap((other) => compare(one, other) ?? []))
		expect(
			(overlaps as { first: { tool: string }; second: { tool: string } }[]).map(({ first, second }) =>
				[first.tool, second.tool].toSorted().join(),
			),
		).toEqual(
			expect.arrayContaining(slow.map(({ first, second }) => [first.tool, second.tool].toSorted().join())),
		)
		expect(overlaps).toMatchObject([{ same_name: true }, { same_name: true }])
		expect(await stage.ask('overlaps', { ...range, agent: at(agents, 1).id })).toMatchObject({ overlaps: [] })
	})

	it('find servers that nobody registered', async () => {
		const { workspaceId } = stage.app.owner
		const otlp = { source: 'otlp' as const, toolName: 'run' }
		const called = (address: string, port: string) => ({
			...{ ...otlp, otlpKind: 3, serviceName: 'bot' },
			attributes: new Map([
				['server.address', address],
				['server.port', port],
			]),
		})
		const known = new URL(stage.app.servers.view.get(at(servers, 0).id)?.url ?? '')
		const ours = at(calls, 0)
		const seen = startMs + minute
		await stage.record([
			spanAt(workspaceId, seen, called('shadow.example', '443')),
			spanAt(workspaceId, seen, { ...called('shadow.example', '443'), status: 'error' }),
			spanAt(workspaceId, seen, called(known.hostname, known.port)),
			spanAt(workspaceId, seen, called('127.0.0.1', '7777')),
			spanAt(workspaceId, seen, { ...otlp, otlpKind: 2, serviceName: 'wild', client: 'cli/1', kind: 'mcp' }),
			// A server behind the gateway records its own span.
			spanAt(workspaceId, seen, {
				...otlp,
				otlpKind: 2,
				serviceName: 'docs',
				traceId: ours.traceId,
				parentSpanId: ours.spanId,
			}),
			spanAt(workspaceId, seen, { ...otlp, otlpKind: 1, serviceName: 'bot' }),
		])
		const { unregistered_servers: found } = await stage.ask('unregistered-servers', range)
		expect(found).toMatchObject([
			{
				seen_as: 'address',
				name: 'shadow.example:443',
				registered_as: null,
				calls: 2,
				errors: 1,
				tools: 1,
				callers: ['bot'],
			},
			{ seen_as: 'address', name: known.host, registered_as: servers[0], calls: 1 },
			{ seen_as: 'service', name: 'wild', registered_as: null, calls: 0, callers: ['cli/1'] },
		])
	})
})
