import { setTimeout as sleep } from 'node:timers/promises'
import type { TelemetryStore } from '../platform/clickhouse/store.ts'
import { indexOwnAttributes } from './attribute-index.ts'
import { type Columns, label, namesOf, retentionColumn, withoutRetention } from './columns.ts'
import { ledgerListNames, ledgerLists, ledgerTextOf, originOfMaps, resourceColumns } from './span-columns.ts'
import { createTable, type TableShape } from './tables.ts'

/**
 * Statements that make a table store new rows with the cheapest codec, and rows older than two days with the most compact one: the
 * columns no longer have codecs of their own, and a merge gives parts the codec of their age. The age is two days because spans of
 * yesterday still arrive, and their parts would be merged at once only for the codec. `made` are columns that inserts do not contain.
 * Existing rows stay as they are until the next merge.
 */
export function compressByAge(
	{ name, time: at }: TableShape,
	columns: Columns,
	made: Columns,
): readonly string[] {
	const codecs = [...columns, ...made]
		.filter(([, type]) => type.includes('CODEC'))
		.map(
			([column, type]) => `MODIFY COLUMN ${column} CODEC(${type.includes('Delta') ? 'Delta, ' : ''}Default)`,
		)
	return [
		`ALTER TABLE ${name} ${codecs.join(', ')}`,
		// Existing parts are not checked, because they are already compressed.
		`ALTER TABLE ${name} MODIFY TTL toDateTime(${at}) + INTERVAL 2 DAY RECOMPRESS CODEC(ZSTD(1)) SETTINGS materialize_ttl_after_modify = 0`,
	]
}

type Store = Pick<TelemetryStore, 'query' | 'command'>

/**
 * Parts are merged when together they are this many times as large as the largest of them. The engine's default is 5, and less for
 * small parts.
 */
const mergeBase = 10

/**
 * Makes the engine merge the small parts of a stream less often. A server that does not know the setting keeps its default.
 * Idempotent.
 */
export async function mergeLessOften(store: Store, { name }: Pick<TableShape, 'name'>): Promise<void> {
	const known = await store.query(
		"SELECT 1 FROM system.merge_tree_settings WHERE name = 'merge_selector_base'",
	)
	if (known.length === 0) return
	await store.command(`ALTER TABLE ${name} MODIFY SETTING merge_selector_base = ${mergeBase}`)
}

interface Move {
	shape: TableShape
	next: string
	columns: Columns
	retentionDays: number
}

/**
 * Changes the partitioning of a table from day to (retention, day). The engine cannot change a table's partition key, so the rows are
 * copied into a new table one day at a time; a day is dropped from the old table once the new one has as many of its rows. After a
 * crash at any point, running this again completes it. Needs free disk space for one day.
 */
export async function partByRetention(
	store: Store,
	shape: TableShape,
	columns: Columns,
	retentionDays: number,
): Promise<void> {
	const move = { shape, columns, retentionDays, next: `${shape.name}_next` }
	const key = await partitionKey(store, shape.name)
	if (key?.includes(retentionColumn[0])) return
	if (key !== null) {
		await store.command(createNext(move))
		for (const day of await daysOf(store, shape.name)) await moveDay(store, move, day)
		await requireEmpty(store, shape.name)
		await store.command(`DROP TABLE ${shape.name} SYNC`)
	}
	await store.command(`RENAME TABLE ${move.next} TO ${shape.name}`)
}

async function partitionKey(store: Store, table: string): Promise<string | null> {
	const [found] = await store.query<{ partition_key: string }>(
		'SELECT partition_key FROM system.tables WHERE database = currentDatabase() AND name = {table:String}',
		{ table },
	)
	return found?.partition_key ?? null
}

function createNext({ shape, columns, retentionDays, next }: Move): string {
	const [name] = retentionColumn
	return createTable(shape, {
		name: next,
		partitionBy: `(${name}, toDate(${shape.time}))`,
		columns: columns.map(([column, type]) =>
			column === name ? [name, type.replace(' ', ` DEFAULT ${Number(retentionDays)} `)] : [column, type],
		),
	})
}

/** Partitions of a table that is partitioned by day, as `yyyymmdd`. */
async function daysOf(store: Store, table: string): Promise<string[]> {
	const days = await store.query<{ id: string }>(
		`SELECT DISTINCT partition_id AS id FROM system.parts
		WHERE database = currentDatabase() AND table = {table:String} AND active ORDER BY id`,
		{ table },
	)
	return days.map(({ id }) => {
		if (!/^\d{8}$/.test(id)) throw new Error(`The table ${table} has a partition that is not a day: ${id}`)
		return id
	})
}

async function moveDay(store: Store, move: Move, day: string): Promise<void> {
	const { shape, next, retentionDays } = move
	// What an earlier attempt copied.
	await store.command(dropPartition(next, `${retentionDays}-${day}`))
	for (const hour of await hoursOf(store, shape, day)) await copyHour(store, move, hour)
	const [old, moved] = [
		await countRows(store, shape.name, day),
		await countRows(store, next, `${retentionDays}-${day}`),
	]
	if (old !== moved)
		throw new Error(`Of ${old} rows of ${shape.name} of ${day} only ${moved} could be moved.`)
	await store.command(dropPartition(shape.name, day))
}

