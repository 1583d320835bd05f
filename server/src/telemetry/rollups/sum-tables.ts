import { durableSettings } from '../../platform/clickhouse/migrate.ts'
import { tokensOfCall } from '../attribute-index.ts'
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

/**
 * The columns by which calls of an hour are grouped: those that most queries filter and group by, with few distinct values in an
 * hour.
 */
const labels: readonly string[] = [
	...['kind', 'status', 'error_type', 'service_name', 'agent_id', 'agent_name', 'server_id', 'server_name'],
	...['tool_name', 'client', 'connection', 'provider', 'model_requested', 'model'],
]
const actors = ['kind', 'session_id', 'user_id', 'agent_id', 'agent_name', 'client']

const typeOf = new Map<string, string>(countedCallColumns)
const isLabel = new Set(labels)
const labelType = (name: string) => (isLabel.has(name) ? label : (typeOf.get(name) ?? text))

/** A column of a sum table: its value for a group of calls (`c`), and its value for a single call. */
interface Measure {
	name: string
	type: string
	sum: string
	one: string
	/** The same for rows (`c`) that are already sums. */
	added: string
}

const failed = isFailed('c.status')
const unpriced = "c.kind = 'model_call' AND isNull(c.cost_nano_usd)"
const timed = "c.status != 'interrupted'"
const hashes = 'Array(UInt64) CODEC(LZ4)'
const tokenColumns = [
	...['input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens'],
]

const counted = (name: string, sum: string, one: string): Measure => ({
	...{ name, type: count, sum, one },
	added: `sum(c.${name})`,
})

/** A measure with the name of a call's column is the sum, or the value of the newest call. */
const measures: readonly Measure[] = [
	counted('call_count', 'count()', 'toUInt64(1)'),
	counted('error_count', `countIf(${failed})`, `toUInt64(${failed})`),
	counted('unpriced_count', `countIf(${unpriced})`, `toUInt64(${unpriced})`),
	{
		...{ name: 'first_at', type: time, sum: 'min(c.started_at)', one: 'c.started_at' },
		added: 'min(c.first_at)',
	},
	{
		...{ name: 'started_at', type: time, sum: 'max(c.started_at)', one: 'c.started_at' },
		added: 'max(c.started_at)',
	},
	{
		...{ name: 'durations', type: hashes },
		sum: `groupArrayIf(c.duration_ns, ${timed})`,
		one: `if(${timed}, [c.duration_ns], [])`,
		added: 'arraySort(groupArrayArray(c.durations))',
	},
	...tokenColumns.map((name) => counted(name, `sum(c.${name})`, `c.${name}`)),
	{
		...{ name: 'cost_nano_usd', type: 'Nullable(Int64) CODEC(ZSTD(1))' },
		...{ sum: 'sum(c.cost_nano_usd)', one: 'c.cost_nano_usd', added: 'sum(c.cost_nano_usd)' },
	},
]
const ofNewestError: readonly Omit<Measure, 'added'>[] = [
	{ name: 'status_message', type: text },
	{ name: 'trace_id', type: 'FixedString(16)' },
].map((column) => ({
	...column,
	sum: `argMaxIf(c.${column.name}, c.started_at, ${failed})`,
	one: `c.${column.name}`,
}))
/** Sessions and users as hashes, which can be counted exactly and quickly and keep rows of many calls small. */
const keys: readonly Measure[] = ['session', 'user'].map((who) => ({
	...{ name: `${who}_keys`, type: hashes },
	sum: `groupUniqArrayIf(sipHash64(c.${who}_id), c.${who}_id != '')`,
	one: `if(c.${who}_id = '', [], [sipHash64(c.${who}_id)])`,
	added: `groupUniqArrayArray(c.${who}_keys)`,
}))

/** A table of an hour's calls, grouped by some columns. */
export interface SumTable {
	name: string
	/** The columns by which rows can be filtered and grouped. */
	labels: ReadonlySet<string>
	/** All columns except the workspace, the retention and the roll. */
	columns: string
	/** For SELECT … FROM calls AS c: the sums by `groupBy`. */
	sums: string
	groupBy: string
	/** A condition that selects the rows of the table. */
	only: string
	/** The table from which these sums are computed, and which has every hour. */
	madeOf?: SumTable
	/** Whether rolls made before their hour's `few_ms` have no rows of it. */
	isLater?: true
	/** The columns that some SQL uses; `ones` has the same columns for single calls, for SELECT … FROM calls AS c. */
	namedIn(sql: string): { columns: string; ones: string }
	/** All columns, each with its value for a single call and its type. */
	entries: readonly { name: string; one: string; type: string }[]
}

