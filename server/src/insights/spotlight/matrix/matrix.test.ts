import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codingAgents } from '../../../../../checks/instrumentations/coding-agents.ts'
import { instrumentedPrograms } from '../../../../../checks/instrumentations/programs.ts'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { spanInsert } from '../../../telemetry/blocks/native.testing.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import { readOverview, readUsageGroups } from '../breakdowns.ts'
import { startJoinedStore } from '../joined-store.testing.ts'
import { replay } from './replay.testing.ts'

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
})
afterAll(() => started.close())

const minuteMs = 60_000
/** Each cell is a workspace of its own. */
let cells = 0

/** `who`: the session and the user whose calls are counted. */
async function figuresOf(who: { session: string; user: string }, rows: readonly SpanRow[]) {
	const workspaceId = `w${++cells}`
	await started.store.insertRowBinary({
		...spanInsert(rows.map((row) => ({ ...row, workspaceId }))),
		deduplicationToken: workspaceId,
	})
	const startMs = Number((rows[0] as SpanRow).startNs / 1_000_000n)
	const range = { startMs: startMs - 10 * minuteMs, endMs: startMs + 10 * minuteMs }
	const overview = await readOverview(started.store, workspaceId, range)
	const asked = { group_by: ['session', 'user', 'agent_name'], sort: 'calls' as const, limit: 50 }
	const groups = (await readUsageGroups(started.store, workspaceId, range, asked)).rows
	const callsOf = (field: string, value: string) =>
		groups.filter(({ group }) => group[field] === value).reduce((sum, { calls }) => sum + calls, 0)
	return {
		models: overview.model_calls,
		tools: overview.tool_calls,
		costNanoUsd: overview.cost_nano_usd,
		ofSession: callsOf('session', who.session),
		ofUser: callsOf('user', who.user),
		ofAgent: callsOf('agent_name', 'planner'),
		...{ sessions: overview.sessions, users: overview.users },
	}
}

describe.each(instrumentedPrograms)('$language $kind', ({ language, kind, names, done, unseen }) => {
	const name = `${language}-${kind}`
	const { program, proxy, gateway } = replay(name)
	const who = { session: `session-${name}`, user: `user-${name}` }
	/** Tools do not receive what a program names in headers of its model calls; and nobody names what its spans leave out. */
	const isInSpans = names === 'spans'
	const named = isInSpans ? done.models - unseen.models + done.tools : done.models
	const nameless = done.models + done.tools - named

	test('through the proxy and the gateway', async () => {
		expect(await figuresOf(who, [...program, ...proxy, ...gateway])).toEqual({
			...{ ...done, ofSession: named, ofUser: named, ofAgent: done.models + done.tools },
			...{ sessions: 1 + nameless, users: 1 },
		})
	})

	test.runIf(process.env.LONG_TESTS)('through the proxy', async () => {
		const tools = done.tools - unseen.tools
		expect(await figuresOf(who, [...program, ...proxy])).toMatchObject({
			...{ models: done.models, tools, costNanoUsd: done.costNanoUsd },
			...{ ofSession: isInSpans ? named : done.models, sessions: 1 + unseen.models, users: 1 },
		})
	})

	test.runIf(process.env.LONG_TESTS)('alone', async () => {
		const [models, tools] = [done.models - unseen.models, done.tools - unseen.tools]
		const ofSession = isInSpans ? models + tools : 0
		const known = Number(isInSpans)
		expect(await figuresOf(who, program)).toMatchObject({
			...{ models, tools, ofSession, ofUser: ofSession, sessions: known, users: known },
		})
	})
})

// Claude Code, Codex and Gemini CLI as released by their vendors: their log events and spans, and their traffic through Signalbox.
describe.each(codingAgents.map((agent, place) => ({ ...agent, place })))('$kind', ({ kind, done, place }) => {
	const { program, logged, proxy, gateway } = replay(kind)
	const { sessionId = '', userId = '' } = logged.find((row) => row.kind === 'model_call') ?? {}
	const who = { session: sessionId, user: userId }
	const calls = done.models + done.tools
	const passed = { ofAgent: calls, costNanoUsd: done.costNanoUsd }
	const seen = {
		...{ models: done.models, tools: done.tools, ofSession: calls, sessions: 1 },
		...(userId === '' ? { users: 0 } : { ofUser: calls, users: 1 }),
	}

	const cells: [string, SpanRow[], object][] = [
		['its logs', logged, {}],
		['its spans and logs', [...program, ...logged], {}],
		['its logs through the proxy', [...proxy, ...logged], {}],
		['its logs through the proxy and the gateway', [...proxy, ...gateway, ...logged], passed],
		[
			'its logs and spans through the proxy and the gateway',
			[...program, ...proxy, ...gateway, ...logged],
			passed,
		],
		['the same, its spans last', [...gateway, ...proxy, ...logged, ...program], passed],
	]
	/** The short form tests the cell with the most information for every agent, and each of the other cells for one agent. */
	const isTried = (at: number) => process.env.LONG_TESTS || at === 4 || at % codingAgents.length === place
	test.each(cells.filter((_, at) => isTried(at)))('%s', async (_name, rows, more) => {
		expect(await figuresOf(who, rows)).toMatchObject({ ...seen, ...more })
	})
})
