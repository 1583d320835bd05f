import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { encodeSpanRow, newSpanRow, type SpanRow, spanColumnNames } from '../../telemetry/index.ts'
import { getCallViews } from './call-views/get-call-views.ts'
import { startJoinedStore } from './joined-store.testing.ts'
import { readOverview } from './overview.ts'

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
})
afterAll(() => started.close())
beforeEach(() => started.store.command('TRUNCATE TABLE spans'))

const startMs = 1_790_000_000_000
const range = { startMs, endMs: startMs + 60 * 60 * 1000 }
let spans = 0

const silent = { usageSource: 'missing', costNanoUsd: null } as const
const told = { usageSource: 'reported', inputTokens: 7, costNanoUsd: 9n } as const

function asked(fields: Partial<SpanRow>): SpanRow {
	const id = (++spans).toString(16)
	return newSpanRow({
		...{ workspaceId: 'w1', traceId: id.padStart(32, '0'), spanId: id.padStart(16, '0') },
		...{ name: 'chat', source: 'otlp', kind: 'model_call', status: 'ok', otlpKind: 3 },
		...{ startNs: BigInt(startMs + 1000) * 1_000_000n, durationNs: 10_000_000n },
		...fields,
	})
}
const below = ({ traceId, spanId }: SpanRow, fields: Partial<SpanRow>) =>
	asked({ traceId, parentSpanId: spanId, ...fields })

async function store(...rows: SpanRow[]): Promise<void> {
	await started.store.insertRowBinary({
		table: 'spans',
		columns: spanColumnNames,
		rows: rows.map(encodeSpanRow),
		deduplicationToken: `u${++spans}`,
	})
}

const outer = asked(silent)
const ofProxy = { source: 'model_proxy', otlpKind: 2, ...told } as const
test.each<[string, SpanRow[], object]>([
	['the inner one, where the outer one tells no usage', [outer, below(outer, told)], { input: 7 }],
	['the outer one, where neither does', [outer, below(outer, silent)], { input: 0 }],
	['one of three', [outer, below(outer, told), below(outer, silent)], { input: 7 }],
	['what the proxy recorded, beside both', [outer, below(outer, ofProxy)], { input: 7 }],
])('of the views of a model call counts %s', async (_name, rows, tokens) => {
	await store(...rows)
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 1, model_calls: 1, tokens })
})

test('the outer one counts where both tell their usage', async () => {
	const both = asked({ ...told, inputTokens: 5 })
	await store(both, below(both, told))
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 1, tokens: { input: 5 } })
})

test('a silent view around one that is recorded in another trace too is one call still', async () => {
	const attributes = new Map([['gen_ai.response.id', 'chatcmpl-0123456789abcdef']])
	const sent = below(outer, { ...told, attributes })
	await store(outer, sent, asked({ ...ofProxy, attributes }))
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 1, tokens: { input: 7 } })
	const { views } = await getCallViews(started.store, 'w1', { trace_id: sent.traceId, span_id: sent.spanId })
	expect(views.map(({ side }) => side)).toEqual(['client', 'gateway'])
})