function sumTable(
	name: string,
	by: readonly string[],
	measured: readonly Omit<Measure, 'added'>[],
	only = '1',
): SumTable {
	const columns = [
		...by.map((column) => ({
			name: column,
			sum: `c.${column}`,
			one: `c.${column}`,
			type: labelType(column),
		})),
		...measured,
	]
	const listed = (some: typeof columns, of: 'sum' | 'one') =>
		some.map((column) => `${column[of]} AS ${column.name}`).join(', ')
	return {
		...{ name, labels: new Set(by), sums: listed(columns, 'sum') },
		columns: columns.map((column) => column.name).join(', '),
		groupBy: by.map((column) => `c.${column}`).join(', '),
		only,
		namedIn: (sql) => {
			const some = atLeastOne(columns, sql)
			return { columns: some.map((column) => column.name).join(', '), ones: listed(some, 'one') }
		},
		entries: columns,
	}
}

/**
 * The columns that some SQL uses from sums of calls or of visitors: for single calls (`ones`), for the rows of one of the tables,
 * with empty values in the other table's columns (`columnsOf`), and for rows (`c`) of other spans (`visits`). With them, one
 * statement adds up both tables, and reads only once what neither table contains.
 */
export function namedInBoth(
	tables: readonly [calls: SumTable, visitors: SumTable],
	sql: string,
): { ones: string; columnsOf(table: SumTable): string; visits: string } {
	const all = new Map(tables.flatMap(({ entries }) => entries.map((entry) => [entry.name, entry])))
	const isKey = new Set(keys.map(({ name }) => name))
	const isOfVisitors = new Set(tables[1].entries.map(({ name }) => name))
	const some = atLeastOne([...all.values()], sql)
	const listed = (of: (entry: SumTable['entries'][number]) => string) => some.map(of).join(', ')
	return {
		ones: listed(({ name, one }) => `${one} AS ${name}`),
		columnsOf: (table) => {
			const names = table.entries.map(({ name }) => name)
			// Every caller is also a visitor.
			const own = new Set(table === tables[0] ? names.filter((name) => !isKey.has(name)) : names)
			return listed(({ name, type }) => (own.has(name) ? name : `${emptyOf(type)} AS ${name}`))
		},
		visits: listed(({ name, one, type }) => `${isOfVisitors.has(name) ? one : emptyOf(type)} AS ${name}`),
	}
}

const emptyOf = (type: string) =>
	`defaultValueOfTypeName('${type.replace(/ CODEC\(.*\)$/, '').replaceAll("'", "\\'")}')`

/** The columns that some SQL uses; at least one, since a SELECT needs one. */
function atLeastOne<Column extends { name: string }>(columns: readonly Column[], sql: string): Column[] {
	const words = new Set(sql.split(/\W+/))
	const named = columns.filter(({ name }) => words.has(name))
	return named.length > 0 ? named : columns.slice(0, 1)
}

export const callSums = sumTable('call_sums', labels, [...measures, ...ofNewestError, ...keys])
const endNs = 'toUnixTimestamp64Nano(c.started_at) + toInt64(c.duration_ns)'
const end: Measure = {
	...{ name: 'ended_ns', type: 'Int64 CODEC(Delta, ZSTD(1))', sum: `max(${endNs})`, one: endNs },
	added: 'max(c.ended_ns)',
}
/** Includes when the last call ended, because the duration of sessions is shown. */
export const actorSums = sumTable('actor_sums', actors, [...measures, end])
/** Sessions and users of all spans, by labels. Older programs wrote other rows into the same table. */
export const visitorSums = sumTable(hourVisitors, labels, keys, 'by_labels = 1')

/** Sums of whole hours by few labels each; `grouped_by` names the grouping. */
export const narrowSums = 'narrow_sums'
const firstGroups = {
	model: ['kind', 'provider', 'model_requested', 'model'],
	agent: ['kind', 'agent_id', 'agent_name', 'client'],
	tool: ['kind', 'service_name', 'server_id', 'server_name', 'tool_name'],
}
const laterGroups = { outcome: ['kind', 'status', 'error_type'] }
const narrowGroups = { ...firstGroups, ...laterGroups }
const visitors = 'visitors'
/** Failed calls by all labels. They are few among all calls, and adjacent in this table. */
const failures = 'failures'
const narrowTable = (
	group: string,
	by: readonly string[],
	measured: readonly Measure[],
	madeOf: SumTable,
) => ({
	...sumTable(narrowSums, by, measured, `grouped_by = '${group}'`),
	madeOf,
})
/** Smallest first. */
export const narrowCallSums: readonly SumTable[] = Object.entries(narrowGroups).map(([group, by]) => ({
	...narrowTable(group, by, [...measures, ...keys], callSums),
	...(group in laterGroups && { isLater: true as const }),
}))
export const failureSums: SumTable = {
	...sumTable(narrowSums, labels, [...measures, ...ofNewestError, ...keys], `grouped_by = '${failures}'`),
	...{ madeOf: callSums, isLater: true },
}
/** All sessions and users. */
export const allVisitors: SumTable = narrowTable(visitors, [], keys, visitorSums)

