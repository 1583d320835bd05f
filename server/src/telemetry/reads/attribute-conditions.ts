import type { callFields } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import { type Indexed, indexedCalls, indexedSpans } from '../attribute-index.ts'
import { isFailed, messageOfSpan } from '../columns.ts'
import { callJoins } from '../rollups/call-joins.ts'
import { countedCallNames } from '../rollups/rollup-tables.ts'
import { originSql } from '../span-columns.ts'

/** Conditions of a WHERE clause, each preceded by `AND`, and their parameters. */
export interface Conditions {
	sql: string
	parameters: Record<string, unknown>
}

/** A column that conditions can name besides attributes: an SQL expression, and whether it is text or a number. */
export interface NamedColumn {
	sql: string
	/** `anywhere`: `sql` is an array of texts; a condition holds if it holds for one of them, or for one of `texts`. */
	type: 'text' | 'number' | 'anywhere'
	texts?: readonly string[]
	/** A condition that holds for all rows with a text, on columns that take less time to read than `sql`. */
	onlyIf?: string
}

const text = (sql: string): NamedColumn => ({ sql, type: 'text' })
const number = (sql: string): NamedColumn => ({ sql, type: 'number' })

/** The columns of a span that conditions and groups can name. Names come only from here, and attributes are passed as parameters. */
const columns: Record<(typeof callFields)[number], NamedColumn> = {
	kind: text('kind'),
	status: text('status'),
	agent: text('agent_id'),
	agent_name: text('agent_name'),
	server: text('server_id'),
	// Qualified, because lists show a column of this name.
	server_name: text('spans.server_name'),
	tool: text('tool_name'),
	provider: text('provider'),
	model: text("if(model != '', model, model_requested)"),
	model_requested: text('model_requested'),
	connection: text('connection'),
	user: text('user_id'),
	session: text('session_id'),
	client: text('client'),
	error_type: text('error_type'),
	status_message: { ...text(messageOfSpan), onlyIf: `(status_message != '' OR ${isFailed()})` },
	service: text('service_name'),
	duration_ms: number('duration_ns / 1e6'),
	input_tokens: number('input_tokens'),
	cache_read_tokens: number('cache_read_tokens'),
	cache_write_tokens: number('cache_write_tokens'),
	output_tokens: number('output_tokens'),
	reasoning_tokens: number('reasoning_tokens'),
	cost_usd: number('spans.cost_nano_usd / 1e9'),
	name: text('name'),
	source: text('source'),
	dialect: text('dialect'),
	mcp_method: text('mcp_method'),
	resource: text("attributes['mcp.resource.uri']"),
	prompt: text("attributes['gen_ai.prompt.name']"),
	key: text('credential_id'),
	http_status: number('http_status'),
	request_bytes: number('request_bytes'),
	response_bytes: number('response_bytes'),
	time_to_first_token_ms: number('time_to_first_token_ns / 1e6'),
	text: {
		sql: 'mapValues(attributes)',
		texts: ['name', 'error_type', 'status_message', 'events'],
		type: 'anywhere',
	},
}
export const callColumns: ReadonlyMap<string, NamedColumn> = new Map([
	...Object.entries(columns),
	// Other filters use this name for the agent. Without this entry it would be taken for an attribute, which no call has.
	['agent_uuid', columns.agent],
])

/** Columns of spans that the rollup does not have, and those that contain attributes. */
const onSpansAlone = [
	...['name', 'source', 'dialect', 'mcp_method', 'credential_id', 'http_status'],
	...['request_bytes', 'response_bytes', 'time_to_first_token_ns', 'attributes', 'origin', 'events'],
] as const
export const columnsOfConditions: readonly string[] = [...countedCallNames, ...onSpansAlone]

/** Whether a name can be read only from spans: an attribute, or a column that the rollup does not have. */
export function needsSpans(name: string): boolean {
	const column = callColumns.get(name)
	if (!column) return true
	const words = [column.sql, ...(column.texts ?? [])].flatMap((sql) => sql.split(/\W+/))
	return onSpansAlone.some((other) => words.includes(other))
}

