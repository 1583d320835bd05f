import type { TelemetryStore } from '../platform/clickhouse/index.ts'
import { fromSpansOfTraces } from './columns.ts'
import type { NewestRows, Recorder } from './recorder/recorder.ts'

type QueryStore = Pick<TelemetryStore, 'query'>
type NewestSource = Pick<Recorder, 'hurry' | 'newest'>

const tables = ['spans', 'logs', 'metrics'] as const
const anyTable = new RegExp(`\\bFROM (${tables.join('|')})\\b( AS \\w+)?`, 'g')

const traceId = /^[0-9a-f]{32}$/i

/** The traces that a query is about alone; undefined where it may be about others. */
function tracesOf(sql: string, asked: ReadonlySet<string>, traces: unknown): string[] | undefined {
	if (!sql.includes(fromSpansOfTraces) || asked.size > 1 || !Array.isArray(traces)) return undefined
	if ((sql.match(anyTable)?.length ?? 0) > 1 || !traces.every((id) => traceId.test(String(id))))
		return undefined
	return traces
}

/**
 * The store, where each query about spans, logs and metrics of a workspace (parameter `workspace`) reads as well what was
 * acknowledged and lies in the log alone: each row once. What waits of other tables is brought forward, so that whoever asks
 * again a moment later finds it.
 */
export function withNewest({ query }: QueryStore, recorder: NewestSource): QueryStore {
	return {
		query: async <Row>(sql: string, parameters: Record<string, unknown> = {}): Promise<Row[]> => {
			const asked = new Set([...sql.matchAll(anyTable)].map(([, table]) => table as string))
			const workspaceId = parameters.workspace
			if (asked.size === 0 || typeof workspaceId !== 'string') {
				recorder.hurry()
				return query<Row>(sql, parameters)
			}
			const newest = new Map<string, NewestRows>()
			const traces = tracesOf(sql, asked, parameters.traces)
			try {
				for (const table of asked) {
					const found = await recorder.newest(table, workspaceId, traces)
					if (found === 'unknown') recorder.hurry()
					else if (found !== 'none') newest.set(table, found)
				}
				return await query<Row>(withFiles(sql, newest), parameters)
			} finally {
				for (const { release } of newest.values()) release()
			}
		},
	}
}

function withFiles(sql: string, newest: ReadonlyMap<string, NewestRows>): string {
	return sql.replaceAll(anyTable, (whole, table: string, alias?: string) => {
		const rows = newest.get(table)
		return rows ? `FROM (${unionOf(table, rows)})${alias ?? ` AS ${table}`}` : whole
	})
}

/** Conditions of the query reach both sides; columns that it does not name are read from neither. */
function unionOf(table: string, { files, ofStored }: NewestRows): string {
	const columns = files[0]?.columns.join(', ')
	const stored = `SELECT ${columns} FROM ${table}${ofStored === '' ? '' : ` WHERE ${ofStored}`}`
	const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
	const inFiles = files.map(
		({ path, format, structure }) =>
			`SELECT ${columns} FROM file(${quoted(path)}, '${format}', ${quoted(structure)})`,
	)
	return [stored, ...inFiles].join(' UNION ALL ')
}
