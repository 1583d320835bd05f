import type { LedgerEntry } from '../ledger/ledger.ts'
import { attributeText, parseAttribute, typeOfAttribute } from './attribute-text.ts'
import { namesOf, retentionColumn } from './columns.ts'
import type { AttributeValue, SpanRow } from './span-row.ts'

/** Rows in the log have the number of their format, so a change of the columns needs a new number, and old rows stay readable. */
export const spanRowFormat = 8
/** Blocks of spans with the same columns and the view keys: see `blocks/block.ts`. */
export const spanBlockFormat = 9
/** Blocks with the resource as maps. */
export const spanBlockFormatOfMaps = 7
/** Blocks with the ledger as lists. */
export const spanBlockFormatOfLists = 5
/** Blocks with the ledger as lists and without view keys, which the engine then computes. */
export const olderSpanBlockFormat = 4

const text = 'String CODEC(ZSTD(1))'
/** A dictionary makes grouping cheap and inserting expensive, so it is used only for columns by which queries group. */
const label = 'LowCardinality(String)'
const count = 'UInt64 CODEC(T64, ZSTD(1))'
const attributes = 'Map(String, String) CODEC(ZSTD(1))'

/** What a span was sent with, up to its attributes. */
const leadingColumns = [
	['workspace_id', text],
	['started_at', "DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1))"],
	['duration_ns', 'UInt64 CODEC(T64, ZSTD(1))'],
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	/** All zero if there is none. */
	['parent_span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	['trace_state', text],
	['name', text],
	['otlp_kind', 'UInt8'],
	['source', text],
	['kind', label],
	['status', text],
	['status_message', text],
	['error_type', text],
	['service_name', text],
	['scope_name', text],
	['scope_version', text],
	['agent_id', label],
	['agent_name', text],
	['server_id', label],
	['server_name', text],
	['tool_name', label],
	['mcp_method', text],
	['credential_id', text],
	['session_id', text],
	['user_id', text],
	['client', text],
	['connection', text],
	['provider', text],
	['model_requested', text],
	['model', label],
	['input_tokens', count],
	['cache_read_tokens', count],
	['cache_write_tokens', count],
	['output_tokens', count],
	['reasoning_tokens', count],
	['usage_source', text],
	['cost_nano_usd', 'Nullable(Int64) CODEC(ZSTD(1))'],
	['time_to_first_token_ns', 'Nullable(UInt64) CODEC(ZSTD(1))'],
	['http_status', 'Nullable(UInt16) CODEC(ZSTD(1))'],
	['rpc_code', 'Nullable(Int32) CODEC(ZSTD(1))'],
	['request_bytes', count],
	['response_bytes', count],
	['attributes', attributes],
	/** Types of values that are not text: int, double, bool, bytes, array, kvlist, empty. Their text is in `attributes`. */
	['attribute_types', attributes],
] as const

const detailColumns = [
	['events', text],
	['links', text],
	['dropped_attributes', 'UInt32 CODEC(T64, ZSTD(1))'],
	['dropped_events', 'UInt32 CODEC(T64, ZSTD(1))'],
	['dropped_links', 'UInt32 CODEC(T64, ZSTD(1))'],
	['flags', 'UInt32 CODEC(T64, ZSTD(1))'],
] as const

/** Up to row format 6 and block format 7: what `origin` holds now. */
export const resourceColumns = [
	['resource', attributes],
	['resource_types', attributes],
	['resource_schema_url', text],
	['scope_schema_url', text],
] as const
const [resourceMap, resourceTypes, ...schemaUrls] = resourceColumns

/** The columns of the `spans` table in the order of the binary rows, as of row format 1. */
export const firstSpanColumns = [
	...[...leadingColumns, resourceMap, resourceTypes],
	...[...detailColumns, ...schemaUrls],
] as const

/** How the columns were derived. */
const derivationColumns = [
	['dialect', label],
	['mapper_version', 'UInt16 CODEC(ZSTD(1))'],
	/** 'computed' with our prices, 'reported' by the sender, '' if there is no cost. */
	['cost_source', label],
] as const

/** The lines of the ledger, one per billed quantity, as lists of the same length: up to row format 3 and block format 5. */
export const ledgerLists = [
	['ledger_dimension', `Array(${label}) CODEC(ZSTD(1))`],
	['ledger_quantity', 'Array(UInt64) CODEC(ZSTD(1))'],
	['ledger_cost_nano_usd', 'Array(Nullable(Int64)) CODEC(ZSTD(1))'],
	/** Nano-dollars per 1,000,000 units, before the factor. */
	['ledger_rate', 'Array(Nullable(UInt64)) CODEC(ZSTD(1))'],
	['ledger_factor', 'Array(String) CODEC(ZSTD(1))'],
	['ledger_iteration', 'Array(UInt16) CODEC(ZSTD(1))'],
	['ledger_model', 'Array(String) CODEC(ZSTD(1))'],
	['ledger_price', 'Array(String) CODEC(ZSTD(1))'],
] as const

/** Columns that row format 2 added. */
export const ledgerColumns = [...derivationColumns, ...ledgerLists] as const

const [workspaceColumn, ...otherFirstColumns] = firstSpanColumns

/** The columns of row format 3. */
export const spanColumnsWithLists = [
	workspaceColumn,
	retentionColumn,
	...otherFirstColumns,
	...ledgerColumns,
] as const

/** The lines of the ledger: see `ledgerText`. */
const ledgerColumn = ['ledger', text] as const

/** The columns of row format 6. */
export const spanColumnsWithMaps = [
	...[workspaceColumn, retentionColumn, ...otherFirstColumns, ...derivationColumns],
	ledgerColumn,
] as const

const [, ...afterWorkspace] = leadingColumns

export const spanColumns = [
	...[workspaceColumn, retentionColumn, ...afterWorkspace, ...detailColumns, ...derivationColumns],
	ledgerColumn,
	/** See `originText`. As a dictionary, it is stored once in a part, however many spans have it. */
	['origin', label],
] as const

/** What a stored span keeps when it is mapped or priced again. */
export const sentColumnNames: ReadonlySet<string> = new Set([
	...[
		'workspace_id',
		retentionColumn[0],
		'started_at',
		'duration_ns',
		'trace_id',
		'span_id',
		'parent_span_id',
	],
	...['trace_state', 'name', 'otlp_kind', 'source', 'status_message', 'scope_name', 'scope_version'],
	...['attributes', 'attribute_types', ...namesOf(detailColumns), 'origin'],
])

export const spanColumnNames: readonly string[] = namesOf(spanColumns)

/** The columns of rows that an older version left in the log. */
export const olderRowFormats: ReadonlyMap<number, readonly string[]> = new Map([
	[1, namesOf(firstSpanColumns)],
	[2, namesOf([...firstSpanColumns, ...ledgerColumns])],
	[3, namesOf(spanColumnsWithLists)],
	[6, namesOf(spanColumnsWithMaps)],
])

/** The column `ledger`: a line of text for each of the eight lists, whose values are separated by tabs; empty without values. */
export function ledgerText(entries: readonly LedgerEntry[]): string {
	let [dimensions, quantities, costs, rates] = ['', '', '', '']
	let [factors, iterations, models, prices] = ['', '', '', '']
	let tab = ''
	// One pass of appending takes a third of the time of a list for each line.
	for (const one of entries) {
		dimensions += tab + escaped(one.dimension)
		quantities += tab + one.quantity
		costs += tab + (one.costNanoUsd ?? '')
		rates += tab + (one.rate ?? '')
		factors += tab + escaped(one.factor)
		iterations += tab + one.iteration
		models += tab + escaped(one.model)
		prices += tab + escaped(one.price)
		tab = '\t'
	}
	if (tab === '') return ''
	return `${dimensions}\n${quantities}\n${costs}\n${rates}\n${factors}\n${iterations}\n${models}\n${prices}`
}

const escaped = (text: string) =>
	/[%\t\n]/.test(text) ? text.replaceAll('%', '%25').replaceAll('\t', '%09').replaceAll('\n', '%0A') : text
const unescaped = (text: string) =>
	text.includes('%') ? text.replaceAll('%09', '\t').replaceAll('%0A', '\n').replaceAll('%25', '%') : text

export function parseLedger(text: string): LedgerEntry[] {
	if (text === '') return []
	const lists = text.split('\n').map((list) => list.split('\t'))
	const [dimensions = [], ...others] = lists
	return dimensions.map((dimension, at) => {
		const [quantity, cost, rate, factor = '', iteration, model = '', price = ''] = others.map(
			(list) => list[at],
		)
		return {
			dimension: unescaped(dimension),
			quantity: Number(quantity),
			costNanoUsd: cost ? BigInt(cost) : null,
			rate: rate ? Number(rate) : null,
			factor: unescaped(factor),
			iteration: Number(iteration),
			model: unescaped(model),
			price: unescaped(price),
		}
	})
}

export type LedgerList = (typeof ledgerLists)[number][0]

const isNumber = (type: string) => type.includes('Int')

/** SQL for one of the lists of a span's ledger. */
export function ledgerList(name: LedgerList): string {
	const at = ledgerLists.findIndex(([list]) => list === name)
	const type = ledgerLists[at]?.[1] ?? ''
	const values = `splitByChar('\\t', splitByChar('\\n', ledger)[${at + 1}])`
	const number = /U?Int\d+/.exec(type)?.[0]
	const value = number
		? `to${number}${type.includes('Nullable') ? 'OrNull' : ''}(one)`
		: 'decodeURLComponent(one)'
	return `if(ledger = '', [], arrayMap(one -> ${value}, ${values}))`
}

/** SQL for the text of a ledger; `listOf` gives the SQL of each list. */
export function ledgerTextOf(listOf: (name: LedgerList) => string): string {
	const lines = ledgerLists.map(([name, type]) => {
		const value = isNumber(type) ? "ifNull(toString(one), '')" : escapedSql('one')
		return `arrayStringConcat(arrayMap(one -> ${value}, ${listOf(name)}), '\\t')`
	})
	return `if(empty(${listOf('ledger_dimension')}), '', concat(${lines.join(", '\\n', ")}))`
}

export const ledgerListNames: readonly string[] = namesOf(ledgerLists)

/** What the spans of one scope of one resource share, apart from the columns by which queries filter. */
export type SpanOrigin = Pick<SpanRow, 'resource' | 'resourceSchemaUrl' | 'scopeSchemaUrl'>

/**
 * The column `origin`: a line for the schema URL of the resource, one for that of the scope, and one for each attribute of the resource, with
 * its name, its value and its type (see `attributeText`), separated by tabs; empty if there is nothing to say.
 */
export function originText({ resource, resourceSchemaUrl, scopeSchemaUrl }: SpanOrigin): string {
	if (resource.size === 0 && resourceSchemaUrl === '' && scopeSchemaUrl === '') return ''
	let text = `${escaped(resourceSchemaUrl)}\n${escaped(scopeSchemaUrl)}`
	resource.forEach((value, key) => {
		text += `\n${escaped(key)}\t${escaped(attributeText(value))}\t${typeOfAttribute(value)}`
	})
	return text
}

export function parseOrigin(text: string): SpanOrigin {
	const [resourceSchemaUrl = '', scopeSchemaUrl = '', ...lines] = text.split('\n')
	const resource = new Map<string, AttributeValue>()
	for (const line of lines) {
		const [key = '', value = '', type = ''] = line.split('\t')
		resource.set(unescaped(key), parseAttribute(unescaped(value), type === '' ? undefined : type))
	}
	return {
		resource,
		resourceSchemaUrl: unescaped(resourceSchemaUrl),
		scopeSchemaUrl: unescaped(scopeSchemaUrl),
	}
}

const escapedSql = (text: string) =>
	`replaceAll(replaceAll(replaceAll(${text}, '%', '%25'), '\\t', '%09'), '\\n', '%0A')`

/** SQL for the text of an origin, from the columns that held it before. */
export const originOfMaps = `if(empty(resource) AND resource_schema_url = '' AND scope_schema_url = '', '',
	concat(${escapedSql('resource_schema_url')}, '\\n', ${escapedSql('scope_schema_url')}, arrayStringConcat(arrayMap((name, value) ->
		concat('\\n', ${escapedSql('name')}, '\\t', ${escapedSql('value')}, '\\t', resource_types[name]), mapKeys(resource), mapValues(resource)))))`

/**
 * SQL for attributes of a span's resource. `name` and `value` are SQL for constants. But for `all`, each function has the column as its only
 * argument that is not constant, and makes no array, so the engine calls it once for each entry of the dictionary instead of for each row.
 */
export const originSql = {
	has: (name: string) => `position(origin, concat('\\n', ${escapedSql(name)}, '\\t')) > 0`,
	hasValue: (name: string, value: string) =>
		`position(origin, concat('\\n', ${escapedSql(name)}, '\\t', ${escapedSql(value)}, '\\t')) > 0`,
	/** The value as text; '' if there is none. */
	textOf: (name: string) =>
		`decodeURLComponent(extract(origin, concat('\\n', regexpQuoteMeta(${escapedSql(name)}), '\\t([^\\t]*)')))`,
	/** The names or the values of all attributes, as an array. */
	all: (what: 'names' | 'values') =>
		`arrayMap(line -> decodeURLComponent(splitByChar('\\t', line)[${what === 'names' ? 1 : 2}]), arraySlice(splitByChar('\\n', origin), 3))`,
}

/** The columns in which a table has what was sent in `columns`. */
export function storedNames(table: string, columns: readonly string[]): readonly string[] {
	if (table !== 'spans' || columns.includes('origin')) return columns
	const older = new Set([...ledgerListNames, ...namesOf(resourceColumns), 'ledger'])
	return [...columns.filter((name) => !older.has(name)), 'ledger', 'origin']
}
