import { type BodyOf, type OutputOf, renormalisationOperations } from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/audit.ts'
import { createSideTable } from '../../platform/clickhouse/frozen-table.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { ControlStore, DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { ownedRows } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { Jobs, RunningJob } from '../../platform/jobs/job.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { paginate } from '../../platform/paging.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import { settledMs } from '../arrivals/read-arrivals.ts'
import { storedAt } from '../columns.ts'
import { repeatErasures } from '../erasures/erase-rows.ts'
import { storedExceptionType } from '../normalise/exceptions.ts'
import { hotValuesOf, mapAttributes, mapperVersion, readResource } from '../normalise/map-attributes.ts'
import { type StoredSpan, storedColumns, toSpanRow } from '../reads/stored-span.ts'
import { completeChange, markHoursOf } from '../rollups/rollup-tables.ts'
import { spanColumnNames } from '../span-columns.ts'
import type { SpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'

type RenormalisationRow = ControlSchema['renormalisations']

const { list: listRenormalisations, insert: insertRenormalisation } = ownedRows('renormalisations')

interface RenormaliseContext {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	jobs: Jobs
	telemetry: Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>
}

type View = OutputOf<(typeof renormalisationOperations)['create']>

/** One job for the whole instance, because there is only one table for staged rows. */
const job = { kind: 'telemetry-renormalise', key: '', workspaceId: null }

/** Opens renormalisation: stored spans are mapped again with a newer mapper. */
export function openRenormalisations(context: RenormaliseContext): { operations: BoundOperation[] } {
	context.jobs.handle(job.kind, (run) => renormalise(context, run), { concurrency: 1 })
	const operations = bind(renormalisationOperations, {
		list: async ({ query, context: request }) => {
			const { workspaceId } = principalIn(request)
			const { rows, total } = await listRenormalisations(context.store.db, workspaceId, query)
			return { renormalisations: rows.map(present), pagination: paginate(query, total) }
		},
		create: ({ body, context: request }) => requestRenormalisation(context, request, body),
	})
	return { operations }
}

function requestRenormalisation(
	{ mutate, audit, clock, jobs }: RenormaliseContext,
	request: RequestContext,
	{ start = '1970-01-01T00:00:00Z', end, dialect }: BodyOf<(typeof renormalisationOperations)['create']>,
): Promise<View> {
	const principal = principalIn(request)
	const nowMs = clock.nowMs()
	const range = readTimeRange({ start, ...(end !== undefined && { end }) }, nowMs)
	const row: RenormalisationRow = {
		...{ id: newId(nowMs), workspace_id: principal.workspaceId, status: 'pending', spans: 0 },
		...{ start_ms: range.startMs, end_ms: range.endMs, dialect: dialect ?? null },
		...{ partition_id: null, stage: 'staging', stage_started_at: null, stored_up_to: null },
		...{ created_at: nowMs, finished_at: null },
	}
	return mutate(async (tx) => {
		await insertRenormalisation(tx, row)
		await audit.record(tx, {
			...{ workspaceId: row.workspace_id, actor: actorOf(principal) },
			action: 'telemetry-renormalisations.create',
			detail: { start: toIso(row.start_ms), end: toIso(row.end_ms), dialect: row.dialect },
			requestId: request.requestId,
		})
		await jobs.enqueue(tx, job)
		return present(row)
	})
}

/** Each step is idempotent, and is recorded when it is done. */
async function renormalise(context: RenormaliseContext, run: RunningJob): Promise<void> {
	const { store } = context
	for (let row = await firstUndone(store.db); row; row = await firstUndone(store.db)) {
		run.signal.throwIfAborted()
		const done = await takeStep(context, row, run.signal)
		const { id } = row
		await run.commit((tx) => updateRenormalisation(tx, id, done))
	}
}

/** Takes the next step: selects the spans, then stages and swaps partition after partition. Returns the progress to store. */
async function takeStep(
	context: RenormaliseContext,
	row: RenormalisationRow,
	signal: AbortSignal,
): Promise<Partial<RenormalisationRow>> {
	const { telemetry, clock } = context
	if (row.stored_up_to === null || row.stage_started_at === null)
		return { status: 'running', stage_started_at: clock.nowMs(), stored_up_to: await settledMs(telemetry) }
	const choice = choiceOf(row, row.stored_up_to)
	if (row.stage === 'swapping') {
		const isSwapped = await swapPartition(telemetry, { ...choice, partition: row.partition_id ?? '' })
		await repeatErasures(context, row.stage_started_at)
		// Spans that are not staged here are found by another look at all partitions.
		return { stage: 'staging', stage_started_at: clock.nowMs(), ...(!isSwapped && { partition_id: null }) }
	}
	const partition = await nextPartition(telemetry, choice, row.partition_id)
	if (partition === null) return { status: 'done', finished_at: clock.nowMs() }
	const staged = await stagePartition(telemetry, { ...choice, partition }, signal)
	return { stage: 'swapping', partition_id: partition, spans: row.spans + staged }
}

function choiceOf(row: RenormalisationRow, storedUpToMs: number): Omit<Chosen, 'partition'> {
	const { id, workspace_id: workspaceId, start_ms: startMs, end_ms: endMs, dialect } = row
	return { id, workspaceId, startMs, endMs, dialect, storedUpToMs }
}

function present(row: RenormalisationRow): View {
	return {
		id: row.id,
		start: toIso(row.start_ms),
		end: toIso(row.end_ms),
		dialect: row.dialect,
		status: row.status as View['status'],
		spans: row.spans,
		created_at: toIso(row.created_at),
		finished_at: row.finished_at === null ? null : toIso(row.finished_at),
	}
}

export { mapperVersion }

/** A stored span with the columns that the current mapper derives from its attributes. A session that it does not find is kept. */
function remapSpan(row: SpanRow): SpanRow {
	const facts = readResource(hotValuesOf(row.resource), row.scopeName)
	const mapped = mapAttributes(hotValuesOf(row.attributes), facts, {
		startNs: row.startNs,
		otlpKind: row.otlpKind,
		status: row.status,
		exception: () => storedExceptionType(row.events),
		name: () => row.name,
	})
	return {
		...row,
		...mapped,
		sessionId: mapped.sessionId || row.sessionId,
		serviceName: facts.serviceName,
	}
}

type Store = Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>

/** Selects the spans to renormalise, among those stored up to a time. */
interface Chosen {
	/** Of the renormalisation. */
	id: string
	workspaceId: string
	startMs: number
	endMs: number
	dialect: string | null
	/** By the engine's clock. */
	storedUpToMs: number
	partition: string
}

/** Staging tables have the columns of `spans`; they exist only while a partition is being processed, and are not in backups. */
const staging = 'remapped_spans'

/** A name for each partition: a program that stalls or takes over must not mistake what is staged for another one. */
function stagingTable({ id, partition }: Pick<Chosen, 'id' | 'partition'>): string {
	return `${staging}_${id}_${partition}`.replaceAll(/\W/g, '_')
}

/** Maximum number of rows in memory. */
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

/** The next partition with such spans, or null. */
async function nextPartition(
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

/** Writes the renormalised spans of a partition into the staging table; returns how many. Idempotent: it starts from the beginning. */
export async function stagePartition(store: Store, choice: Chosen, signal: AbortSignal): Promise<number> {
	const remapped = stagingTable(choice)
	await dropStaged(store)
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

/** Also what a program left that was killed and whose work another one did. */
async function dropStaged(store: Store): Promise<void> {
	const left = await store.query<{ name: string }>(
		'SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, {staging:String})',
		{ staging },
	)
	for (const { name } of left) await store.command(`DROP TABLE IF EXISTS ${plain(name)} SYNC`)
}

interface Place {
	hour: number
	place: string
}

type PlacedSpan = StoredSpan & Place & { stored_ms: string }

const place = 'cityHash64(trace_id, span_id, spans.started_at, spans.name)'
const hour = 'toUInt32(toStartOfHour(spans.started_at))'

/** Spans that cannot be distinguished are returned together. */
function readBatch(store: Store, choice: Chosen, after: Place | null): Promise<PlacedSpan[]> {
	return store.query(
		`SELECT ${storedColumns}, toString(toUnixTimestamp64Milli(${storedAt})) AS stored_ms, ${hour} AS hour, toString(${place}) AS place
		FROM spans WHERE ${where(choice)} AND _partition_id = {partition:String}
			${after ? `AND spans.started_at >= toDateTime({hour:UInt32}, 'UTC') AND (${hour}, ${place}) > ({hour:UInt32}, {place:UInt64})` : ''}
		ORDER BY ${hour}, ${place} LIMIT {limit:UInt32} WITH TIES`,
		{ ...parametersOf(choice), ...after, partition: choice.partition, limit: batchRows },
	)
}

/** Encodes a span with its original time of storing, because it is not new. */
function encodeAnew(stored: PlacedSpan): Buffer {
	const time = Buffer.alloc(8)
	time.writeBigInt64LE(BigInt(stored.stored_ms))
	return Buffer.concat([encodeSpanRow(remapSpan(toSpanRow(stored))), time])
}

/**
 * Replaces the old spans of a partition by the staged ones. The old ones are deleted last: after a backup or a kill in between some
 * spans exist twice, and running this again deletes the duplicates. Until it ends, queries may count spans twice.
 *
 * False, and nothing is deleted, without a staging table: the partition was swapped already, or staged in the engine of another
 * program that was killed.
 */
export async function swapPartition(store: Store, choice: Chosen): Promise<boolean> {
	const { partition } = choice
	const remapped = stagingTable(choice)
	if (!(await isStaged(store, remapped))) return false
	const ofPartition = { ...parametersOf(choice), partition }
	const old = `${where(choice)} AND _partition_id = {partition:String}`
	await markHoursOf(store, old, ofPartition)
	if (await needsAttaching(store, partition, remapped))
		await store.command(`ALTER TABLE spans ATTACH PARTITION ID '${plain(partition)}' FROM ${remapped}`)
	await store.command(`ALTER TABLE spans DELETE WHERE ${old} SETTINGS mutations_sync = 2`, ofPartition)
	completeChange()
	await store.command(`DROP TABLE IF EXISTS ${remapped} SYNC`)
	return true
}

async function isStaged(store: Store, remapped: string): Promise<boolean> {
	const [table] = await store.query(
		'SELECT 1 FROM system.tables WHERE database = currentDatabase() AND name = {remapped:String}',
		{ remapped },
	)
	return table !== undefined
}

/** False if an earlier run was killed after it had attached them. */
async function needsAttaching(store: Store, partition: string, remapped: string): Promise<boolean> {
	const [counted] = await store.query<{ staged: string; attached: string }>(
		`SELECT (SELECT count() FROM ${remapped}) AS staged,
			(SELECT count() FROM spans WHERE _partition_id = {partition:String} AND mapper_version = {version:UInt16}
				AND (trace_id, span_id, started_at, ${storedAt}) IN (SELECT trace_id, span_id, started_at, ${storedAt} FROM ${remapped})) AS attached`,
		{ partition, version: mapperVersion },
	)
	return Number(counted?.staged) > Number(counted?.attached)
}

/** The id comes from the engine and is inserted into its SQL. */
function plain(id: string): string {
	if (!/^[\w-]+$/.test(id)) throw new Error(`The telemetry store has a partition that is not plain: ${id}`)
	return id
}

async function updateRenormalisation(
	tx: DatabaseTransaction,
	id: string,
	values: Partial<RenormalisationRow>,
): Promise<void> {
	await tx.updateTable('renormalisations').set(values).where('id', '=', id).execute()
}

/** The oldest unfinished renormalisation of all workspaces, for the job. */
function firstUndone(db: Queryable): Promise<RenormalisationRow | undefined> {
	return db
		.selectFrom('renormalisations')
		.selectAll()
		.where('status', '<>', 'done')
		.orderBy('created_at')
		.orderBy('id')
		.limit(1)
		.executeTakeFirst()
}
