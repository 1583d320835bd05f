import { durableSettings } from '../../platform/clickhouse/index.ts'
import {
	type Columns,
	count,
	definitionsOf,
	isFailed,
	label,
	retentionColumn,
	text,
	time,
} from '../columns.ts'
import {
	callHours,
	countedCallColumns,
	countedCalls,
	hour,
	hourVisitors,
	marksOf,
	nowMs,
	version,
} from './rollup-tables.ts'

/** What calls of an hour are grouped by: what most queries filter and group by, with few values in an hour. */
const labels = [
	...['kind', 'status', 'error_type', 'service_name', 'agent_id', 'agent_name', 'server_id', 'server_name'],
	...['tool_name', 'client', 'connection', 'provider', 'model_requested', 'model'],
]
const actors = ['kind', 'session_id', 'user_id', 'agent_id', 'agent_name', 'client']

/** What a row says of the calls that it stands for (`c`), and what it would say of one call alone. */
interface Measure {
	name: string
	type: string
	sum: string
	one: string
}

const failed = isFailed('c.status')
const unpriced = "c.kind = 'model_call' AND isNull(c.cost_nano_usd)"
const timed = "c.status != 'interrupted'"
const hashes = 'Array(UInt64) CODEC(LZ4)'
const tokenColumns = [
	...['input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens'],
]

/** Under the name of a column of calls stands the sum, or what is true of the newest. */
const measures: readonly Measure[] = [
	{ name: 'call_count', type: count, sum: 'count()', one: 'toUInt64(1)' },
	{ name: 'error_count', type: count, sum: `countIf(${failed})`, one: `toUInt64(${failed})` },
	{ name: 'unpriced_count', type: count, sum: `countIf(${unpriced})`, one: `toUInt64(${unpriced})` },
	{ name: 'first_at', type: time, sum: 'min(c.started_at)', one: 'c.started_at' },
	{ name: 'started_at', type: time, sum: 'max(c.started_at)', one: 'c.started_at' },
	{
		...{ name: 'durations', type: hashes },
		sum: `groupArrayIf(c.duration_ns, ${timed})`,
		one: `if(${timed}, [c.duration_ns], [])`,
	},
	...tokenColumns.map((name) => ({ name, type: count, sum: `sum(c.${name})`, one: `c.${name}` })),
	{
		...{ name: 'cost_nano_usd', type: 'Nullable(Int64) CODEC(ZSTD(1))' },
		...{ sum: 'sum(c.cost_nano_usd)', one: 'c.cost_nano_usd' },
	},
]
const ofNewestError: readonly Measure[] = [
	{ name: 'status_message', type: text },
	{ name: 'trace_id', type: 'FixedString(16)' },
].map((column) => ({
	...column,
	sum: `argMaxIf(c.${column.name}, c.started_at, ${failed})`,
	one: `c.${column.name}`,
}))
/** Sessions and users as hashes: quick to count exactly, and no text of theirs in rows of many. */
const keys: readonly Measure[] = ['session', 'user'].map((who) => ({
	...{ name: `${who}_keys`, type: hashes },
	sum: `groupUniqArrayIf(sipHash64(c.${who}_id), c.${who}_id != '')`,
	one: `if(c.${who}_id = '', [], [sipHash64(c.${who}_id)])`,
}))

/** A table of an hour's calls grouped by some columns. */
export interface SumTable {
	name: string
	/** The columns that conditions and groups may be about. */
	labels: ReadonlySet<string>
	/** All but the workspace, the time that they are kept, and the roll. */
	columns: string
	/** For SELECT … FROM calls AS c: sums by `groupBy`. */
	sums: string
	groupBy: string
	/** The columns that some SQL names, and for SELECT … FROM calls AS c the same of each call. */
	namedIn(sql: string): { columns: string; ones: string }
}

