import { callColumns, needsSpans } from '../../telemetry/index.ts'

/** What a question groups calls by, beside what its list is by. */
export interface GroupBy {
	/** Expressions by their aliases, `group_0` and on. */
	by: Record<string, string>
	parameters: Record<string, unknown>
	needsSpans: boolean
	/** The values of a row under the names that were asked for; '' where a call has none. */
	valuesOf(row: Record<string, string>): Record<string, string>
}

/** Of columns and attributes, in the words of conditions. */
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
	return `if(mapContains(attributes, ${key}), attributes[${key}], resource[${key}])`
}
