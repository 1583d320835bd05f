import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { encodeSpanRow, newSpanRow, type SpanRow, spanColumnNames } from '../../telemetry/index.ts'
import {
	presentGroup,
	readBreakdown,
	readFigures,
	readOverview,
	readUsageGroups,
	readWindows,
} from './breakdowns.ts'
import type { CallFilter } from './call-filter.ts'
import { startJoinedStore } from './joined-store.testing.ts'
import { rollDirtyHours } from './rollups/roll-hours.ts'
import { readTimeseries } from './timeseries.ts'

const startMs = Date.parse('2026-09-21T14:00:00Z')
const range = { startMs, endMs: startMs + 60 * 60 * 1000 }
const list = { sort: 'calls', limit: 50 } as const
let started: TestStore
let spans = 0

function span(fields: Partial<SpanRow>): SpanRow {
	const id = (++spans).toString(16)
	return newSpanRow({
		workspaceId: 'w1',
		traceId: id.padStart(32, '0'),
		spanId: id.padStart(16, '0'),
		name: 'n',
		source: 'gateway',
		kind: 'mcp',
		status: 'ok',
		startNs: BigInt(startMs + 1000 + spans) * 1_000_000n,
		durationNs: 5_000_000n,
		serverId: 'v1',
		serverName: 'Docs',
		agentId: 'a1',
		...fields,
	})
}
const read = (uri: string, fields: Partial<SpanRow> = {}) =>
	span({ mcpMethod: 'resources/read', attributes: new Map([['mcp.resource.uri', uri]]), ...fields })
const get = (name: string, fields: Partial<SpanRow> = {}) =>
	span({ mcpMethod: 'prompts/get', attributes: new Map([['gen_ai.prompt.name', name]]), ...fields })

/** One read, recorded by the client, the gateway and the server in one trace. */
function seenByThree(uri: string): SpanRow[] {
	const traceId = 'f'.repeat(32)
	const client = read(uri, { traceId, source: 'otlp', otlpKind: 3, serverId: '', serverName: '' })
	const http = span({ traceId, source: 'otlp', kind: 'other', parentSpanId: client.spanId, serverId: '' })
	const gateway = read(uri, { traceId, parentSpanId: http.spanId })
	const server = read(uri, {
		traceId,
		source: 'otlp',
		otlpKind: 2,
		serverId: '',
		parentSpanId: gateway.spanId,
	})
	return [client, http, gateway, server]
}

beforeAll(async () => {
	started = await startJoinedStore()
	const rows = [
		...[read('file:///a'), read('file:///a', { status: 'error', errorType: 'timeout' }), read('file:///b')],
		...seenByThree('file:///c'),
		...[
			get('review', { sessionId: 's1' }),
			get('review'),
			get('plan', { serverId: 'v2', serverName: 'Plans' }),
		],
		...[
			span({ mcpMethod: 'tools/list' }),
			span({ mcpMethod: 'tools/list', serverId: '', serverName: '', serviceName: 'signalbox' }),
		],
		...[span({ kind: 'tool_call', toolName: 'search' }), span({ kind: 'model_call', source: 'model_proxy' })],
	]
	await started.store.insertRowBinary({
		table: 'spans',
		columns: spanColumnNames,
		rows: rows.map(encodeSpanRow),
		deduplicationToken: 'requests',
	})
})
afterAll(() => started.close())

test('each record of a request shows its session, also next to calls', async () => {
	const sessions = ['client', '', 'gateway', 'server']
	const rows = seenByThree('file:///d').map((row, at) => ({
		...{ ...row, workspaceId: 'w2', traceId: 'e'.repeat(32), sessionId: sessions[at] ?? '' },
	}))
	await started.store.insertRowBinary({
		...{ table: 'spans', columns: spanColumnNames, deduplicationToken: 'shown' },
		rows: rows.map(encodeSpanRow),
	})
	const sessionsOf = async (filter: CallFilter) =>
		(await readOverview(started.store, 'w2', range, filter)).sessions
	expect(await sessionsOf({ filter: ['text~=FILE:'] })).toBe(3)
	expect(await sessionsOf({ filter: ['name=n', 'source=otlp'] })).toBe(2)
})

