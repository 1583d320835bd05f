import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { decodeSpanBlock } from '../../../telemetry/blocks/span-block.ts'
import { encodeSpanRow, newSpanRow, type SpanRow, spanColumnNames } from '../../../telemetry/index.ts'
import { transcodeLogsJson } from '../../../telemetry/logs/transcode-logs.ts'
import { spansOf, transcodeOptions } from '../../../telemetry/otlp/recorded/spans-of.testing.ts'
import { startJoinedStore } from '../joined-store.testing.ts'
import { readOverview } from '../overview.ts'
import { presentGroup } from '../present-groups.ts'
import { readBreakdown } from '../read-breakdown.ts'

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
})
afterAll(() => started.close())

const hourMs = 3_600_000
let cells = 0

/** The calls that the logs of a program tell of. */
function toldBy(program: string): SpanRow[] {
	const file = new URL(`../../../telemetry/logs/recorded/${program}.json`, import.meta.url)
	const { calls } = transcodeLogsJson(readFileSync(file), transcodeOptions)
	return calls ? decodeSpanBlock(calls.rows) : []
}

/** What the model proxy would have recorded of the calls of models: a trace of its own for each, within the client's time. */
function proxied(calls: readonly SpanRow[]): SpanRow[] {
	return calls
		.filter(({ kind }) => kind === 'model_call')
		.map((call, at) => {
			const digits = (at + 1).toString(16).padStart(16, '9')
			const [answer, request] = ['gen_ai.response.id', 'request_id'].map((name) => call.attributes.get(name))
			return newSpanRow({
				...call,
				...{ traceId: digits + digits, spanId: digits, parentSpanId: '', source: 'model_proxy', otlpKind: 3 },
				...{ startNs: call.startNs + 1_000_000n, durationNs: call.durationNs - 2_000_000n, scopeName: '' },
				...{
					sessionId: `inferred:${digits}`,
					userId: '',
					client: 'agent',
					name: 'chat',
					resource: new Map(),
				},
				attributes: new Map([
					...(answer === undefined ? [] : [['gen_ai.response.id', answer] as const]),
					...(request === undefined ? [] : [['signalbox.provider_request_id', request] as const]),
				]),
			})
		})
}

async function figuresOf(rows: readonly SpanRow[]) {
	const workspaceId = `w${++cells}`
	await started.store.insertRowBinary({
		...{ table: 'spans', columns: spanColumnNames, deduplicationToken: workspaceId },
		rows: rows.map((row) => encodeSpanRow({ ...row, workspaceId })),
	})
	const startMs = Number((rows[0] as SpanRow).startNs / 1_000_000n)
	const range = { startMs: startMs - hourMs, endMs: startMs + hourMs }
	const { model_calls, tool_calls, tokens, users } = await readOverview(started.store, workspaceId, range)
	const query = { sort: 'calls', limit: 50 } as const
	const { rows: sessions } = await readBreakdown(
		started.store,
		workspaceId,
		range,
		'sessions',
		query,
		presentGroup.sessions,
	)
	return {
		...{ models: model_calls, tools: tool_calls, output: tokens.output + tokens.reasoning, users },
		sessions: sessions.map(({ session_id, calls }) => [session_id, calls]),
	}
}

describe.each([
	['claude-code', { models: 3, users: 1, session: '1a725d94-958c-4b82-acd4-5c5f775969bf' }],
	['codex', { models: 2, users: 0, session: '01a20403-3073-7872-a91f-284c335d941f' }],
	['gemini-cli', { models: 2, users: 0, session: '2d1bcbee-2909-4116-940c-b3c6bbf11cdf' }],
])('%s', (program, { models, users, session }) => {
	const told = toldBy(program)
	const spans = spansOf(`${program}.json`)
	const done = { models, tools: 1, output: models * 42, users, sessions: [[session, models + 1]] }

	test.each<[string, SpanRow[]]>([
		['its logs', told],
		['its logs and spans', [...told, ...spans]],
		['its logs through the proxy', [...told, ...proxied(told)]],
		['its logs and spans through the proxy', [...spans, ...proxied(told), ...told]],
	])('%s tell each call once, in its session', async (_name, rows) => {
		expect(await figuresOf(rows)).toEqual(done)
	})
})
