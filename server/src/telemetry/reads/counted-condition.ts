import { callJoins } from '../rollups/call-joins.ts'

const nameColumns = ['session_id', 'user_id', 'agent_id', 'agent_name']

/** The same condition, judged by the name in `call_joins` for calls that have one there. */
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