function sumTable(name: string, by: readonly string[], measured: readonly Measure[]): SumTable {
	const columns = [
		...by.map((column) => ({ name: column, sum: `c.${column}`, one: `c.${column}` })),
		...measured,
	]
	const listed = (some: typeof columns, of: 'sum' | 'one') =>
		some.map((column) => `${column[of]} AS ${column.name}`).join(', ')
	return {
		...{ name, labels: new Set(by), sums: listed(columns, 'sum') },
		columns: columns.map((column) => column.name).join(', '),
		groupBy: by.map((column) => `c.${column}`).join(', '),
		namedIn: (sql) => {
			const some = atLeastOne(columns, sql)
			return { columns: some.map((column) => column.name).join(', '), ones: listed(some, 'one') }
		},
	}
}

/** The columns that some SQL names; a SELECT needs one in any case. */
function atLeastOne<Column extends { name: string }>(columns: readonly Column[], sql: string): Column[] {
	const words = new Set(sql.split(/\W+/))
	const named = columns.filter(({ name }) => words.has(name))
	return named.length > 0 ? named : columns.slice(0, 1)
}

export const callSums = sumTable('call_sums', labels, [...measures, ...ofNewestError, ...keys])
export const actorSums = sumTable('actor_sums', actors, measures)
/** Who was there, on whatever was recorded: of all of an hour (`by_labels = 0`), and by labels. */
export const visitorSums = sumTable(hourVisitors, labels, keys)

/** All that is made from `spans`, hour by hour. */
export const rolledTables = [countedCalls, callSums.name, actorSums.name, hourVisitors] as const

const typeOf = new Map<string, string>(countedCallColumns)
const isLabel = new Set(labels)
const typed = (names: readonly string[]): Columns =>
	names.map((name) => [name, isLabel.has(name) ? label : (typeOf.get(name) ?? text)])
const countedSelect = countedCallColumns.map(([name, type]) => ({
	name,
	ofSpan:
		isLabel.has(name) && type !== label
			? `toLowCardinality(spans.${name}) AS ${name}`
			: `spans.${name} AS ${name}`,
}))

/**
 * The columns of calls that some SQL names, by default all, as the rollup has them, and as they are selected from spans: both halves of a
 * union then have the same types.
 */
export function countedCallsNamed(sql?: string): { columns: string; ofSpans: string } {
	const some = sql === undefined ? countedSelect : atLeastOne(countedSelect, sql)
	return {
		columns: some.map(({ name }) => name).join(', '),
		ofSpans: some.map(({ ofSpan }) => ofSpan).join(', '),
	}
}

const owner: Columns = [['workspace_id', text], retentionColumn]

function createRolled(name: string, columns: Columns, orderBy: string): string {
	return `CREATE TABLE IF NOT EXISTS ${name} (${definitionsOf([...columns, hour, version])})
	ENGINE = MergeTree PARTITION BY (retention_days, toDate(hour)) ORDER BY (workspace_id, hour, version${orderBy}) ${durableSettings({ extra: { ttl_only_drop_parts: 1 } })}`
}

const columnsOf = (of: readonly Measure[]): Columns => of.map(({ name, type }) => [name, type])

/** Makes the rollups again with sums beside them; everything is rolled up again. */
export const createSums: readonly string[] = [
	`DROP TABLE IF EXISTS ${countedCalls} SYNC`,
	`DROP TABLE IF EXISTS ${hourVisitors} SYNC`,
	createRolled(
		countedCalls,
		[...countedCallColumns.map(([name, type]) => [name, isLabel.has(name) ? label : type] as const)],
		', kind, session_id',
	),
	createRolled(
		callSums.name,
		[...owner, ...typed(labels), ...columnsOf([...measures, ...ofNewestError, ...keys])],
		'',
	),
	createRolled(actorSums.name, [...owner, ...typed(actors), ...columnsOf(measures)], ''),
	createRolled(
		hourVisitors,
		[...owner, ['by_labels', 'UInt8'], ...typed(labels), ...columnsOf(keys)],
		', by_labels',
	),
	`INSERT INTO ${callHours} ${marksOf('spans', nowMs)}`,
]