/** The context in which conditions are evaluated. */
export interface ConditionSource {
	/** Name of the query's parameter, for error messages and SQL parameter names. */
	parameter: string
	/**
	 * By name; only spans have any. If there are any, `@key` refers to an attribute with the name of a column.
	 */
	columns: ReadonlyMap<string, NamedColumn>
	/** Set if conditions are evaluated on stored rows of `spans`, whose attributes have an index. */
	spans?: SpanConditions
	/** Set if conditions are evaluated on rolled-up calls, which have only the index of attributes: see `isAnsweredByIndex`. */
	rolled?: true
}

export interface SpanConditions {
	/** Whether it is known that no message stored beside spans contains what `text` searches for. */
	nothingKept?: boolean
	/**
	 * SQL for whether a span has inherited attributes (`tags`) for which a condition holds. A condition on an attribute asks only for spans
	 * that have none of that name of their own.
	 */
	tagged?: (holds: string) => string
}

const attributesAlone: ConditionSource = { parameter: 'attribute', columns: new Map() }
/** For rows of `spans`. */
export const attributesOfSpans: ConditionSource = { ...attributesAlone, spans: {} }

/** `key`, `!key`, or a key, an operator and a value. The contract's pattern refuses anything else. */
const form = /^(?<absent>!?)(?<key>[^=!<>~]+)(?:(?<operator>!=|!~=|~=|<=|>=|=|<|>)(?<value>[\s\S]*))?$/

/**
 * Conditions on rows' columns and attributes, including those of their resource; all must hold. Throws Problem 400 for `key>text`.
 */
export function attributeConditions(
	filters: readonly string[] = [],
	source: ConditionSource = attributesAlone,
): Conditions {
	const all = eachCondition(filters, source)
	return {
		sql: all.map(({ sql }) => ` AND ${sql}`).join(''),
		parameters: Object.assign({}, ...all.map(({ parameters }) => parameters)),
	}
}

/** The same as a list, without `AND`. */
export function eachCondition(filters: readonly string[], source: ConditionSource): Conditions[] {
	return filters.map((filter, number) => conditionOf(filter, { ...source, number }))
}

/** The name in a condition, including a leading `@`. */
export function keyOfCondition(filter: string): string {
	return form.exec(filter)?.groups?.key ?? filter
}

type Numbered = ConditionSource & { number: number }
/** Builds a condition from one on its text. */
type Either = (test: (text: string) => string) => string

function conditionOf(filter: string, source: Numbered): Conditions {
	const { absent, key = '', operator, value = '' } = form.exec(filter)?.groups ?? {}
	const column = source.columns.get(key)
	if (column) return columnCondition(column, { absent, operator, value }, source)
	const name = source.columns.size > 0 ? key.replace(/^@/, '') : key
	const keyName = `${source.parameter}_key_${source.number}`
	const asked = { absent, operator, value }
	const either = source.rolled
		? () => inIndex(indexedCalls, keyName, asked, source)
		: source.spans
			? inSpans(keyName, asked, { ...source, spans: source.spans })
			: anywhere(keyName, isOfAbsent(asked), source.columns.size > 0 ? originSql : mapOfResource)
	const condition = comparison(either, asked, source)
	return { sql: condition.sql, parameters: { ...condition.parameters, [keyName]: name } }
}

/** Whether the condition would hold for an empty text, as which an absent attribute is read. */
const isOfAbsent = ({ operator, value }: Asked) =>
	operator === undefined || (/=$/.test(operator) && value === '')

/** SQL for an attribute of a row or of its resource. If both have it, the row's own counts, as in groups. */
interface Place {
	has(key: string): string
	textOf(key: string): string
}

const inMap = (map: string): Place => ({
	has: (key) => `mapContains(${map}, ${key})`,
	textOf: (key) => `${map}[${key}]`,
})
const ownAttributes = inMap('attributes')
/** For log records and data points, whose resource is a map. */
export const mapOfResource = inMap('resource')

function anywhere(keyName: string, isOfAbsent: boolean, resource: Place): Either {
	const key = `{${keyName}:String}`
	const isOwn = ownAttributes.has(key)
	const value = `if(${isOwn}, ${ownAttributes.textOf(key)}, ${resource.textOf(key)})`
	return (test) => (isOfAbsent ? `((${isOwn} OR ${resource.has(key)}) AND ${test(value)})` : test(value))
}

/**
 * The same for rows of `spans`: equal values and names are found with the index alone, anything else is checked in rows that have
 * the name.
 */
