import { afterAll, beforeAll, expect, test } from 'vitest'
import { findUndurableTables, migrateTelemetryStore } from '../platform/clickhouse/migrate.ts'
import { startTestStore, type TestStore } from '../platform/clickhouse/testing.ts'
import { BlockWriter, readBlocks } from './blocks/block.ts'
import type { ColumnLayout, ColumnWriter } from './blocks/column-writer.ts'
import { toNative } from './blocks/native.ts'
import { spanLayoutsOfLists, spanLayoutsOfMaps } from './blocks/span-block.ts'
import type { Columns } from './columns.ts'
import { telemetryMigrations, telemetryTables } from './migrations.ts'
import { mergeLessOften } from './part-by-retention.ts'
import { type StoredSpan, storedColumns, toSpanRow } from './reads/stored-span.ts'
import type { RowInsert } from './recorder/insert-missing.ts'
import { rowStoreOf } from './recorder/insert-missing.ts'
import { callJoins, traceLinks } from './rollups/call-joins.ts'
import { callHours } from './rollups/rollup-tables.ts'
import { rolledTables } from './rollups/sum-tables.ts'
import { otherRowFormats } from './row-formats.ts'
import { RowWriter } from './row-writer.ts'
import {
	firstSpanColumns,
	ledgerList,
	ledgerLists,
	ledgerText,
	olderRowFormats,
	spanColumnNames,
	spanColumnsWithLists,
	spanColumnsWithMaps,
} from './span-columns.ts'
import { type AttributeValue, newSpanRow } from './span-row.ts'
import { encodeSpanRow, writeArray, writeNullable } from './span-row-binary.ts'

let started: TestStore
beforeAll(async () => {
	started = await startTestStore()
	await migrateTelemetryStore(started.store, telemetryMigrations)
})
afterAll(() => started.close())

test('the engine reads each column of an encoded row as it was written', async () => {
	const row = newSpanRow({
		workspaceId: 'w1',
		traceId: '0123456789abcdef'.repeat(2),
		spanId: 'fedcba9876543210',
		name: 'Grüße',
		source: 'otlp',
		kind: 'model_call',
		startNs: 1_790_000_000_123_456_789n,
		durationNs: 5n,
		costNanoUsd: -7n,
		httpStatus: 503,
		rpcCode: -32601,
		inputTokens: 2 ** 52,
		flags: 0xffff_ffff,
		attributes: new Map<string, string | bigint>([
			['a', 'b'],
			['n', 2n ** 62n],
		]),
		scopeSchemaUrl: 'last',
	})
	await started.store.insertRowBinary({
		table: 'spans',
		columns: spanColumnNames,
		rows: encodeSpanRow(row),
		deduplicationToken: 't1',
	})
	const read = await started.store.query(
		`SELECT workspace_id, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, name, toString(toUnixTimestamp64Nano(started_at)) AS start,
			cost_nano_usd, time_to_first_token_ns, http_status, rpc_code, input_tokens, attributes, attribute_types, flags, origin FROM spans`,
	)
	expect(read).toEqual([
		{
			workspace_id: 'w1',
			trace: row.traceId,
			span: row.spanId,
			name: 'Grüße',
			start: '1790000000123456789',
			cost_nano_usd: '-7',
			time_to_first_token_ns: null,
			http_status: 503,
			rpc_code: -32601,
			input_tokens: String(2 ** 52),
			attributes: { a: 'b', n: String(2n ** 62n) },
			attribute_types: { n: 'int' },
			flags: 0xffff_ffff,
			origin: '\nlast',
		},
	])
})

/** A row of an older format in binary form. Columns that `values` does not write are empty. */
function olderRow(columns: Columns, values: Readonly<Record<string, (w: RowWriter) => void>>): Buffer {
	const w = new RowWriter()
	for (const [name, type] of columns) {
		const width = /^FixedString\((\d+)\)/.exec(type)?.[1] ?? /^(?:U?Int|DateTime)(\d+)/.exec(type)?.[1]
		if (values[name]) values[name](w)
		else if (width) w.hex('', type.startsWith('F') ? Number(width) : Number(width) / 8)
		// The length of a text or a list, or the mark of a missing value.
		else w.byte(type.startsWith('Nullable') ? 1 : 0)
	}
	return w.take()
}

const startNs = 1_790_000_000_000_000_000n
const olderSpan = (workspaceId: string, spanId: string) => ({
	workspace_id: (w: RowWriter) => w.text(workspaceId),
	retention_days: (w: RowWriter) => w.uint16(30),
	started_at: (w: RowWriter) => w.int64(startNs),
	trace_id: (w: RowWriter) => w.hex('a'.repeat(32), 16),
	span_id: (w: RowWriter) => w.hex(spanId, 8),
})

