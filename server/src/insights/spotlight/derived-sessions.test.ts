import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { createSealer } from '../../platform/crypto/seal.ts'
import { spanInsert } from '../../telemetry/blocks/native.testing.ts'
import { newSpanRow, type SpanRow } from '../../telemetry/index.ts'
import { presentGroup, readBreakdown, readOverview } from './breakdowns.ts'
import { startJoinedStore } from './joined-store.testing.ts'
import { readSession } from './sessions/read-session.ts'

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
})
afterAll(() => started.close())

const dayMs = Date.parse('2026-06-01T00:00:00Z')
const minuteMs = 60_000
let spans = 0

function call(atMinutes: number, fields: Partial<SpanRow> = {}): SpanRow {
	const id = (++spans).toString(16)
	return newSpanRow({
		...{ workspaceId: 'w1', name: 'call', source: 'gateway', kind: 'tool_call', status: 'ok' },
		traceId: id.padStart(32, '0'),
		spanId: id.padStart(16, '0'),
		startNs: BigInt(dayMs + atMinutes * minuteMs) * 1_000_000n,
		...{ agentId: 'a1', client: 'cli/1', serverId: 's1', toolName: 'search' },
		...fields,
	})
}

const sessionReads = (): Parameters<typeof readSession>[0] => ({
	telemetry: started.store,
	sealer: createSealer(Buffer.alloc(32, 7)),
	joinEqual: (_asked, answer) => answer(),
})

async function store(...rows: SpanRow[]): Promise<void> {
	await started.store.insertRowBinary({
		...spanInsert(rows),
		deduplicationToken: `b${++spans}`,
	})
}

const minutes = (from: number, to: number) => ({
	startMs: dayMs + from * minuteMs,
	endMs: dayMs + to * minuteMs,
})
async function sessionsOf(range = minutes(0, 600), workspaceId = 'w1') {
	const query = { sort: 'calls', limit: 50 } as const
	const { rows } = await readBreakdown(started.store, {
		...{ workspaceId, range, noun: 'sessions', query },
		present: presentGroup.sessions,
	})
	return rows.sort((a, b) => (a.first_seen_at + a.session_id < b.first_seen_at + b.session_id ? -1 : 1))
}

test('two callers side by side have a session each, until one pauses for over half an hour', async () => {
	const other = { userId: 'joe' }
	await store(
		call(60),
		call(61, other),
		call(89),
		call(90, other),
		call(119),
		call(150),
		call(151, { sessionId: 'named' }),
	)
	const sessions = await sessionsOf()
	expect(sessions.map(({ calls, is_derived, user_id }) => [calls, is_derived, user_id])).toEqual([
		[3, true, null],
		[2, true, 'joe'],
		[1, true, null],
		[1, false, null],
	])
	expect(sessions[0]).toMatchObject({ agent: { id: 'a1' }, client: 'cli/1', sessions: 1 })
})

test('a session has the same id in every range, and its calls are found by it', async () => {
	const [first] = await sessionsOf()
	const [later] = await sessionsOf(minutes(80, 100))
	expect([later?.session_id, later?.calls]).toEqual([first?.session_id, 1])
	const id = first?.session_id ?? ''
	expect(await readOverview(started.store, 'w1', minutes(0, 600), { session: id })).toMatchObject({
		calls: 3,
		sessions: 1,
	})
	const reads = sessionReads()
	expect(await readSession(reads, 'w1', id, { limit: 10 }, 'allowed')).toMatchObject({
		is_derived: true,
		calls: [{ tool: 'search' }, { tool: 'search' }, { tool: 'search' }],
		next_cursor: null,
	})
	await expect(readSession(reads, 'w2', id, { limit: 10 }, 'allowed')).rejects.toThrow('session')
})

test('a session has its calls in other traces too, if it was named by another view of them', async () => {
	const shared = {
		workspaceId: 'w4',
		attributes: new Map([['gen_ai.tool.call.id', 'toolu_0123456789abcdef']]),
	}
	await store(
		call(60, { ...shared, sessionId: 'far', source: 'otlp', otlpKind: 3, agentId: '' }),
		call(60.01, { ...shared, durationNs: 9_000_000_000n }),
	)
	expect(await sessionsOf(minutes(0, 600), 'w4')).toMatchObject([{ session_id: 'far', calls: 1 }])
	const reads = sessionReads()
	expect(await readSession(reads, 'w4', 'far', { limit: 10 }, 'allowed')).toMatchObject({
		...{ tool_calls: 1, sessions: 1, calls: [{ tool: 'search', duration_ms: 9000 }] },
		...{ started_at: '2026-06-01T01:00:00.000Z', ended_at: '2026-06-01T01:00:09.600Z' },
	})
})

test('another server is another session, and each day starts a new one', async () => {
	const at = (minute: number, fields: Partial<SpanRow> = {}) => call(minute, { workspaceId: 'w3', ...fields })
	await store(at(1430), at(1431, { serverId: 's2' }), at(1450), at(1440 + 5, { agentId: '', client: '' }))
	expect(await sessionsOf(minutes(1400, 1500), 'w3')).toHaveLength(3)
})

test('a late call between two sessions merges them under the id of the first', async () => {
	const before = await sessionsOf()
	await store(call(135))
	const after = await sessionsOf()
	expect(after.map(({ calls }) => calls)).toEqual([5, 2, 1])
	expect(after[0]?.session_id).toBe(before[0]?.session_id)
})
