import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBlocks } from '../blocks/block.ts'
import { toNative } from '../blocks/native.ts'
import { encodeSpanBlock, spanLayouts } from '../blocks/span-block.ts'
import { otherRowFormats, type RowFormat } from '../row-formats.ts'
import { olderSpanBlockFormat, spanBlockFormat, spanBlockFormatOfLists } from '../span-columns.ts'
import { newSpanRow, type SpanRow } from '../span-row.ts'
import { startTelemetryStore } from '../store.testing.ts'
import { viewKeysOfRow } from './view-keys.ts'

let engine: Awaited<ReturnType<typeof startTelemetryStore>>
beforeAll(async () => {
	engine = await startTelemetryStore()
})
afterAll(() => engine.close())

async function insert(rows: readonly SpanRow[], rowFormat = spanBlockFormat): Promise<void> {
	const { table, columns, layouts = [] } = otherRowFormats.get(rowFormat) as RowFormat
	// Blocks of an older version have the same columns except the keys; no row here has a ledger.
	const blocks = readBlocks(encodeSpanBlock(rows), spanLayouts)
	const numberOf = (number: number) => layouts.findIndex(({ name }) => name === spanLayouts[number]?.name)
	const known = blocks.map((block) => ({
		...block,
		columns: block.columns
			.map((column) => ({ ...column, number: numberOf(column.number) }))
			.filter(({ number }) => number >= 0),
	}))
	await engine.store.insertRowBinary({
		...{
			table,
			columns,
			format: 'Native' as const,
			deduplicationToken: `${rows[0]?.workspaceId}${rowFormat}`,
		},
		rows: toNative(known, layouts, (bytes) => Buffer.alloc(bytes)),
	})
}

/** The stored keys of a workspace, and those that the engine computes from the same rows. */
function keysOf(workspace: string): Promise<{ name: string; stored: string[]; computed: string[] }[]> {
	return engine.store.query(
		`SELECT name, arrayMap(key -> toString(key), view_keys) AS stored, arrayMap(key -> toString(key), ${viewKeysOfRow}) AS computed
		FROM spans WHERE workspace_id = {workspace:String} ORDER BY started_at`,
		{ workspace },
	)
}

const id = fc.oneof(
	fc.constantFrom('', '.', 'call_1', 's.public', '.hidden', 'Ünïcode'),
	fc.string({ unit: 'grapheme', maxLength: 90 }),
	fc.string({ minLength: 10, maxLength: 200 }),
)
const model = fc.oneof(
	fc.constantFrom(
		'',
		'gpt-5',
		'openai/gpt-5',
		'GPT-5-2026-10-01',
		'claude@latest',
		'a/b/C-20261001',
		'm-20261',
	),
	fc.string({ unit: 'grapheme', maxLength: 30 }),
)
const attributeNames = [
	...['jsonrpc.request.id', 'mcp.request.id', 'mcp.session.id', 'gen_ai.tool.call.id', 'ai.toolCall.id'],
	...['gen_ai.tool.call.arguments', 'mcp.tool.arguments', 'ai.toolCall.args', 'mcp.server.name'],
	...['gen_ai.response.id', 'ai.response.id', 'output.value', 'signalbox.provider_request_id'],
	...['anthropic.request.id', 'request_id', 'gen_ai.completion', 'something.else'],
]
const langchain = (metadata: string) =>
	`{"generations":[[{"text":"hi","message":{"kwargs":{"response_metadata":${metadata},"id":"run-1"}}}]],"llm_output":null}`