function inSpans(
	keyName: string,
	asked: Asked,
	source: Numbered & Required<Pick<ConditionSource, 'spans'>>,
): Either {
	const key = `{${keyName}:String}`
	return (test) => {
		const own = isIndexed(asked)
			? inIndex(indexedSpans, keyName, asked, source)
			: `(${indexedSpans.isThere(key)} AND ${anywhere(keyName, isOfAbsent(asked), originSql)(test)})`
		if (!source.spans.tagged) return own
		const tagged = source.spans.tagged(`mapContains(tags, ${key}) AND ${test(`tags[${key}]`)}`)
		return `(${own} OR NOT ${indexedSpans.isOfSpan(key)} AND ${tagged})`
	}
}

const isIndexed = ({ operator }: Asked) => operator === undefined || operator === '=' || operator === '!='

function inIndex(index: Indexed, keyName: string, { operator }: Asked, source: Numbered): string {
	const key = `{${keyName}:String}`
	return operator === undefined ? index.isThere(key) : index.isValue(key, `{${valueName(source)}:String}`)
}

/** Whether a condition on an attribute can be answered by the index alone: `key=value`, `key!=value`, `key` and `!key`. */
export function isAnsweredByIndex(filter: string): boolean {
	const { absent, operator, value = '' } = form.exec(filter)?.groups ?? {}
	return isIndexed({ absent, operator, value })
}

/**
 * Whether a query asks for MCP requests other than tool calls: those of kind `mcp`, of a resource or of a prompt. No other query of calls
 * includes these.
 */
export function asksForRequests(query: {
	kind?: string
	resource?: string
	prompt?: string
	filter?: string[]
}): boolean {
	const { kind, resource, prompt, filter = [] } = query
	if (kind !== undefined) return kind === 'mcp'
	if (resource !== undefined || prompt !== undefined) return true
	return filter.some((condition) => /^(kind=mcp$|(resource|prompt)(~?=|$))/.test(condition))
}

/** Comparing bytes is many times faster than comparing characters, but only for ASCII is the case of a letter one bit. */
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

/** A SELECT of one row if a message stored beside spans contains what any of these conditions on `text` searches for. */
export function storedMessagesContaining(filters: readonly string[]): Conditions {
	const values = filters.map((filter) => form.exec(filter)?.groups?.value ?? '')
	const says = values.map((value, at) => saysWords('text', value, `kept_value_${at}`))
	return {
		sql: `SELECT 1 FROM messages WHERE workspace_id = {workspace:String} AND (${says.join(' OR ')}) LIMIT 1`,
		parameters: Object.fromEntries(values.map((value, at) => [`kept_value_${at}`, value])),
	}
}

function saysWords(text: string, words: string, parameter: string): string {
	const position = isAscii(words) ? 'positionCaseInsensitive' : 'positionCaseInsensitiveUTF8'
	return `${position}(${text}, {${parameter}:String}) > 0`
}

/** In one of a span's texts, or in the messages that the model proxy stores beside it. */
function isAnywhere(
	{ sql, texts = [] }: NamedColumn,
	{ operator, value }: Asked,
	source: Numbered,
): Conditions {
	if (!operator?.endsWith('~=') || value === '')
		throw refusal(source, 'looks for words with `text~=words` or `text!~=words`')
	const parameter = valueName(source)
	const says = (text: string) => saysWords(text, value, parameter)
	const kept = `SELECT trace_id, span_id FROM exchanges ARRAY JOIN part_hash AS said WHERE workspace_id = {workspace:String}
		AND said IN (SELECT hash FROM messages WHERE workspace_id = {workspace:String} AND ${says('text')})`
	// For stored rows, the names of attributes need not be read.
	const values = source.spans ? 'attributes.values' : sql
	// Added up, since OR would copy the texts of all rows for which nothing was found so far.
	const found = [...texts.map((text) => `(${says(text)})`), `arrayExists(one -> ${says('one')}, ${values})`]
	const inherited = source.spans?.tagged?.(`arrayExists(one -> ${says('one')}, mapValues(tags))`)
	const any = [
		`${found.join(' + ')} > 0`,
		...(inherited === undefined ? [] : [inherited]),
		...(source.spans?.nothingKept ? [] : [`(trace_id, span_id) IN (${kept})`]),
	]
	return {
		sql: `${operator.startsWith('!') ? 'NOT ' : ''}(${any.join(' OR ')})`,
		parameters: { [parameter]: value },
	}
}

