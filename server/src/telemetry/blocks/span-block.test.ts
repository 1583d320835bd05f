import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { spanColumnNames } from '../span-columns.ts'
import { newSpanRow, type SpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { spanRows } from '../span-rows.testing.ts'
import { startTelemetryStore } from '../store.testing.ts'
import { readBlocks } from './block.ts'
import { insertSpanBlocks, spanBlocksOf } from './native.testing.ts'
import { toNative } from './native.ts'
import { decodeSpanBlock, encodeSpanBlock, SpanBlockWriter, spanLayouts } from './span-block.ts'

const runs = process.env.LONG_TESTS ? 200 : 25

let engine: TestStore
beforeAll(async () => {
	engine = await startTelemetryStore()
})
afterAll(() => engine.close())

test('what is written is read back, whatever the values and however many rows share them', () => {
	fc.assert(
		fc.property(fc.array(spanRows, { maxLength: 6 }), fc.nat(3), (rows, times) => {
			const repeated = rows.flatMap((row) => Array.from({ length: times + 1 }, () => row))
			expect(decodeSpanBlock(encodeSpanBlock(repeated))).toEqual(repeated)
			expect(decodeSpanBlock(encodeSpanBlock(repeated), 2)).toEqual(repeated.slice(0, 2))
		}),
		{ numRuns: runs },
	)
})

test('rows with the same resource keep their own services, scopes and schemas', () => {
	const resource = new Map([['host.name', 'a']])
	const places = fc.record({
		serviceName: fc.constantFrom('', 'a', 'b'),
		scopeName: fc.constantFrom('', 'a', 'b'),
		scopeVersion: fc.constantFrom('', '1', '2'),
		resourceSchemaUrl: fc.constantFrom('', 'u', 'v'),
		scopeSchemaUrl: fc.constantFrom('', 'u', 'v'),
	})
	fc.assert(
		fc.property(spanRows, fc.array(places, { maxLength: 5 }), (row, of) => {
			const rows = of.map((place) => ({ ...row, ...place, resource }))
			expect(decodeSpanBlock(encodeSpanBlock(rows))).toEqual(rows)
			// The rows read back share one resource object too, as when the live tail writes them again.
			expect(decodeSpanBlock(encodeSpanBlock(decodeSpanBlock(encodeSpanBlock(rows))))).toEqual(rows)
		}),
		{ numRuns: runs },
	)
})

test('a row that is rolled back leaves nothing, whatever preceded it', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(spanRows, fc.boolean()), { maxLength: 8 }), (rows) => {
			const writer = new SpanBlockWriter()
			for (const [row, isKept] of rows) {
				writer.add(row)
				if (isKept) continue
				writer.block.rows--
				writer.block.rollBack()
			}
			const kept = rows.filter(([, isKept]) => isKept).map(([row]) => row)
			expect(decodeSpanBlock(writer.block.take())).toEqual(kept)
		}),
		{ numRuns: runs },
	)
})

test('the engine gets the same rows from blocks concatenated to its Native format as from RowBinary', async () => {
	const given = fc.sample(
		spanRows.map((row) => ({ ...row, startNs: 1_790_000_000_000_000_000n + (row.startNs % 1_000_000_000n) })),
		{ numRuns: runs + 100, seed: 7 },
	)
	// Blocks of one row, of equal rows and of many.
	const blocks: SpanRow[][] = [given.slice(0, 1), Array(40).fill(given[1]), given.slice(2, 3), given.slice(3)]
	const bytes = Buffer.concat(blocks.map(encodeSpanBlock))
	const native = toNative(readBlocks(bytes, spanLayouts), spanLayouts, (size) => Buffer.alloc(size))
	const asRowBinary = blocks.flat().map(encodeSpanRow)
	const contents = async (format: 'Native' | 'RowBinary', rows: Buffer) => {
		await engine.store.command('TRUNCATE TABLE spans')
		await engine.store.insertRowBinary({
			table: 'spans',
			columns: format === 'Native' ? spanLayouts.map(({ name }) => name) : spanColumnNames,
			rows,
			format,
			deduplicationToken: format,
		})
		return engine.store.query(
			`SELECT hex(formatRow('RowBinary', ${spanColumnNames.join(', ')}, view_keys)) AS row FROM spans ORDER BY row`,
		)
	}
	const rows = await contents('Native', native)
	expect(rows).toHaveLength(blocks.flat().length)
	expect(rows).toEqual(await contents('RowBinary', Buffer.concat(asRowBinary)))
})

test('a dictionary of as many texts as rows is stored row by row, whatever the width of its numbers', async () => {
	for (const count of [300, 66_000]) {
		const span = (n: number) =>
			newSpanRow({
				...{
					workspaceId: 'w',
					traceId: 'a'.repeat(32),
					spanId: 'b'.repeat(16),
					name: `n${n}`,
					agentId: `n${n}`,
				},
				...{ source: 'otlp', kind: 'other', startNs: 1_790_000_000_000_000_000n },
			})
		await engine.store.command('TRUNCATE TABLE spans')
		await insertSpanBlocks(
			engine.store,
			spanBlocksOf(
				Array.from({ length: count }, (_, n) => span(n)),
				20_000,
			),
			`dictionary-${count}`,
		)
		const found = await engine.store.query(
			'SELECT count() AS rows, uniqExact(agent_id) AS texts, countIf(agent_id = name) AS same FROM spans',
		)
		expect(found).toEqual([{ rows: `${count}`, texts: `${count}`, same: `${count}` }])
	}
})

test('a column without values takes no bytes, and a value that all rows share is stored once', () => {
	const span = (spanId: string) =>
		newSpanRow({
			...{ workspaceId: 'w', traceId: 'a'.repeat(32), spanId, name: 'n', source: 'otlp', kind: 'other' },
			...{ startNs: 1n, resource: new Map([['host.name', 'x'.repeat(200)]]) },
		})
	const one = encodeSpanBlock([span('01'.repeat(8))]).length
	const ten = encodeSpanBlock(Array.from({ length: 10 }, (_, n) => span(`0${n}`.repeat(8)))).length
	expect(one).toBeLessThan(500)
	expect(ten - one).toBe(9 * 8)
})

test('a block with invalid content is unreadable, and the error names the fault', () => {
	const bytes = encodeSpanBlock([newSpanRow({ ...minimal, spanId: '01'.repeat(8) })])
	expect(() => readBlocks(bytes.subarray(0, bytes.length - 1), spanLayouts)).toThrow('ends too early')
	bytes[5] = 250
	expect(() => readBlocks(bytes, spanLayouts)).toThrow('column 250')
})

const minimal = {
	workspaceId: 'w',
	traceId: 'a'.repeat(32),
	name: 'n',
	source: 'otlp',
	kind: 'other',
	startNs: 1n,
} as const
