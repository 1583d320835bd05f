import { createSideTable, type TelemetryStore } from '../../platform/clickhouse/index.ts'
import { storedAt } from '../columns.ts'
import { mapAttributes, mappedKeys, mapperVersion, readResource } from '../normalise/map-attributes.ts'
import { type HotValues, newHotValues } from '../normalise/names.ts'
import { type StoredSpan, storedColumns, toSpanRow } from '../reads/stored-span.ts'
import { markHoursOf } from '../rollups/mark-hours.ts'
import { spanColumnNames } from '../span-columns.ts'
import type { Attributes, SpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'

export { mapperVersion }

/** A stored span with the columns that today's mapper makes of its attributes. What it does not find of a session stays. */
function remapSpan(row: SpanRow): SpanRow {
	const facts = readResource(hotOf(row.resource))
	const mapped = mapAttributes(hotOf(row.attributes), facts, {
		startNs: row.startNs,
		otlpKind: row.otlpKind,
		name: () => row.name,
	})
	return {
		...row,
		...mapped,
		sessionId: mapped.sessionId || row.sessionId,
		serviceName: facts.serviceName,
	}
}

function hotOf(attributes: Attributes): HotValues {
	const hot = newHotValues()
	for (const [key, value] of attributes) {
		const number = mappedKeys.get(key)
		if (number !== undefined) hot[number] = value
	}
	return hot
}

type Store = Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>

/** Which spans are mapped again; of those, only what was stored up to a time. */
export interface Chosen {
	workspaceId: string
	startMs: number
	endMs: number
	dialect: string | null
	/** By the clock of the engine. */
	storedUpToMs: number
	partition: string
}

/** Like `spans`, empty but while a partition is worked on, and in no backup. */
const remapped = 'remapped_spans'
/** Rows in memory at once. */
const batchRows = 2000

const chosen = `workspace_id = {workspace:String} AND source = 'otlp' AND mapper_version < {version:UInt16}
	AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
	AND ${storedAt} <= fromUnixTimestamp64Milli({stored:Int64}, 'UTC')`

function where({ dialect }: Pick<Chosen, 'dialect'>): string {
	return dialect === null ? chosen : `${chosen} AND dialect = {dialect:String}`
}

function parametersOf({ workspaceId, startMs, endMs, dialect, storedUpToMs }: Omit<Chosen, 'partition'>) {
	return {
		...{ workspace: workspaceId, version: mapperVersion, start: startMs, end: endMs, stored: storedUpToMs },
		...(dialect !== null && { dialect }),
	}
}

/** The first partition after one that has such spans, or null. */
export async function nextPartition(
	store: Store,
	choice: Omit<Chosen, 'partition'>,
	after: string | null,
): Promise<string | null> {
	const [found] = await store.query<{ id: string }>(
		`SELECT _partition_id AS id FROM spans WHERE ${where(choice)} AND _partition_id > {after:String} ORDER BY id LIMIT 1`,
		{ ...parametersOf(choice), after: after ?? '' },
	)
	return found?.id ?? null
}

/** Writes the spans of a partition, mapped again, into a table beside; returns how many. Bears a second run from its beginning. */
export async function stagePartition(store: Store, choice: Chosen, signal: AbortSignal): Promise<number> {
	await store.command(`DROP TABLE IF EXISTS ${remapped} SYNC`)
	await createSideTable(store, remapped, 'spans')
	let staged = 0
	for (let after: Place | null = null; ; ) {
		signal.throwIfAborted()
		const rows: PlacedSpan[] = await readBatch(store, choice, after)
		const last = rows.at(-1)
		if (!last) return staged
		await store.insertRowBinary({
			table: remapped,
			columns: [...spanColumnNames, storedAt],
			rows: rows.map(encodeAnew),
			deduplicationToken: `${choice.partition}:${staged}`,
		})
		staged += rows.length
		after = { hour: last.hour, place: last.place }
	}
}

interface Place {
	hour: number
	place: string
}

type PlacedSpan = StoredSpan & Place & { stored_ms: string }

const place = 'cityHash64(trace_id, span_id, spans.started_at, spans.name)'
const hour = 'toUInt32(toStartOfHour(spans.started_at))'

/** Spans that cannot be distinguished come together. */
function readBatch(store: Store, choice: Chosen, after: Place | null): Promise<PlacedSpan[]> {
	return store.query(
		`SELECT ${storedColumns}, toString(toUnixTimestamp64Milli(${storedAt})) AS stored_ms, ${hour} AS hour, toString(${place}) AS place
		FROM spans WHERE ${where(choice)} AND _partition_id = {partition:String}
			${after ? `AND spans.started_at >= toDateTime({hour:UInt32}, 'UTC') AND (${hour}, ${place}) > ({hour:UInt32}, {place:UInt64})` : ''}
		ORDER BY ${hour}, ${place} LIMIT {limit:UInt32} WITH TIES`,
		{ ...parametersOf(choice), ...after, partition: choice.partition, limit: batchRows },
	)
}

/** With the time of storing that it had: it is not new. */
function encodeAnew(stored: PlacedSpan): Buffer {
	const time = Buffer.alloc(8)
	time.writeBigInt64LE(BigInt(stored.stored_ms))
	return Buffer.concat([encodeSpanRow(remapSpan(toSpanRow(stored))), time])
}

/**
 * Puts the staged spans of a partition in the place of the old ones, which go last: a backup or a kill in between has some twice, and
 * a second run of this takes them away. Until it ends, questions may count them twice.
 */
export async function swapPartition(store: Store, choice: Chosen): Promise<void> {
	const { partition } = choice
	const ofPartition = { ...parametersOf(choice), partition }
	const old = `${where(choice)} AND _partition_id = {partition:String}`
	await markHoursOf(store, old, ofPartition)
	if (await needsAttaching(store, partition))
		await store.command(`ALTER TABLE spans ATTACH PARTITION ID '${plain(partition)}' FROM ${remapped}`)
	await store.command(`ALTER TABLE spans DELETE WHERE ${old} SETTINGS mutations_sync = 2`, ofPartition)
	await store.command(`DROP TABLE IF EXISTS ${remapped} SYNC`)
}

/** Not when a run before this one was killed after it had attached them. */
async function needsAttaching(store: Store, partition: string): Promise<boolean> {
	const [table] = await store.query(
		'SELECT 1 FROM system.tables WHERE database = currentDatabase() AND name = {remapped:String}',
		{ remapped },
	)
	if (!table) return false
	const [counted] = await store.query<{ staged: string; attached: string }>(
		`SELECT (SELECT count() FROM ${remapped}) AS staged,
			(SELECT count() FROM spans WHERE _partition_id = {partition:String} AND mapper_version = {version:UInt16}
				AND (trace_id, span_id, started_at, ${storedAt}) IN (SELECT trace_id, span_id, started_at, ${storedAt} FROM ${remapped})) AS attached`,
		{ partition, version: mapperVersion },
	)
	return Number(counted?.staged) > Number(counted?.attached)
}

/** It comes from the engine and goes into its SQL. */
function plain(id: string): string {
	if (!/^[\w-]+$/.test(id)) throw new Error(`The telemetry store has a partition that is not plain: ${id}`)
	return id
}