const value = fc.oneof(
	id,
	fc.constantFrom('{"llm_output":{"id":"msg_0123456789abcdef"}}', langchain('{"id":"msg_0123456789abcdef"}')),
	fc.constantFrom(
		langchain('null'),
		'{"llm_output":7,"generations":[]}',
		'{"id":"","llm_output":{"id":"x"}}',
		'{"candidates":[],"response_id":"qoLxGc8LqEewrM3DzmzZXMMH"}',
	),
	fc.constantFrom('{}', '{"id":"resp_0123456789abcdef"}', '{"id":7}', '{"id":', '{"a":{"id":"x"}}', '["id"]'),
	fc.bigInt({ min: 0n, max: 10n ** 15n }),
	fc.boolean(),
)
const call = fc.record({
	kind: fc.constantFrom('tool_call', 'model_call', 'other', 'mcp') as fc.Arbitrary<SpanRow['kind']>,
	source: fc.constantFrom('otlp', 'gateway', 'model_proxy') as fc.Arbitrary<SpanRow['source']>,
	status: fc.constantFrom('unset', 'ok', 'error', 'interrupted', 'cut', 'denied') as fc.Arbitrary<
		SpanRow['status']
	>,
	otlpKind: fc.integer({ min: 0, max: 5 }),
	toolName: fc.oneof(fc.constantFrom('', 'search', 'Files__read', 'a___b', 'a____b', 'a__'), id),
	serverName: fc.oneof(fc.constant(''), id),
	serviceName: fc.oneof(fc.constant(''), id),
	client: fc.oneof(fc.constant(''), id),
	sessionId: fc.oneof(fc.constant(''), id),
	model,
	modelRequested: model,
	usageSource: fc.constantFrom('', 'reported', 'estimated', 'missing') as fc.Arbitrary<
		SpanRow['usageSource']
	>,
	inputTokens: fc.maxSafeNat(),
	cacheReadTokens: fc.nat(),
	cacheWriteTokens: fc.maxSafeNat(),
	outputTokens: fc.maxSafeNat(),
	reasoningTokens: fc.nat(),
	attributes: fc
		.array(fc.tuple(fc.constantFrom(...attributeNames), value), { maxLength: 14 })
		.map((entries) => new Map(entries)),
})

test('the keys of a call equal those that the engine computes from its row', async () => {
	const rows = fc.sample(call, 2500).map((given, number) =>
		newSpanRow({
			...{ workspaceId: 'same', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: String(number) },
			...{ startNs: BigInt(Date.now()) * 1_000_000n + BigInt(number), ...given },
		}),
	)
	await insert(rows)
	const found = await keysOf('same')
	expect(found).toHaveLength(rows.length)
	expect(found.filter(({ stored }) => stored.length > 0).length).toBeGreaterThan(1000)
	for (const [number, { stored, computed }] of found.entries())
		expect(stored, JSON.stringify(rows[number], json)).toEqual(computed)
})

const json = (_: string, given: unknown) =>
	typeof given === 'bigint' ? String(given) : given instanceof Map ? [...given] : given

test('calls in blocks of an older version get their keys from the engine, and small spans have none', async () => {
	const given = {
		traceId: 'a'.repeat(32),
		spanId: 'b'.repeat(16),
		startNs: BigInt(Date.now()) * 1_000_000n,
	} as const
	const rows = ['tool_call', 'other'].map((kind) =>
		newSpanRow({
			...{
				...given,
				workspaceId: kind,
				name: kind,
				kind: kind as SpanRow['kind'],
				source: 'otlp',
				toolName: 'read',
			},
		}),
	)
	for (const rowFormat of [olderSpanBlockFormat, spanBlockFormatOfLists, spanBlockFormat])
		await insert(rows, rowFormat)
	const [older, ofLists, newer] = await keysOf('tool_call')
	expect(older?.stored).toHaveLength(1)
	expect([ofLists, newer]).toEqual([older, older])
	expect((await keysOf('other')).map(({ stored }) => stored)).toEqual([[], [], []])
})

test('long arguments are hashed like in the engine, at every length around its block sizes', async () => {
	const lengths = [3, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193, 1000, 4096, 70_000]
	const rows = lengths.map((length, number) =>
		newSpanRow({
			...{ workspaceId: 'long', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: String(length) },
			...{ startNs: BigInt(Date.now()) * 1_000_000n + BigInt(number), source: 'otlp', kind: 'tool_call' },
			...{ toolName: 'read', otlpKind: 2 },
			attributes: new Map([
				['gen_ai.tool.call.arguments', 'abcdefghijklmnopqrstuvwxyzä'.repeat(9000).slice(0, length)],
			]),
		}),
	)
	await insert(rows)
	for (const { name, stored, computed } of await keysOf('long')) expect(stored, name).toEqual(computed)
})
