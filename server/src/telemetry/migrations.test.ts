import { afterAll, beforeAll, expect, test } from 'vitest'
import { findUndurableTables, migrateTelemetryStore } from '../platform/clickhouse/index.ts'
import { startTestStore, type TestStore } from '../platform/clickhouse/testing.ts'
import { telemetryMigrations, telemetryTables } from './migrations.ts'
import { mergeLessOften } from './part-by-retention.ts'
import { callJoins, traceLinks } from './rollups/call-joins.ts'
import { callHours } from './rollups/rollup-tables.ts'
import { rolledTables } from './rollups/sum-tables.ts'
import { olderRowFormats, spanColumnNames } from './span-columns.ts'
import { newSpanRow } from './span-row.ts'
import { encodeSpanRow } from './span-row-binary.ts'

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
			cost_nano_usd, time_to_first_token_ns, http_status, rpc_code, input_tokens, attributes, attribute_types, flags, scope_schema_url FROM spans`,
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
			scope_schema_url: 'last',
		},
	])
})

test('rows that the first version left in the log are still accepted', async () => {
	const given = {
		traceId: 'a'.repeat(32),
		spanId: 'b'.repeat(16),
		name: 'old',
		startNs: 1_790_000_000_000_000_000n,
	}
	const row = encodeSpanRow(newSpanRow({ ...given, workspaceId: 'w-old', source: 'otlp', kind: 'other' }))
	// Format 2 appends a text, a two-byte number, a text and eight lists, all empty here.
	const addedBytes = 1 + 2 + 1 + 8
	// Format 3 has the retention after the workspace.
	const workspaceBytes = 1 + 'w-old'.length
	await started.store.insertRowBinary({
		table: 'spans',
		columns: olderRowFormats.get(1) as string[],
		rows: Buffer.concat([row.subarray(0, workspaceBytes), row.subarray(workspaceBytes + 2, -addedBytes)]),
		deduplicationToken: 't-old',
	})
	const read = await started.store.query(
		"SELECT name, dialect, mapper_version, ledger_quantity, retention_days FROM spans WHERE workspace_id = 'w-old'",
	)
	expect(read).toEqual([
		{ name: 'old', dialect: '', mapper_version: 0, ledger_quantity: [], retention_days: 30 },
	])
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