interface Asked {
	absent: string | undefined
	operator: string | undefined
	value: string
}

/** An empty text or a null number counts as absent. */
function columnCondition(column: NamedColumn, asked: Asked, source: Numbered): Conditions {
	const { sql, type, onlyIf } = column
	if (type === 'anywhere') return isAnywhere(column, asked, source)
	if (type === 'text') {
		const isThere = onlyIf ? `${onlyIf} AND ${sql} != ''` : `${sql} != ''`
		return comparison((test) => `(${isThere} AND ${test(sql)})`, asked, source)
	}
	const either: Either = (test) => `(isNotNull(${sql}) AND ${test(`toString(${sql})`)})`
	if (asked.operator?.endsWith('~='))
		throw refusal(source, `contains (\`${asked.operator}\`) is for texts, and this is a number`)
	if (asked.operator !== '=' && asked.operator !== '!=') return comparison(either, asked, source)
	const parameter = valueName(source)
	return {
		sql: `${asked.operator === '!=' ? 'NOT ' : ''}ifNull(toFloat64(${sql}) = {${parameter}:Float64}, 0)`,
		parameters: { [parameter]: toNumber(asked.value, source) },
	}
}

function comparison(either: Either, { absent, operator, value }: Asked, source: Numbered): Conditions {
	if (operator === undefined)
		return { sql: `${absent === '!' ? 'NOT ' : ''}${either(() => '1')}`, parameters: {} }
	const parameter = valueName(source)
	const isOrder = operator.startsWith('<') || operator.startsWith('>')
	return {
		sql: (operator.startsWith('!') ? 'NOT ' : '') + either(comparisons[operator as Operator](parameter)),
		parameters: { [parameter]: isOrder ? toNumber(value, source) : value },
	}
}

const valueName = ({ parameter, number }: Numbered) => `${parameter}_value_${number}`
const isText = (parameter: string) => (text: string) => `${text} = {${parameter}:String}`
/** A text that is not a number is neither greater nor less than one. */
const isNumber = (operator: string) => (parameter: string) => (text: string) =>
	`ifNull(toFloat64OrNull(${text}) ${operator} {${parameter}:Float64}, 0)`

const contains = (parameter: string) => (text: string) =>
	`positionCaseInsensitiveUTF8(${text}, {${parameter}:String}) > 0`

const comparisons = {
	'=': isText,
	'!=': isText,
	'~=': contains,
	'!~=': contains,
	'<': isNumber('<'),
	'<=': isNumber('<='),
	'>': isNumber('>'),
	'>=': isNumber('>='),
}
type Operator = keyof typeof comparisons

function toNumber(value: string, source: Numbered): number {
	const number = Number(value)
	if (value.trim() !== '' && Number.isFinite(number)) return number
	throw refusal(source, `compares with a number, which "${value}" is not`)
}

function refusal({ parameter }: Numbered, detail: string): Problem {
	return new Problem('invalid_request', `${parameter} ${detail}.`, {
		errors: [{ pointer: `/${parameter}`, code: 'condition', detail }],
	})
}

/** Names that a counted call may have from other views or ancestors. */
const nameColumns = ['session_id', 'user_id', 'agent_id', 'agent_name']

/** Rewrites a condition so that it tests the name in `call_joins` for calls that have one there. */
export function asCounted(holds: string): string {
	const words = new Set(holds.replaceAll(/\{[^}]*\}/g, '').split(/\W+/))
	const name = nameColumns.find((column) => words.has(column))
	if (name === undefined) return holds
	const joined = (where: string) => `(trace_id, span_id) IN (${joinsWhere(where)})`
	return `if(${joined(`${name} != ''`)}, ${joined(`${name} != '' AND (${holds})`)}, ${holds})`
}

/** SELECT of calls by a condition on `call_joins`. Needs the parameters `start` and `end`. */
export function joinsWhere(condition: string): string {
	const ms = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
	return `SELECT trace_id, span_id FROM ${callJoins} FINAL
		WHERE workspace_id = {workspace:String} AND hour >= toStartOfHour(${ms('start')}) AND hour < ${ms('end')} AND ${condition}`
}
