import { storedAt } from '../columns.ts'
import {
	type StoredPoint,
	storedPointColumns,
	toLogsRequest,
	toMetricsRequest,
	toTraceRequest,
} from '../export/otlp-items.ts'
import { type StoredLog, storedLogColumns } from '../logs/log-repository.ts'
import { encodeRequest, type OtlpSignal } from '../otlp/encode-request.ts'
import { attributeConditions, attributesOfSpans, type Conditions } from '../reads/attribute-conditions.ts'
import { type QueryStore, readStore } from '../reads/span-repository.ts'
import { type StoredSpan, storedColumns, toSpanRow } from '../reads/stored-span.ts'

/** A position among the rows of a workspace in the order in which they were stored. */
export interface ArrivalPlace {
	/** By the engine's clock. */
	storedMs: number
	/**
	 * Hash of the last row in that millisecond before this position, in decimal digits; '': all rows of that millisecond are before
	 * it.
	 */
	hash: string
}

export interface ArrivalFilter {
	/** For spans: ids of agents and servers, and kinds. */
	agents?: string[]
	servers?: string[]
	kinds?: string[]
	/** See `attributeConditions`. */
	attributes?: string[]
}

interface ArrivalQuery {
	after: ArrivalPlace
	/** See `settledMs`. */
	upToMs: number
	filter: ArrivalFilter
	/** Rows with equal identity are returned together, so there may be more. */
	limit: number
}

interface Placed {
	stored_ms: string
	arrival_hash: string
}

export interface Arrivals<Row = unknown> {
	rows: (Row & Placed)[]
	/** Where to continue; null if there are no more rows up to the watermark. */
	last: ArrivalPlace | null
}

interface Source<Row> {
	/** The kind of OTLP request. */
	request: OtlpSignal
	columns: string
	/** Columns that distinguish rows of the same millisecond. */
	identity: string
	encode(rows: readonly Row[]): Buffer
}

export type ArrivalSignal = 'spans' | 'metrics' | 'logs'

const sources: Readonly<Record<ArrivalSignal, Source<never>>> = {
	spans: {
		request: 'traces',
		columns: storedColumns,
		identity: 'trace_id, span_id, spans.started_at, spans.name',
		encode: (rows: readonly StoredSpan[]) => encodeRequest('traces', toTraceRequest(rows.map(toSpanRow))),
	},
	metrics: {
		request: 'metrics',
		columns: storedPointColumns,
		identity: 'metric, recorded_at, attributes, resource, scope_name, kind',
		encode: (rows: readonly StoredPoint[]) => encodeRequest('metrics', toMetricsRequest(rows)),
	},
	logs: {
		request: 'logs',
		columns: storedLogColumns,
		identity: 'trace_id, span_id, logs.recorded_at, body, attributes, resource, scope_name, event_name',
		encode: (rows: readonly StoredLog[]) => encodeRequest('logs', toLogsRequest(rows)),
	},
}

/** Rows are read from a period that begins with the first one, so that a long backlog is not sorted for each page. */
const stretch = 'INTERVAL 1 SECOND'
/** An insert appears in the list of running ones a moment after it began, and by another clock than its rows. */
const slackMs = 500

/**
 * The watermark up to which all stored rows are visible, in milliseconds by the engine's clock. A row has the time at which its
 * insert began, and becomes visible when that ends; so the watermark is before the oldest running insert.
 */
export async function settledMs(store: QueryStore): Promise<number> {
	const [answer] = await readStore(() =>
		store.query<{ bound: string }>(
			`SELECT toInt64(toUnixTimestamp64Milli(now64(3))
				- 1000 * (SELECT max(elapsed) FROM system.processes WHERE query_kind = 'Insert')) - {slack:Int64} AS bound`,
			{ slack: slackMs },
		),
	)
	return Number(answer?.bound)
}

