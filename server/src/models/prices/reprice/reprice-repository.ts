import { isDeepStrictEqual } from 'node:util'
import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import {
	completeChange,
	type LedgerList,
	ledgerList,
	ledgerTextOf,
	markHoursOf,
	pricedColumnNames,
	readStore,
} from '../../../telemetry/index.ts'

export type LedgerStore = Pick<TelemetryStore, 'query' | 'command'>

/** A call with its ledger rows as the store returns it, with 64-bit numbers as text. */
export interface StoredCall {
	trace: string
	span: string
	start_ns: string
	connection: string
	provider: string
	/** The provider of its connection, if it was recorded under another vendor; otherwise ''. */
	connection_kind: string
	model: string
	service_tier: string
	speed: string
	geo: string
	/** 1 if it was the result of a batch. */
	batch: number
	cost: string | null
	dimensions: string[]
	quantities: string[]
	iterations: number[]
	models: string[]
	costs: (string | null)[]
	rates: (string | null)[]
	factors: string[]
	prices: string[]
}

export interface CallsToPrice {
	workspaceId: string
	range: TimeRange
	/** With `*` for any text; null for all models. */
	models: readonly string[] | null
}

const inRange = `workspace_id = {workspace:String} AND kind = 'model_call' AND source = 'model_proxy'
	AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
const wanted = `${inRange} AND ledger != ''
	AND (empty({models:Array(String)}) OR arrayExists(pattern -> model LIKE pattern, {models:Array(String)}))`

/**
 * Reads a term from the usage for older calls of Claude, which have no attribute for it. Other answers, such as LiteLLM's, may have such a
 * field, by which their calls were not priced.
 */
const term = (name: string, inUsage: string) =>
	`multiIf(mapContains(attributes, 'signalbox.${name}'), attributes['signalbox.${name}'],
		provider IN ('anthropic', 'vertex', 'bedrock'), JSONExtractString(attributes['signalbox.usage'], '${inUsage}'), '') AS ${name}`

export async function countCalls(store: LedgerStore, calls: CallsToPrice): Promise<number> {
	const [found] = await readStore(() =>
		store.query<{ calls: string }>(`SELECT count() AS calls FROM spans WHERE ${wanted}`, parametersOf(calls)),
	)
	return Number(found?.calls ?? 0)
}

/** The calls after a position, ordered by start. */
export function listCalls(
	store: LedgerStore,
	calls: CallsToPrice,
	after: StoredCall | null,
	limit: number,
): Promise<StoredCall[]> {
	const place = after
		? `AND (started_at, trace_id, span_id) > (fromUnixTimestamp64Nano({after_start:Int64}, 'UTC'),
			toFixedString(unhex({after_trace:String}), 16), toFixedString(unhex({after_span:String}), 8))`
		: ''
	return readStore(() =>
		store.query<StoredCall>(
			`SELECT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span,
				toString(toUnixTimestamp64Nano(started_at)) AS start_ns, connection, provider,
				attributes['signalbox.connection.provider'] AS connection_kind, model,
				attributes['signalbox.service_tier'] AS service_tier, ${term('speed', 'speed')}, ${term('geo', 'inference_geo')},
				attributes['signalbox.batch'] = 'true' AS batch, toString(cost_nano_usd) AS cost, ${ledgerList('ledger_dimension')} AS dimensions,
				arrayMap(one -> toString(one), ${ledgerList('ledger_quantity')}) AS quantities, ${ledgerList('ledger_iteration')} AS iterations,
				${ledgerList('ledger_model')} AS models, arrayMap(one -> toString(one), ${ledgerList('ledger_cost_nano_usd')}) AS costs,
				arrayMap(one -> toString(one), ${ledgerList('ledger_rate')}) AS rates, ${ledgerList('ledger_factor')} AS factors,
				${ledgerList('ledger_price')} AS prices
			FROM spans WHERE ${wanted} ${place} ORDER BY started_at, trace_id, span_id LIMIT {limit:UInt32}`,
			{
				...parametersOf(calls),
				limit,
				...(after && { after_start: after.start_ns, after_trace: after.trace, after_span: after.span }),
			},
		),
	)
}

function parametersOf({ workspaceId, range, models }: CallsToPrice) {
	return {
		workspace: workspaceId,
		start: range.startMs,
		end: range.endMs,
		models: (models ?? []).map(likeOf),
	}
}

function likeOf(pattern: string): string {
	return pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')
}

/** One part of a repricing. */
export interface VersionPart {
	workspaceId: string
	range: TimeRange
	revision: string
	part: number
	/** JSON: `[{key, cost, costs, rates, factors, prices}]`, the key being trace and span in hex. */
	rows: string
}

const keyOfSpan = 'concat(lower(hex(trace_id)), lower(hex(span_id)))'
const priced = pricedColumnNames.join(', ')
const isList = (name: string): name is LedgerList => name.startsWith('ledger_')
type Priced = (typeof pricedColumnNames)[number]
/** The priced columns in a row of `spans`. */
const pricedNow = pricedColumnNames.map((name) => (isList(name) ? ledgerList(name) : name)).join(', ')
const columns = `workspace_id, retention_days, started_at, trace_id, span_id, revision, part, ${priced}`
/** The priced columns in a row of `VersionPart.rows`. */
const given = [
	"JSONExtract(row, 'cost', 'Nullable(Int64)')",
	"JSONExtract(row, 'costs', 'Array(Nullable(Int64))')",
	"JSONExtract(row, 'rates', 'Array(Nullable(UInt64))')",
	"JSONExtract(row, 'factors', 'Array(String)')",
	"JSONExtract(row, 'prices', 'Array(String)')",
].join(', ')
const newRows = `(SELECT arrayJoin(JSONExtractArrayRaw({rows:String})) AS row, JSONExtractString(row, 'key') AS key)`
const ofPart = `workspace_id = {workspace:String} AND revision = {revision:String} AND part = {part:UInt32}`

/**
 * Makes the new versions current: first the original values are kept, then the new versions are written, then the calls get them.
 * If interrupted at any point, it can be repeated with another revision.
 */
export async function writeVersions(
	store: LedgerStore,
	{ range, workspaceId, ...part }: VersionPart,
): Promise<void> {
	const parameters = { ...part, workspace: workspaceId, start: range.startMs, end: range.endMs }
	await readStore(async () => {
		await store.command(
			`INSERT INTO ledger_versions (${columns})
			SELECT workspace_id, retention_days, started_at, trace_id, span_id, '', 0, ${pricedNow} FROM spans
			WHERE ${inRange} AND ${keyOfSpan} IN (SELECT key FROM ${newRows})
				AND (trace_id, span_id) NOT IN (SELECT trace_id, span_id FROM ledger_versions WHERE workspace_id = {workspace:String})`,
			parameters,
		)
		await dropUnreached(store, parameters)
		await store.command(
			`INSERT INTO ledger_versions (${columns})
			SELECT workspace_id, retention_days, started_at, trace_id, span_id, {revision:String}, {part:UInt32}, ${given}
			FROM spans INNER JOIN ${newRows} AS given ON ${keyOfSpan} = given.key WHERE ${inRange}`,
			parameters,
		)
		const { rows: _rows, ...names } = parameters
		const changed = `${inRange} AND (trace_id, span_id) IN (SELECT trace_id, span_id FROM ledger_versions WHERE ${ofPart})`
		await markHoursOf(store, changed, names)
		await store.command(
			`ALTER TABLE spans UPDATE cost_nano_usd = ${newest('cost_nano_usd')}, ledger = ${newLedger} WHERE ${changed} SETTINGS mutations_sync = 2`,
			names,
		)
		completeChange()
	})
}

/**
 * Deletes versions that the calls of a part never got, because their repricing was killed before: later versions would make them look
 * like earlier ones. While the store still changes calls, it may be about to give them these versions.
 */
async function dropUnreached(store: LedgerStore, parameters: Record<string, unknown>): Promise<void> {
	const found = await store.query<{ version: string }>(
		`SELECT concat(key, arrayJoin(arrayFilter(one -> one > reached, revisions))) AS version FROM (
			SELECT ${keyOfSpan} AS key, groupArray(revision) AS revisions, maxIf(revision, toString(tuple(${priced})) = current) AS reached,
				countIf(toString(tuple(${priced})) = current) AS equal
			FROM ledger_versions INNER JOIN (
				SELECT ${keyOfSpan} AS call, toString(tuple(${pricedNow})) AS current FROM spans
				WHERE ${inRange} AND ${keyOfSpan} IN (SELECT key FROM ${newRows})
			) AS calls ON ${keyOfSpan} = calls.call
			WHERE workspace_id = {workspace:String} GROUP BY key
		) WHERE equal > 0 AND (
			SELECT count() FROM system.mutations WHERE database = currentDatabase() AND table = 'spans' AND NOT is_done
		) = 0`,
		parameters,
	)
	if (found.length === 0) return
	await store.command(
		`ALTER TABLE ledger_versions DELETE WHERE workspace_id = {workspace:String}
			AND has({versions:Array(String)}, concat(${keyOfSpan}, revision)) SETTINGS mutations_sync = 2`,
		{ workspace: parameters.workspace, versions: found.map(({ version }) => version) },
	)
}

/**
 * The keys of the part and, at the same indexes, the values of each column: in a tuple, because a list of bare values would skip nulls.
 * The engine reads equal subqueries once for a part of the table. An erasure or an expiry between two of them would shift the indexes.
 */
const lists = `(SELECT tuple(${[keyOfSpan, ...pricedColumnNames.map((name) => `tuple(${name})`)].map((value) => `groupArray(${value})`).join(', ')})
	FROM (SELECT * FROM ledger_versions WHERE ${ofPart} ORDER BY trace_id, span_id))`

function newest(column: Priced): string {
	const values = `tupleElement(${lists}, ${pricedColumnNames.indexOf(column) + 2})`
	return `tupleElement(arrayElement(${values}, indexOf(tupleElement(${lists}, 1), ${keyOfSpan})), 1)`
}

const newLedger = ledgerTextOf((name) =>
	pricedColumnNames.includes(name as Priced) ? newest(name as Priced) : ledgerList(name),
)

export interface StoredVersion {
	revision: string
	cost: string | null
	costs: (string | null)[]
	rates: (string | null)[]
	factors: string[]
	prices: string[]
}

const versionOf = (list: (name: LedgerList) => string) => `toString(cost_nano_usd) AS cost,
	arrayMap(one -> toString(one), ${list('ledger_cost_nano_usd')}) AS costs, arrayMap(one -> toString(one), ${list('ledger_rate')}) AS rates,
	${list('ledger_factor')} AS factors, ${list('ledger_price')} AS prices`
const ofCall = `workspace_id = {workspace:String} AND trace_id = toFixedString(unhex({trace_id:String}), 16)
	AND span_id = toFixedString(unhex({span_id:String}), 8)`

/** The versions that the call has had, oldest first. One that it did not get, because its repricing was interrupted, is left out. */
export async function listVersions(
	store: Pick<LedgerStore, 'query'>,
	workspaceId: string,
	call: { trace_id: string; span_id: string },
): Promise<StoredVersion[]> {
	const parameters = { ...call, workspace: workspaceId }
	const versions = await readStore(() =>
		store.query<StoredVersion>(
			`SELECT revision, ${versionOf((name) => name)} FROM ledger_versions WHERE ${ofCall} ORDER BY revision`,
			parameters,
		),
	)
	if (versions.length === 0) return []
	const [current] = await readStore(() =>
		store.query<StoredVersion>(
			`SELECT '' AS revision, ${versionOf(ledgerList)} FROM spans WHERE ${ofCall} LIMIT 1`,
			parameters,
		),
	)
	if (!current) return versions
	const isCurrent = (version: StoredVersion) => isDeepStrictEqual({ ...version, revision: '' }, current)
	return versions.slice(0, versions.findLastIndex(isCurrent) + 1)
}