const labelsOf = (groups: Record<string, string[]>) => [...new Set(Object.values(groups).flat())]
const narrowLabels = labelsOf(narrowGroups)

/**
 * INSERTs of the narrow sums of an hour. `ofRoll` is a condition on its rows (`c`), `stamp` computes the columns `hour` and
 * `version`.
 */
export function insertNarrowSums(stamp: string, ofRoll: string): readonly string[] {
	const kept = 'workspace_id, retention_days'
	const insert = (columns: readonly string[], sums: readonly string[], of: SumTable) =>
		`INSERT INTO ${narrowSums} (${kept}, hour, version, grouped_by, ${columns.join(', ')})
		SELECT ${kept}, ${stamp}, ${sums.join(', ')} FROM ${of.name} AS c WHERE ${ofRoll} AND ${of.only}`
	const namesOf = (of: readonly Pick<Measure, 'name'>[]) => of.map(({ name }) => name)
	const addedOf = (of: readonly Measure[]) => of.map(({ name, added }) => `${added} AS ${name}`)
	const ofCalls = [...measures, ...keys]
	const groups = Object.entries(narrowGroups)
	// A label that occurs in only one group identifies the group of a row.
	const groupOf = groups.flatMap(([group, by]) => [`grouping(c.${by.at(-1)}) = 0`, `'${group}'`])
	const sets = groups.map(([, by]) => `(${kept}, ${by.map((name) => `c.${name}`).join(', ')})`)
	const labelled = narrowLabels.map((name) => `c.${name} AS ${name}`)
	const namesOfFailures = [...labels, ...namesOf([...measures, ...ofNewestError, ...keys])]
	return [
		`${insert(
			[...narrowLabels, ...namesOf(ofCalls)],
			[`multiIf(${groupOf.join(', ')}, '')`, ...labelled, ...addedOf(ofCalls)],
			callSums,
		)} GROUP BY GROUPING SETS (${sets.join(', ')})`,
		`${insert(namesOf(keys), [`'${visitors}'`, ...addedOf(keys)], visitorSums)} GROUP BY ${kept}`,
		`${insert(namesOfFailures, [`'${failures}'`, ...namesOfFailures.map((name) => `c.${name} AS ${name}`)], callSums)} AND ${failed}`,
	]
}

/** All tables that are derived from `spans` hour by hour. */
export const rolledTables = [countedCalls, callSums.name, actorSums.name, hourVisitors, narrowSums] as const

const typed = (names: readonly string[]): Columns => names.map((name) => [name, labelType(name)])
const countedSelect = countedCallColumns.map(([name, type]) => ({
	name,
	ofSpan:
		isLabel.has(name) && type !== label
			? `toLowCardinality(spans.${name}) AS ${name}`
			: `spans.${name} AS ${name}`,
}))

/** Hashes of the sessions and users of calls, 0 where a call has none, so that counting them does not read their names. */
const callKeys = ['session', 'user'].map((who) => ({
	name: `${who}_key`,
	of: (rows: string) => `if(${rows}${who}_id = '', toUInt64(0), sipHash64(${rows}${who}_id))`,
}))
const keySelect = callKeys.map(({ name, of }) => ({ name, ofSpan: `${of('spans.')} AS ${name}` }))
export const countKeys = callKeys
	.map(({ name }) => `uniqExactIf(${name}, ${name} != 0) AS ${name.replace('_key', 's')}`)
	.join(', ')

/** Existing parts compute it when they are read, until it is materialised. */
export const addCallKeys: readonly string[] = callKeys.flatMap(({ name, of }) => [
	`ALTER TABLE ${countedCalls} ADD COLUMN IF NOT EXISTS ${name} UInt64 DEFAULT ${of('')} CODEC(LZ4)`,
	`ALTER TABLE ${countedCalls} MATERIALIZE COLUMN ${name} SETTINGS mutations_sync = 0`,
])

/**
 * The columns of calls that some SQL uses, by default all except the hashes: as stored in the rollup, and as selected from spans,
 * with equal types for a UNION of both.
 */