/**
 * The signals of which a workspace may have rows after a position, up to the watermark. Asking this first costs a fifth of reading all
 * columns of each signal, and mostly nothing has arrived.
 */
export async function signalsWithArrivals(
	store: QueryStore,
	workspaceId: string,
	after: Partial<Record<ArrivalSignal, ArrivalPlace>>,
	upToMs: number,
): Promise<Set<ArrivalSignal>> {
	const places = (Object.entries(after) as [ArrivalSignal, ArrivalPlace][]).filter(
		([, { storedMs }]) => storedMs < upToMs,
	)
	if (places.length === 0) return new Set()
	const one = ([signal, { hash }]: (typeof places)[number]) =>
		`SELECT '${signal}' AS signal FROM ${signal} WHERE workspace_id = {workspace:String}
			AND ${storedAt} ${hash === '' ? '>' : '>='} ${moment(`after_${signal}`)} AND ${storedAt} <= ${moment('up_to')} LIMIT 1`
	const rows = await readStore(() =>
		store.query<{ signal: ArrivalSignal }>(places.map(one).join(' UNION ALL '), {
			...Object.fromEntries(places.map(([signal, { storedMs }]) => [`after_${signal}`, storedMs])),
			...{ workspace: workspaceId, up_to: upToMs },
		}),
	)
	return new Set(rows.map(({ signal }) => signal))
}

const moment = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`

/** The next rows of a workspace in the order in which they were stored. */
export async function readArrivals(
	store: QueryStore,
	workspaceId: string,
	signal: ArrivalSignal,
	{ after, upToMs, filter, limit }: ArrivalQuery,
): Promise<Arrivals> {
	const { columns, identity } = sources[signal]
	const hash = `cityHash64(${identity})`
	const { sql, parameters } = conditionsOf(signal, filter)
	const where = `workspace_id = {workspace:String} AND ${storedAt} >= ${moment('after')} AND ${storedAt} <= ${moment('up_to')}
		AND (${storedAt} > ${moment('after')}${after.hash === '' ? '' : ` OR ${hash} > {after_hash:UInt64}`}) ${sql}`
	const rows = await readStore(() =>
		store.query<Placed>(
			`SELECT ${columns}, toString(toUnixTimestamp64Milli(${storedAt})) AS stored_ms, toString(${hash}) AS arrival_hash
			FROM ${signal} WHERE ${where} AND ${storedAt} <= (SELECT min(${storedAt}) + ${stretch} FROM ${signal} WHERE ${where})
			ORDER BY ${signal}.${storedAt}, ${hash} LIMIT {limit:UInt32} WITH TIES`,
			{
				...parameters,
				workspace: workspaceId,
				after: after.storedMs,
				up_to: upToMs,
				...(after.hash !== '' && { after_hash: after.hash }),
				limit,
			},
		),
	)
	const last = rows.at(-1)
	return { rows, last: last ? { storedMs: Number(last.stored_ms), hash: last.arrival_hash } : null }
}

/** Encodes rows that `readArrivals` returned as the body of an OTLP request in protobuf. */
export function encodeArrivals(signal: ArrivalSignal, rows: Arrivals['rows']): Buffer {
	return sources[signal].encode(rows as never)
}

function conditionsOf(signal: ArrivalSignal, filter: ArrivalFilter): Conditions {
	const attributes = attributeConditions(
		filter.attributes,
		signal === 'spans' ? attributesOfSpans : undefined,
	)
	const columns = { agents: 'agent_id', servers: 'server_id', kinds: 'kind' } as const
	const given = (Object.keys(columns) as (keyof typeof columns)[]).filter(
		(name) => signal === 'spans' && filter[name] !== undefined,
	)
	return {
		sql:
			given.map((name) => ` AND ${columns[name]} IN {filter_${name}:Array(String)}`).join('') +
			attributes.sql,
		parameters: {
			...attributes.parameters,
			...Object.fromEntries(given.map((name) => [`filter_${name}`, filter[name]])),
		},
	}
}