test('rows that the first version left in the log are still accepted', async () => {
	await started.store.insertRowBinary({
		table: 'spans',
		columns: olderRowFormats.get(1) as string[],
		rows: olderRow(firstSpanColumns, {
			...{ ...olderSpan('w-old', 'b'.repeat(16)), name: (w) => w.text('old') },
		}),
		deduplicationToken: 't-old',
	})
	const read = await started.store.query(
		"SELECT name, dialect, mapper_version, ledger, origin, retention_days FROM spans WHERE workspace_id = 'w-old'",
	)
	expect(read).toEqual([
		{ name: 'old', dialect: '', mapper_version: 0, ledger: '', origin: '', retention_days: 30 },
	])
})

const ledger = [
	{
		...{ dimension: 'in_text', quantity: 2 ** 52, costNanoUsd: 2n ** 62n, rate: 15_000_000 },
		...{ factor: '1/2', iteration: 1, model: 'say "é%09/\t\n\\', price: 'own' },
	},
	{
		...{ dimension: 'out_text', quantity: 0, costNanoUsd: null, rate: null },
		...{ factor: '', iteration: 0, model: '', price: '' },
	},
]
/** The eight lists of the ledger as binary rows had them. */
const lists: Readonly<Record<string, (w: RowWriter) => void>> = {
	ledger_dimension: (w) => writeArray(w, ledger, ({ dimension }) => w.text(dimension)),
	ledger_quantity: (w) => writeArray(w, ledger, ({ quantity }) => w.count(quantity)),
	ledger_cost_nano_usd: (w) =>
		writeArray(w, ledger, ({ costNanoUsd }) => writeNullable(w, costNanoUsd, (cost) => w.int64(cost))),
	ledger_rate: (w) => writeArray(w, ledger, ({ rate }) => writeNullable(w, rate, (value) => w.count(value))),
	ledger_factor: (w) => writeArray(w, ledger, ({ factor }) => w.text(factor)),
	ledger_iteration: (w) => writeArray(w, ledger, ({ iteration }) => w.uint16(iteration)),
	ledger_model: (w) => writeArray(w, ledger, ({ model }) => w.text(model)),
	ledger_price: (w) => writeArray(w, ledger, ({ price }) => w.text(price)),
}

const resource = new Map<string, AttributeValue>([
	['service.name', 'shop'],
	['a\tb\n%', '%09\t\n\\"é'],
	['pid', 7n],
	['', ''],
])
/** The resource and the schema URLs as binary rows had them. */
const maps: typeof lists = {
	resource: (w) =>
		writePairs(
			w,
			[...resource].map(([key, value]) => [key, String(value)]),
		),
	resource_types: (w) => writePairs(w, [['pid', 'int']]),
	resource_schema_url: (w) => w.text('https://resource.example'),
	scope_schema_url: (w) => w.text('tab\there'),
}
const origin = { resource, resourceSchemaUrl: 'https://resource.example', scopeSchemaUrl: 'tab\there' }

function writePairs(w: RowWriter, pairs: [string, string][]): void {
	writeArray(w, pairs, ([key, value]) => {
		w.text(key)
		w.text(value)
	})
}

type ColumnOf = (name: string) => ColumnWriter

/** A block of one row in an older format; `spanId` is 16 hex digits. */
function olderBlock(
	layouts: readonly ColumnLayout[],
	workspaceId: string,
	spanId: string,
	write: (column: ColumnOf) => void,
): Buffer {
	const writer = new BlockWriter(layouts)
	const column: ColumnOf = (name) =>
		writer.columns[layouts.findIndex((layout) => layout.name === name)] as ColumnWriter
	column('workspace_id').text(0, workspaceId)
	column('retention_days').begin(0).uint16(30)
	column('started_at').begin(0).int64(startNs)
	column('trace_id').begin(0).hex('a'.repeat(32), 16)
	column('span_id').begin(0).hex(spanId, 8)
	write(column)
	writer.rows = 1
	return toNative(readBlocks(writer.take(), layouts), layouts, (bytes) => Buffer.alloc(bytes))
}

/** The resource and the schema URLs as blocks had them. */
function writeMaps(column: ColumnOf): void {
	for (const [name, pairs] of [
		['resource', [...resource].map(([key, value]) => [key, String(value)] as const)],
		['resource_types', [['pid', 'int'] as const]],
	] as const) {
		column(name).begin(0).uint32(pairs.length)
		const [, keys, values] = column(name).streams as [RowWriter, RowWriter, RowWriter]
		for (const [key, value] of pairs) {
			keys.text(key)
			values.text(value)
		}
	}
	column('resource_schema_url').text(0, origin.resourceSchemaUrl)
	column('scope_schema_url').text(0, origin.scopeSchemaUrl)
}

