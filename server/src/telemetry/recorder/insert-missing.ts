import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import { callHours, changeColumns, changesOf, nowMs } from '../rollups/rollup-tables.ts'
import { sentColumnNames, storedNames } from '../span-columns.ts'
import { spansShape } from '../tables.ts'

export interface RowInsert {
	table: string
	columns: readonly string[]
	/** Format of the rows. Default: RowBinary. */
	format?: 'Native' | 'RowBinary'
	/** In memory that is reused once the insert has settled. */
	rows: Buffer
	deduplicationToken: string
}

/** The part of the telemetry store that the log uses. */
export interface RowStore {
	insertRowBinary(insert: RowInsert): Promise<void>
	/** Present only for a store on this machine, which shares its clock and can read its files. */
	readonly engine?: unknown
	/**
	 * The same for rows that an earlier run of the store may have taken: it may have rows without their token, or a token without its
	 * rows. No insert of these rows may be running. Absent where the store never loses tokens.
	 */
	insertMissing?(insert: RowInsert): Promise<void>
	/** Identifies the current run of the store, which changes when it restarts. Absent if tokens survive restarts. */
	currentRun?(): Promise<string>
}

type Store = Pick<
	TelemetryStore,
	'client' | 'command' | 'currentRun' | 'engine' | 'insertRowBinary' | 'query'
>

/** The telemetry store, as the log needs it. */
export function rowStoreOf(store: Store): RowStore {
	return {
		insertRowBinary: (insert) => store.insertRowBinary(insert),
		insertMissing: (insert) => insertMissing(store, insert),
		currentRun: () => store.currentRun(),
		engine: store.engine,
	}
}

interface Target {
	engine: string
	sorting_key: string
}

/**
 * Inserts those rows of a batch that the table does not have yet, compared by what was sent. After a power cut the engine has the rows of
 * parts that were flushed, partition by partition, but not the batch's token, which it does not flush. Conversely, it notes a token
 * before the rows of a part become visible, so an engine killed in between has the token without the rows.
 */
async function insertMissing(store: Store, insert: RowInsert): Promise<void> {
	const target = await findTarget(store, insert.table)
	// Replicated tables keep the tokens in their keeper, and another node may not see a temporary table of this one.
	if (!target || target.engine.startsWith('Replicated')) return store.insertRowBinary(insert)
	// The name is the same for every attempt, so none leaves a table behind, and differs between logs.
	const sent = `sent_again_${insert.deduplicationToken.replace(/\W/g, '_')}`
	await store.command(`DROP TABLE IF EXISTS ${sent} SYNC`)
	await store.command(`CREATE TABLE ${sent} AS ${insert.table} ENGINE = Memory`)
	await store.insertRowBinary({ ...insert, table: sent })
	const rows = await readBinary(store, missingRows(insert, target, sent))
	if (rows.length > 0)
		await store.insertRowBinary({
			...insert,
			columns: storedNames(insert.table, insert.columns),
			format: 'RowBinary',
			rows,
			// The outcome of an attempt in a killed run is unknown; within one run the token holds, whatever happened to an attempt.
			deduplicationToken: `${insert.deduplicationToken}/missing/${await store.currentRun()}`,
		})
	// The part of the materialized view of hours may be lost although the part of the spans was kept.
	if (insert.table === spansShape.name)
		await store.command(`INSERT INTO ${callHours} (${changeColumns}) ${changesOf(sent, nowMs)}`)
	await store.command(`DROP TABLE ${sent} SYNC`)
}

async function findTarget(store: Store, table: string): Promise<Target | undefined> {
	const [target] = await store.query<Target>(
		'SELECT engine, sorting_key FROM system.tables WHERE database = currentDatabase() AND name = {table:String}',
		{ table },
	)
	return target
}

/** The sorting key without the columns that mapping a span again changes. */
const spanKey = 'workspace_id, toStartOfFiveMinutes(started_at), trace_id, span_id'

/**
 * A row that was sent n times must exist n times. The table's sorting key narrows the comparison to rows with the same key. A span can be
 * mapped or priced again as soon as its row is in the store, before the log has noted that.
 */
function missingRows({ table, columns }: RowInsert, target: Target, sent: string): string {
	const key = table === spansShape.name ? spanKey : target.sorting_key
	const stored = storedNames(table, columns)
	const names = stored.join(', ')
	const compared = table === spansShape.name ? stored.filter((name) => sentColumnNames.has(name)) : stored
	const hash = `sipHash128(formatRow('RowBinary', ${compared.join(', ')})) AS row_hash`
	return `SELECT ${names} FROM (SELECT ${names}, ${hash}, row_number() OVER (PARTITION BY row_hash) AS nth FROM ${sent}) AS given
	LEFT JOIN (
		SELECT ${hash}, count() AS present FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${sent}) GROUP BY row_hash
	) AS kept USING (row_hash)
	WHERE nth > present FORMAT RowBinary`
}

async function readBinary(store: Store, query: string): Promise<Buffer> {
	const { stream } = await store.client.exec({ query })
	const chunks: Buffer[] = []
	for await (const chunk of stream) chunks.push(chunk as Buffer)
	return Buffer.concat(chunks)
}