test('what a client asks when it connects shows no session, however the figures are asked for', async () => {
	const rows = [
		span({ sessionId: 'calls', kind: 'tool_call' }),
		span({ sessionId: 'connects', mcpMethod: 'tools/list' }),
		span({ sessionId: 'reads', mcpMethod: 'resources/read' }),
	].map((row) => ({ ...row, workspaceId: 'w4' }))
	await started.store.insertRowBinary({
		...{ table: 'spans', columns: spanColumnNames, deduplicationToken: 'connects' },
		rows: rows.map(encodeSpanRow),
	})
	const everything = [{}, { filter: ['!zzz'] }, { filter: ['source=gateway'] }, { filter: ['text!~=zzz'] }]
	const requests = [{ kind: 'mcp' }, { kind: 'mcp', filter: ['source=gateway'] }]
	const windows = { firstEndMs: range.endMs, intervalMs: 1000, lengthMs: range.endMs - startMs, count: 1 }
	for (const filter of [...everything, ...requests]) {
		const [window] = await readWindows(started.store, 'w4', windows, filter)
		const figures = await readFigures(started.store, 'w4', range, filter)
		expect([filter, figures.sessions, window?.sessions]).toEqual([filter, 2, 2])
	}
	expect(await readFigures(started.store, 'w4', range, { filter: ['session=connects'] })).toMatchObject({
		sessions: 0,
	})
})

const overview = (filter: CallFilter) => readOverview(started.store, 'w1', range, filter)
const rowsOf = async (noun: keyof typeof presentGroup, filter: CallFilter = {}) =>
	(
		await readBreakdown<object>(started.store, {
			...{ workspaceId: 'w1', range, noun, query: { ...filter, ...list } },
			present: presentGroup[noun],
		})
	).rows

describe.each(['spans', 'rollups'])('MCP requests other than tool calls, with calls in %s', (from) => {
	beforeAll(async () => {
		if (from === 'rollups') await rollDirtyHours(started.store, new AbortController().signal, { afterMs: 0 })
	})

	test('are counted where they are asked for, each once, and never as calls', async () => {
		expect(await overview({})).toMatchObject({ calls: 2, tool_calls: 1, model_calls: 1 })
		expect(await overview({ kind: 'mcp' })).toMatchObject({
			...{ calls: 9, errors: 1, tool_calls: 0, model_calls: 0, unpriced_calls: 0, sessions: 1 },
			latency_ms: { p50: 5, p95: 5, p99: 5 },
		})
		expect(await overview({ filter: ['kind=mcp', 'status=error'] })).toMatchObject({ calls: 1, errors: 1 })
		expect(await overview({ kind: 'mcp', server: 'v2' })).toMatchObject({ calls: 1 })
	})

	test('are found by resource and prompt', async () => {
		expect(await overview({ resource: 'file:///a' })).toMatchObject({ calls: 2, errors: 1 })
		expect(await overview({ prompt: 'review', kind: 'mcp' })).toMatchObject({ calls: 2, sessions: 1 })
		expect(await overview({ filter: ['resource~=FILE:'] })).toMatchObject({ calls: 4 })
		expect(await overview({ kind: 'tool_call', resource: 'file:///a' })).toMatchObject({ calls: 0 })
	})

	test('have lists of resources and prompts, like that of tools', async () => {
		const docs = { id: 'v1', name: 'Docs' }
		expect(await rowsOf('resources')).toMatchObject([
			{ server: docs, resource: 'file:///a', calls: 2, errors: 1 },
			{ server: docs, resource: 'file:///b', calls: 1 },
			{ server: docs, resource: 'file:///c', calls: 1 },
		])
		expect(await rowsOf('prompts')).toMatchObject([
			{ server: docs, prompt: 'review', calls: 2, sessions: 1 },
			{ server: { id: 'v2', name: 'Plans' }, prompt: 'plan', calls: 1 },
		])
		expect(await rowsOf('prompts', { kind: 'tool_call' })).toEqual([])
		expect(await rowsOf('tools', { kind: 'mcp' })).toEqual([])
	})

	test('are grouped and shown over time like calls', async () => {
		const query = { kind: 'mcp', group_by: ['mcp_method'], ...list }
		const { rows } = await readUsageGroups(started.store, 'w1', range, query)
		expect(rows.map(({ group, calls }) => [group.mcp_method, calls])).toEqual([
			['resources/read', 4],
			['prompts/get', 3],
			['tools/list', 2],
		])
		expect(await rowsOf('servers', { kind: 'mcp' })).toMatchObject([
			{ server: { id: 'v1' }, calls: 7 },
			{ server: { id: 'v2' }, calls: 1 },
		])
		expect(await rowsOf('errors', { kind: 'mcp' })).toMatchObject([{ kind: 'mcp', error_type: 'timeout' }])
		const { buckets } = await readTimeseries(started.store, 'w1', range, { kind: 'mcp' })
		expect(buckets[0]).toMatchObject({ calls: 9, errors: 1, tool_calls: 0, model_calls: 0 })
	})
})

test('the list of resources accepts conditions on attributes and groups by them, like every list', async () => {
	for (const query of [{ filter: ['!tier'] }, { group_by: ['tier'] }]) {
		const { total } = await readBreakdown(started.store, {
			...{ workspaceId: 'w1', range, noun: 'resources', query: { ...list, ...query } },
			present: presentGroup.resources,
		})
		expect(total).toBeGreaterThan(0)
	}
})
