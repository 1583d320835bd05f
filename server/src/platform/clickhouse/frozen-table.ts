import type { TelemetryStore } from './store.ts'

/** A table as of one moment: its parts attached under another name, which takes neither space nor time. */
export interface FrozenTable {
	table: string
	columns: string[]
	rows: number
	/** All rows, in chunks of about 32 MiB of RowBinary with the columns in the order of `columns`. */
	chunks(): AsyncIterable<FrozenChunk>
	/** Must be called in the end, in every case. */
	drop(): Promise<void>
}

export interface FrozenChunk {
	rows: number
	read(): AsyncIterable<Uint8Array>
}

interface Part {
	name: string
	rows: number
	/** Uncompressed. */
	bytes: number
}

const chunkBytes = 32 * 1024 * 1024
const maxChunkRows = 500_000
type Store = Pick<TelemetryStore, 'query' | 'command'>

const prefix = 'backup_'
/** Of this process. */
const beingRead = new Set<string>()
const leftAfterMs = 24 * 60 * 60 * 1000

/**
 * Freezes a MergeTree table. The copy is consistent across partitions only if the caller prevents inserts meanwhile. `nowMs` is
 * part of its name, so that the copies of two programs on one server differ.
 */
export async function freezeTable(store: TelemetryStore, table: string, nowMs: number): Promise<FrozenTable> {
	if (!/^\w+$/.test(table)) throw new TypeError('A table has a plain name.')
	await dropFrozenTables(store, nowMs - leftAfterMs)
	const frozen = `${prefix}${nowMs}_${table}`
	beingRead.add(frozen)
	const drop = () => {
		beingRead.delete(frozen)
		return store.command(`DROP TABLE IF EXISTS ${frozen} SYNC`)
	}
	try {
		await createSideTable(store, frozen, table)
		await attachAll(store, table, frozen)
		const parts = await partsOf(store, frozen)
		const columns = await columnsOf(store, frozen)
		const rows = parts.reduce((sum, part) => sum + part.rows, 0)
		return { table, columns, rows, chunks: () => readParts(store, frozen, columns, parts), drop }
	} catch (error) {
		await drop()
		throw error
	}
}

/** Neither merges nor the TTL may change the copy while it is read. */
async function attachAll(store: TelemetryStore, table: string, frozen: string): Promise<void> {
	await store.command(`SYSTEM STOP MERGES ${frozen}`)
	const [made] = await store.query<{ engine_full: string }>(
		'SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = {frozen:String}',
		{ frozen },
	)
	if (made && / TTL /.test(made.engine_full)) await store.command(`ALTER TABLE ${frozen} REMOVE TTL`)
	const partitions = await store.query<{ id: string }>(
		`SELECT DISTINCT partition_id AS id FROM system.parts
		WHERE database = currentDatabase() AND table = {table:String} AND active ORDER BY id`,
		{ table },
	)
	for (const { id } of partitions)
		await store.command(`ALTER TABLE ${frozen} ATTACH PARTITION ID '${plain(id)}' FROM ${table}`)
}

/**
 * Drops what is left of backups that were killed or lost the engine. It keeps every part on disk that a table had, also after rows were
 * erased or have expired. Where this program has the store to itself, that is what it does not read; on a server others may read theirs.
 */
export async function dropAbandonedTables(store: Store, nowMs: number, isAlone: boolean): Promise<void> {
	await dropFrozenTables(store, isAlone ? Number.POSITIVE_INFINITY : nowMs - leftAfterMs)
}

/** Their age is in their names: the embedded engine does not record when a table was created. */
async function dropFrozenTables(store: Store, madeBeforeMs: number): Promise<void> {
	for (const { name } of await frozenTables(store)) {
		const madeAtMs = Number(name.slice(prefix.length).split('_')[0])
		if (madeAtMs < madeBeforeMs && !beingRead.has(name))
			await store.command(`DROP TABLE IF EXISTS ${plain(name)} SYNC`)
	}
}

/** Whether this program is making a backup: what is dropped meanwhile stays on disk. */
export function isMakingBackup(): boolean {
	return beingRead.size > 0
}

function frozenTables(store: Pick<Store, 'query'>): Promise<{ name: string }[]> {
	return store.query(
		'SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, {prefix:String})',
		{ prefix },
	)
}

async function partsOf(store: TelemetryStore, frozen: string): Promise<Part[]> {
	const parts = await store.query<Record<keyof Part, string>>(
		`SELECT name, rows, data_uncompressed_bytes AS bytes FROM system.parts
		WHERE database = currentDatabase() AND table = {frozen:String} AND active ORDER BY name`,
		{ frozen },
	)
	return parts.map(({ name, rows, bytes }) => ({ name, rows: Number(rows), bytes: Number(bytes) }))
}

async function columnsOf(store: TelemetryStore, table: string): Promise<string[]> {
	const columns = await store.query<{ name: string }>(
		`SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String}
			AND default_kind NOT IN ('MATERIALIZED', 'ALIAS', 'EPHEMERAL') ORDER BY position`,
		{ table },
	)
	return columns.map(({ name }) => plain(name))
}

async function* readParts(
	store: TelemetryStore,
	frozen: string,
	columns: readonly string[],
	parts: readonly Part[],
): AsyncIterable<FrozenChunk> {
	for (const { name, rows, bytes } of parts) {
		const step = Math.max(1, Math.min(maxChunkRows, Math.ceil(chunkBytes / Math.max(1, bytes / rows))))
		for (let from = 0; from < rows; from += step) {
			const to = Math.min(rows, from + step)
			const query = `SELECT ${columns.join(', ')} FROM ${frozen}
				WHERE _part = '${plain(name)}' AND _part_offset >= ${from} AND _part_offset < ${to} FORMAT RowBinary`
			yield { rows: to - from, read: () => readBinary(store, query) }
		}
	}
}

async function* readBinary(store: TelemetryStore, query: string): AsyncIterable<Uint8Array> {
	const { stream } = await store.client.exec({
		query,
		clickhouse_settings: { max_result_bytes: '0', max_execution_time: 600 },
	})
	yield* stream as AsyncIterable<Uint8Array>
}

/** Names come from the engine itself and are inserted into its SQL. */
function plain(name: string): string {
	if (!/^[\w-]+$/.test(name)) throw new Error(`The telemetry store has a name that is not plain: ${name}`)
	return name
}

/**
 * Creates an empty table with the columns, order, partitions and settings of another one, on this node only. It is not replicated
 * even if the other one is, since a copied definition would claim that table's path in the keeper. Neither name may come from a
 * user.
 */
export async function createSideTable(store: Store, name: string, of: string): Promise<void> {
	const [found] = await store.query<{ engine: string }>(
		'SELECT engine_full AS engine FROM system.tables WHERE database = currentDatabase() AND name = {of:String}',
		{ of },
	)
	if (!found) throw new Error(`The telemetry store has no table ${of}`)
	await store.command(sideTableStatement(name, of, found.engine))
}

/** @param engine the other table's `engine_full` from `system.tables`, with order, partitions and settings */
export function sideTableStatement(name: string, of: string, engine: string): string {
	const plain = engine.replace(/^Replicated(\w+)\('[^']*', '[^']*'(?:, )?/, '$1(')
	return `CREATE TABLE ${name} AS ${of} ENGINE = ${plain}`
}