/** Without the engine's size limit, which guards against mistakes. */
function dropPartition(table: string, id: string): string {
	return `ALTER TABLE ${table} DROP PARTITION ID '${id}' SETTINGS max_partition_size_to_drop = 0`
}

/** Hours that have rows, in seconds since 1970. Copying a whole day at once could exceed a statement's time limit. */
async function hoursOf(store: Store, { name, time }: TableShape, day: string): Promise<number[]> {
	const hours = await store.query<{ hour: number }>(
		`SELECT DISTINCT toUInt32(toStartOfHour(${time})) AS hour FROM ${name} WHERE _partition_id = {day:String} ORDER BY hour`,
		{ day },
	)
	return hours.map(({ hour }) => hour)
}

async function copyHour(
	store: Store,
	{ shape, next, columns, retentionDays }: Move,
	hour: number,
): Promise<void> {
	const names = namesOf(withoutRetention(columns)).join(', ')
	// Without deduplication of equal blocks: rows that are twice in the old table are there twice on purpose.
	await store.command(
		`INSERT INTO ${next} (${retentionColumn[0]}, ${names}) SETTINGS insert_deduplicate = 0 SELECT {days:UInt16}, ${names} FROM ${shape.name}
		WHERE ${shape.time} >= toDateTime({hour:UInt32}, 'UTC') AND ${shape.time} < toDateTime({hour:UInt32} + 3600, 'UTC')`,
		{ days: retentionDays, hour },
	)
}

async function countRows(store: Store, table: string, partition: string): Promise<number> {
	const [counted] = await store.query<{ n: string }>(
		`SELECT count() AS n FROM ${table} WHERE _partition_id = {partition:String}`,
		{ partition },
	)
	return Number(counted?.n)
}

async function requireEmpty(store: Store, table: string): Promise<void> {
	const [counted] = await store.query<{ n: string }>(`SELECT count() AS n FROM ${table}`)
	if (Number(counted?.n) !== 0)
		throw new Error(`${table} got rows while it was moved: stop every program that uses this store first.`)
}

const fromLists = ledgerTextOf((name) => name)

/**
 * Stores the ledger of all spans as a text. The lists can then only be inserted, and become the text: rows of older versions in the log
 * have them. After a crash at any point, running this again completes it.
 */
export async function storeLedgerAsText(store: Store): Promise<void> {
	const stored = await store.query(
		`SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'spans' AND name = 'ledger_dimension'
			AND default_kind = ''`,
	)
	await store.command('ALTER TABLE spans ADD COLUMN IF NOT EXISTS ledger String')
	if (stored.length > 0) {
		await store.command(
			`ALTER TABLE spans UPDATE ledger = ${fromLists} WHERE notEmpty(ledger_dimension) SETTINGS mutations_sync = 0`,
		)
		await untilMutated(store)
		await store.command(
			`ALTER TABLE spans ${ledgerListNames.map((name) => `DROP COLUMN IF EXISTS ${name}`).join(', ')} SETTINGS alter_sync = 1`,
		)
	}
	const lists = ledgerLists.map(
		([name, type]) => `ADD COLUMN IF NOT EXISTS ${name} ${type.replace(/ CODEC.*/, '')} EPHEMERAL`,
	)
	await store.command(
		`ALTER TABLE spans ${lists.join(', ')}, MODIFY COLUMN ledger String DEFAULT ${fromLists}`,
	)
}

/** Waits without a statement that could exceed a time limit. */
async function untilMutated(store: Pick<TelemetryStore, 'query'>): Promise<void> {
	for (;;) {
		const [left] = await store.query<{ reason: string }>(
			`SELECT latest_fail_reason AS reason FROM system.mutations WHERE database = currentDatabase() AND table = 'spans' AND NOT is_done
			ORDER BY latest_fail_reason DESC LIMIT 1`,
		)
		if (!left) return
		if (left.reason !== '') throw new Error(`The engine could not store ledgers as text: ${left.reason}`)
		await sleep(200)
	}
}

/**
 * Stores the resource of spans as the text `origin` instead of maps, which would be stored for each span. Rows from before have the text at
 * once, because the engine makes it of the maps when it reads them. In the background it stores the text in each part, and builds the index
 * of attributes again, without those of the resource. It continues after a restart, and so does this after a crash at any statement.
 *
 * In a store without spans, the maps can only be inserted, and become the text: rows of older versions in backups have them. Other stores keep
 * the columns, which are empty for new spans. A column that is stored in some parts must not become one that can only be inserted: the engine
 * reads such parts and merges them, but deletes no rows of them.
 */
export async function storeOrigins(store: Store): Promise<void> {
	await store.command(`ALTER TABLE spans ADD COLUMN IF NOT EXISTS origin ${label} DEFAULT ${originOfMaps}`)
	for (const statement of indexOwnAttributes) await store.command(statement)
	const parts = await store.query(
		"SELECT 1 FROM system.parts WHERE database = currentDatabase() AND table = 'spans' AND active LIMIT 1",
	)
	if (parts.length > 0) {
		await store.command('ALTER TABLE spans MATERIALIZE COLUMN origin SETTINGS mutations_sync = 0')
		return
	}
	const maps = resourceColumns.map(
		([name, type]) => `MODIFY COLUMN ${name} ${type.replace(/ CODEC.*/, '')} EPHEMERAL`,
	)
	await store.command(`ALTER TABLE spans ${maps.join(', ')}`)
}