function writeLedgerLists(column: ColumnOf): void {
	const written = Object.entries<(w: RowWriter, nulls: RowWriter, line: (typeof ledger)[number]) => void>({
		ledger_dimension: (w, _, { dimension }) => w.text(dimension),
		ledger_quantity: (w, _, { quantity }) => w.count(quantity),
		ledger_cost_nano_usd: (w, nulls, { costNanoUsd: cost }) =>
			void [nulls.byte(cost === null ? 1 : 0), w.int64(cost ?? 0n)],
		ledger_rate: (w, nulls, { rate }) => void [nulls.byte(rate === null ? 1 : 0), w.count(rate ?? 0)],
		ledger_factor: (w, _, { factor }) => w.text(factor),
		ledger_iteration: (w, _, { iteration }) => w.uint16(iteration),
		ledger_model: (w, _, { model }) => w.text(model),
		ledger_price: (w, _, { price }) => w.text(price),
	})
	for (const [name, write] of written) {
		const { streams } = column(name)
		column(name).begin(0).uint32(ledger.length)
		for (const line of ledger) write(streams.at(-1) as RowWriter, streams[1] as RowWriter, line)
	}
}

test('the ledger and the resource of rows and blocks that an older version left in the log are kept, once', async () => {
	const { store } = started
	const given = { workspaceId: 'w-lists', traceId: 'a'.repeat(32), spanId: '0b'.repeat(8) }
	const row = newSpanRow({ ...given, ...origin, source: 'otlp', kind: 'model_call', startNs, name: 'lists' })
	const call: typeof lists = {
		name: (w) => w.text('lists'),
		source: (w) => w.text('otlp'),
		kind: (w) => w.text('model_call'),
		status: (w) => w.text('unset'),
	}
	const inserts: RowInsert[] = [
		{
			...{ table: 'spans', columns: olderRowFormats.get(3) as string[], deduplicationToken: 't-lists' },
			rows: olderRow(spanColumnsWithLists, {
				...olderSpan('w-lists', '0b'.repeat(8)),
				...call,
				...lists,
				...maps,
			}),
		},
		{
			...{ table: 'spans', columns: olderRowFormats.get(6) as string[], deduplicationToken: 't-maps' },
			rows: olderRow(spanColumnsWithMaps, {
				...{ ...olderSpan('w-lists', '0d'.repeat(8)), ...call, ...maps },
				ledger: (w) => w.text(ledgerText(ledger)),
			}),
		},
		{
			...{ table: 'spans', columns: otherRowFormats.get(5)?.columns ?? [], deduplicationToken: 't-block' },
			format: 'Native',
			rows: olderBlock(spanLayoutsOfLists, 'w-lists', '0c'.repeat(8), (column) => {
				writeMaps(column)
				writeLedgerLists(column)
			}),
		},
		{
			...{
				table: 'spans',
				columns: otherRowFormats.get(7)?.columns ?? [],
				deduplicationToken: 't-block-maps',
			},
			format: 'Native',
			rows: olderBlock(spanLayoutsOfMaps, 'w-lists', '0e'.repeat(8), (column) => {
				writeMaps(column)
				column('ledger').text(0, ledgerText(ledger))
			}),
		},
	]
	const read = () =>
		store.query<StoredSpan>(
			`SELECT ${storedColumns} FROM spans WHERE workspace_id = 'w-lists' ORDER BY span_id`,
		)
	for (const insert of inserts) await store.insertRowBinary(insert)
	const first = await read()
	expect(first.map((stored) => toSpanRow(stored).spanId.slice(0, 2))).toEqual(['0b', '0c', '0d', '0e'])
	for (const stored of first) expect(toSpanRow(stored)).toMatchObject({ ledger, ...origin })
	expect(toSpanRow(first[0] as StoredSpan)).toEqual({ ...row, ledger })
	const { insertMissing } = rowStoreOf(store)
	for (const insert of inserts) await insertMissing?.(insert)
	expect(await read()).toEqual(first)
	await store.command("ALTER TABLE spans DELETE WHERE workspace_id = 'w-lists' SETTINGS mutations_sync = 2")
	for (const insert of inserts) await insertMissing?.(insert)
	expect(await read()).toEqual(first)
	// A single line whose texts are all empty is a line too.
	const spare = newSpanRow({ ...row, workspaceId: 'w-line', ledger: ledger.slice(1) })
	await store.insertRowBinary({
		...{ table: 'spans', columns: spanColumnNames, rows: encodeSpanRow(spare), deduplicationToken: 't-line' },
	})
	const selected = ledgerLists.map(([name]) => `${ledgerList(name)} AS ${name}`).join(', ')
	const of = (workspace: string) =>
		store.query(`SELECT ${selected} FROM spans WHERE workspace_id = '${workspace}' LIMIT 1`)
	const listsOf = (lines: typeof ledger) => ({
		ledger_dimension: lines.map(({ dimension }) => dimension),
		ledger_quantity: lines.map(({ quantity }) => String(quantity)),
		ledger_cost_nano_usd: lines.map(({ costNanoUsd: cost }) => (cost === null ? null : String(cost))),
		ledger_rate: lines.map(({ rate }) => (rate === null ? null : String(rate))),
		ledger_factor: lines.map(({ factor }) => factor),
		ledger_iteration: lines.map(({ iteration }) => iteration),
		ledger_model: lines.map(({ model }) => model),
		ledger_price: lines.map(({ price }) => price),
	})
	expect(await of('w-lists')).toEqual([listsOf(ledger)])
	expect(await of('w-line')).toEqual([listsOf(ledger.slice(1))])
	expect(await of('w-old')).toEqual([listsOf([])])
})

