import { spotlightMcpExport } from '@signalbox/contract'
import { csvLine } from '../../../platform/csv.ts'
import { createQueryReader, type RequestContext, type Route } from '../../../platform/http/index.ts'
import type { McpQuestion } from './context.ts'
import type { readers } from './readers.ts'

type Question = keyof typeof readers
/** A question as the address has it. */
export type AskedFile = Omit<McpQuestion, 'workspaceId' | 'range'> & { start?: string; end?: string }

const readQuery = createQueryReader(spotlightMcpExport.query)

const contentTypes = {
	csv: 'text/csv; charset=utf-8; header=present',
	jsonl: 'application/x-ndjson; charset=utf-8',
} as const

/** The findings of a question as a file; all of them are in memory, so the limit of the list is that of the file. */
export function exportRoute(
	read: (question: Question, asked: AskedFile, context: RequestContext) => Promise<{ rows: object[] }>,
): Route {
	const { id, method, path, access } = spotlightMcpExport
	return {
		...{ id, method, path, access, family: 'api' },
		handle: async (request, response, context) => {
			const { question, format, ...asked } = readQuery(context.search)
			const { rows } = await read(question, asked, context)
			response.writeHead(200, {
				'content-type': contentTypes[format],
				'content-disposition': `attachment; filename="${question.replaceAll('_', '-')}.${format}"`,
				'cache-control': 'no-store',
			})
			response.end(request.method === 'HEAD' ? '' : format === 'csv' ? toCsv(rows) : toLines(rows))
		},
	}
}

function toLines(rows: readonly object[]): string {
	return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

type Cell = string | number | null

/** What is nested has columns of its own: `agent.id`, `agent.name`. */
export function toCsv(rows: readonly object[]): string {
	const flat = rows.map((row) => new Map(cellsOf(row)))
	const columns = [...new Set(flat.flatMap((cells) => [...cells.keys()]))]
	const lines = flat.map((cells) => csvLine(columns.map((name) => cells.get(name) ?? null)))
	return [csvLine(columns), ...lines].join('')
}

function cellsOf(row: object, before = ''): [string, Cell][] {
	return Object.entries(row).flatMap(([name, value]): [string, Cell][] => {
		if (Array.isArray(value)) return [[before + name, value.join(', ')]]
		if (typeof value === 'object' && value !== null) return cellsOf(value, `${before}${name}.`)
		return [[before + name, typeof value === 'boolean' ? String(value) : (value as Cell)]]
	})
}