export function countedCallsNamed(sql?: string): { columns: string; ofSpans: string } {
	const some = sql === undefined ? countedSelect : atLeastOne([...countedSelect, ...keySelect], sql)
	return {
		columns: some.map(({ name }) => name).join(', '),
		ofSpans: some.map(({ ofSpan }) => ofSpan).join(', '),
	}
}

const owner: Columns = [['workspace_id', text], retentionColumn]

function createRolled(name: string, columns: Columns, orderBy: string, before = ''): string {
	return `CREATE TABLE IF NOT EXISTS ${name} (${definitionsOf([...columns, hour, version])})
	ENGINE = MergeTree PARTITION BY (retention_days, toDate(hour)) ORDER BY (workspace_id, ${before}hour, version${orderBy}) ${durableSettings({ extra: { ttl_only_drop_parts: 1 } })}`
}

const columnsOf = (of: readonly Pick<Measure, 'name' | 'type'>[]): Columns =>
	of.map(({ name, type }) => [name, type])

/** Recreates the rollups with sums beside them; everything is rolled up again. */
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
	createRolled(actorSums.name, [...owner, ...typed(actors), ...columnsOf([...measures, end])], ''),
	createRolled(
		hourVisitors,
		[...owner, ['by_labels', 'UInt8'], ...typed(labels), ...columnsOf(keys)],
		', by_labels',
	),
	`INSERT INTO ${callHours} ${marksOf('spans', nowMs)}`,
]

const markPlain = `INSERT INTO ${callHours} (workspace_id, hour, plain_ms) SELECT workspace_id, hour, ${nowMs} FROM ${callHours} GROUP BY workspace_id, hour`
/**
 * Adds the tokens of the attribute index to calls. Rolls made before `plain_ms` lack them: their hours are rolled up again in the
 * background, and until then conditions on attributes are evaluated on the spans.
 */
export const addTokens: readonly string[] = [
	`ALTER TABLE ${countedCalls} ADD COLUMN IF NOT EXISTS ${tokensOfCall} Array(FixedString(8)) CODEC(ZSTD(1))`,
	`ALTER TABLE ${countedCalls} ADD INDEX IF NOT EXISTS ${tokensOfCall}_index ${tokensOfCall} TYPE text(tokenizer = 'array')`,
	`ALTER TABLE ${callHours} ADD COLUMN IF NOT EXISTS plain_ms SimpleAggregateFunction(max, UInt64)`,
	markPlain,
]

/** Existing rolls do not have the end of a session's last call; they are replaced as above. */
export const addEnds: readonly string[] = [
	`ALTER TABLE ${actorSums.name} ADD COLUMN IF NOT EXISTS ${end.name} ${end.type}`,
	markPlain,
]

/** T64 makes sorted durations a third smaller. */
const narrowMeasures = measures.map((one) =>
	one.name === 'durations' ? { ...one, type: 'Array(UInt64) CODEC(T64, LZ4)' } : one,
)
/** Existing rolls get theirs later. `narrowed` is the newest roll that has narrow sums, and their version. */
export const createNarrowSums: readonly string[] = [
	createRolled(
		narrowSums,
		[
			...owner,
			['grouped_by', label],
			...typed(labelsOf(firstGroups)),
			...columnsOf([...narrowMeasures, ...keys]),
		],
		'',
		'grouped_by, ',
	),
	`ALTER TABLE ${callHours} ADD COLUMN IF NOT EXISTS narrowed SimpleAggregateFunction(max, Tuple(rolled_ms UInt64, version UInt64))`,
]

/**
 * The narrow sums of a day become one part once none of them is younger than two hours: by then nothing comes but for late spans. A query of
 * seven days opens each part of each day. Those of today would be merged again every hour.
 */
export const mergeNarrowSums: readonly string[] = [
	`ALTER TABLE ${narrowSums} MODIFY SETTING min_age_to_force_merge_seconds = 7200, min_age_to_force_merge_on_partition_only = 1`,
]

const addedColumns = [
	...typed(labels.filter((name) => !labelsOf(firstGroups).includes(name))),
	...columnsOf(ofNewestError),
]
/** Sums by outcome and sums of failures. Narrow sums made before `few_ms` lack them and are recreated in the background. */
export const addFailures: readonly string[] = [
	`ALTER TABLE ${narrowSums} ${addedColumns.map(([name, type]) => `ADD COLUMN IF NOT EXISTS ${name} ${type}`).join(', ')}`,
	`ALTER TABLE ${callHours} ADD COLUMN IF NOT EXISTS few_ms SimpleAggregateFunction(max, UInt64)`,
	`INSERT INTO ${callHours} (workspace_id, hour, few_ms) SELECT workspace_id, hour, ${nowMs} FROM ${callHours} GROUP BY workspace_id, hour`,
]
