import {
	callColumns,
	eachCondition,
	isAnsweredByIndex,
	keyOfCondition,
	needsSpans,
	originSql,
	type SpanConditions,
} from '../../telemetry/index.ts'

/** The calls that a query selects; all conditions must hold. */
export interface CallFilter {
	kind?: string
	status?: string
	agent?: string
	server?: string
	tool?: string
	provider?: string
	model?: string
	connection?: string
	user?: string
	session?: string
	client?: string
	error_type?: string
	resource?: string
	prompt?: string
	/** In the syntax of docs/spotlight.md: `duration_ms>500`, `http.route=/x`. */
	filter?: string[]
}

const named = [
	...(['kind', 'status', 'agent', 'server', 'tool', 'provider', 'model'] as const),
	...(['connection', 'user', 'session', 'client', 'error_type', 'resource', 'prompt'] as const),
]

/** ` AND …` for each condition, and its parameters. Throws Problem 400 for an invalid condition. */
export function filterSql(filter: CallFilter): { sql: string; parameters: Record<string, unknown> } {
	const all = fieldConditions(filter)
	return {
		sql: all.map(({ sql }) => ` AND ${sql}`).join(''),
		parameters: Object.assign({}, ...all.map(({ parameters }) => parameters)),
	}
}

const source = { parameter: 'filter', columns: callColumns }

/**
 * The same, split into conditions on columns and those on attributes, which are evaluated on stored rows of `spans`. `isTextOfSpans`:
 * whether conditions on texts are evaluated there, too.
 */
export function splitFilter(
	filter: CallFilter,
	isTextOfSpans = false,
): {
	ofColumns: string
	ofAttributes: (spans: SpanConditions) => string
	/** The same for rolled-up calls, if `isIndexed` holds. */
	ofRolled: () => string
	/** The names of these attributes. */
	names: string[]
	/** Conditions on texts. */
	texts: string[]
} {
	const all = filter.filter ?? []
	const isOfAttribute = (text: string) => !callColumns.has(keyOfCondition(text))
	const texts = all.filter((text) => keyOfCondition(text) === textField)
	const isOfSpans = (text: string) => isOfAttribute(text) || (isTextOfSpans && texts.includes(text))
	const joined = (conditions: readonly { sql: string }[]) =>
		conditions.map(({ sql }) => ` AND ${sql}`).join('')
	const attributeConditions = (rows: { spans?: SpanConditions; rolled?: true }) =>
		joined(eachCondition(all, { ...source, ...rows }).filter((_, at) => isOfSpans(all[at] ?? '')))
	const isOfColumn = (field: string) => callColumns.has(field) && !(isTextOfSpans && field === textField)
	return {
		ofColumns: joined(fieldConditions(filter).filter(({ field }) => isOfColumn(field))),
		ofAttributes: (spans) => attributeConditions({ spans }),
		ofRolled: () => attributeConditions({ rolled: true }),
		names: all.filter(isOfAttribute).map((text) => keyOfCondition(text).replace(/^@/, '')),
		texts,
	}
}

const textField = 'text'

/**
 * Splits a filter: `all` ends with the conditions on some fields, `others` leaves these out. Parameters have the same names in both.
 */
export function separateFields(
	filter: CallFilter,
	fields: readonly string[],
): { others: CallFilter; all: CallFilter } {
	const [own, others] = [true, false].map((isOwn) =>
		(filter.filter ?? []).filter((text) => fields.includes(keyOfCondition(text)) === isOwn),
	) as [string[], string[]]
	const isOther = ([name]: [string, unknown]) => !fields.includes(name)
	return {
		others: { ...Object.fromEntries(Object.entries(filter).filter(isOther)), filter: others },
		all: { ...filter, filter: [...others, ...own] },
	}
}

/** The same as a list, each with its field or attribute. */
export function fieldConditions(
	filter: CallFilter,
): { field: string; sql: string; parameters: Record<string, unknown> }[] {
	const texts = filter.filter ?? []
	const conditions = eachCondition(texts, source)
	return [
		...named
			.filter((name) => filter[name] !== undefined)
			.map((name) => ({
				field: name,
				sql: `${callColumns.get(name)?.sql} = {filter_${name}:String}`,
				parameters: { [`filter_${name}`]: filter[name] },
			})),
		...conditions.map((condition, at) => ({ field: keyOfCondition(texts[at] ?? ''), ...condition })),
	]
}

/** Whether a condition needs something that only spans have. */
export function filterNeedsSpans({ resource, prompt, filter = [] }: CallFilter): boolean {
	if (resource !== undefined || prompt !== undefined) return true
	return filter.some((condition) => needsSpans(keyOfCondition(condition)))
}

/** Whether all conditions that need spans can be answered by the index of attributes, which rolled-up calls have too. */
export function isIndexed({ resource, prompt, filter = [] }: CallFilter): boolean {
	if (resource !== undefined || prompt !== undefined) return false
	return filter.every((condition) => {
		const key = keyOfCondition(condition)
		return callColumns.has(key) ? !needsSpans(key) : isAnsweredByIndex(condition)
	})
}

/** What a query groups calls by in addition to the list's own grouping. */
export interface GroupBy {
	/** Expressions by their aliases, `group_0` and on. */
	by: Record<string, string>
	parameters: Record<string, unknown>
	needsSpans: boolean
	/** The values in a row by requested name; '' where a call has none. */
	valuesOf(row: Record<string, string>): Record<string, string>
}

/** Columns and attributes, in the syntax of conditions. */
export function readGroupBy(names: readonly string[] = []): GroupBy {
	const distinct = [...new Set(names)]
	return {
		by: Object.fromEntries(distinct.map((name, at) => [`group_${at}`, expressionOf(name, at)])),
		parameters: Object.fromEntries(
			distinct.flatMap((name, at) =>
				callColumns.has(name) ? [] : [[`group_key_${at}`, name.replace(/^@/, '')]],
			),
		),
		needsSpans: distinct.some(needsSpans),
		valuesOf: (row) => Object.fromEntries(distinct.map((name, at) => [name, row[`group_${at}`] ?? ''])),
	}
}

function expressionOf(name: string, at: number): string {
	const column = callColumns.get(name)
	if (column)
		return column.type === 'text' ? `toString(${column.sql})` : `ifNull(toString(${column.sql}), '')`
	const key = `{group_key_${at}:String}`
	return `if(mapContains(attributes, ${key}), attributes[${key}], ${originSql.textOf(key)})`
}