test('new rows are stored with the cheapest codec, and rows older than two days with the most compact one', async () => {
	const of = (name: string, ageDays: number) =>
		encodeSpanRow(
			newSpanRow({
				...{
					workspaceId: name,
					traceId: 'a'.repeat(32),
					spanId: 'b'.repeat(16),
					name,
					source: 'otlp',
					kind: 'other',
				},
				...{ startNs: BigInt(Date.now() - ageDays * 86_400_000) * 1_000_000n, retentionDays: 90 },
			}),
		)
	await started.store.insertRowBinary({
		table: 'spans',
		columns: spanColumnNames,
		rows: [of('w-new', 0), of('w-late', 1), of('w-aged', 3)],
		deduplicationToken: 't-codecs',
	})
	const codecs = async () => {
		const parts = await started.store.query<{ codec: string }>(
			"SELECT default_compression_codec AS codec FROM system.parts WHERE table = 'spans' AND active AND partition_id LIKE '90-%' ORDER BY partition_id",
		)
		return parts.map(({ codec }) => codec)
	}
	// A background merge does this.
	await expect.poll(codecs, { timeout: 10_000 }).toEqual(['ZSTD(1)', 'LZ4', 'LZ4'])
	const own = await started.store.query(
		"SELECT table, name FROM system.columns WHERE database = currentDatabase() AND table IN ('spans', 'logs', 'metrics') AND match(compression_codec, 'ZSTD|T64')",
	)
	expect(own).toEqual([])
})

test('small parts of spans are merged less often, also by an engine that does not know the setting for it', async () => {
	const settings = async () => {
		const [found] = await started.store.query<{ engine: string }>(
			"SELECT engine_full AS engine FROM system.tables WHERE database = currentDatabase() AND name = 'spans'",
		)
		return found?.engine
	}
	expect(await settings()).toContain('merge_selector_base = 10')
	const commands: string[] = []
	await mergeLessOften(
		{ query: async () => [], command: async (sql) => void commands.push(sql) },
		{ name: 'spans' },
	)
	expect(commands).toEqual([])
})

test('narrow sums of a day become one part once nothing comes any more', async () => {
	const { store } = started
	const [found] = await store.query<{ engine: string }>(
		"SELECT engine_full AS engine FROM system.tables WHERE database = currentDatabase() AND name = 'narrow_sums'",
	)
	expect(found?.engine).toContain('min_age_to_force_merge_seconds = 7200')
	await store.command('ALTER TABLE narrow_sums MODIFY SETTING min_age_to_force_merge_seconds = 1')
	for (const version of [1, 2])
		await store.command(
			"INSERT INTO narrow_sums (workspace_id, hour, version) SELECT 'w1', toDateTime('2026-01-01 00:00:00', 'UTC'), {version:UInt64}",
			{ version },
		)
	const parts = () => store.query("SELECT rows FROM system.parts WHERE table = 'narrow_sums' AND active")
	await expect.poll(parts, { timeout: 20_000 }).toEqual([{ rows: '2' }])
})

test("the tables' settings let them survive a power cut", async () => {
	expect(await findUndurableTables(started.store)).toEqual([])
})

test('a backup contains every table that is not derived from another', async () => {
	const rows = await started.store.query<{ name: string }>(
		"SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name NOT IN {made:Array(String)} ORDER BY name",
		{ made: ['schema_migrations', callJoins, traceLinks, ...rolledTables, callHours] },
	)
	expect(rows.map(({ name }) => name)).toEqual([...telemetryTables])
})
