import { type OutputOf, spotlightMcpExport, spotlightMcpOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { csvLine } from '../../../platform/csv.ts'
import {
	type BoundOperation,
	bind,
	createQueryReader,
	principalIn,
	type RequestContext,
	type Route,
} from '../../../platform/http/index.ts'
import { readTimeRange } from '../../../platform/time-range.ts'
import { readDefinitionChanges } from './definition-changes.ts'
import { readOverlaps } from './overlaps.ts'
import type { Findings, InsightContext, InsightRequest } from './tool-insight-context.ts'
import { readToolSelection } from './tool-selection.ts'
import { readUnregisteredServers } from './unregistered-servers.ts'
import { readInvalidArguments, readRetryLoops } from './wasted-calls.ts'

/** What answers each question, under the name of its list. */
const readers = {
	tool_selection: readToolSelection,
	definition_changes: readDefinitionChanges,
	invalid_arguments: readInvalidArguments,
	retry_loops: readRetryLoops,
	overlaps: readOverlaps,
	unregistered_servers: readUnregisteredServers,
} satisfies Record<string, (context: InsightContext, asked: InsightRequest) => Promise<object>>

type ExportQuery = keyof typeof readers
/** A question as the address has it. */
type AskedFile = Omit<InsightRequest, 'workspaceId' | 'range'> & { start?: string; end?: string }

const readQuery = createQueryReader(spotlightMcpExport.query)

const contentTypes = {
	csv: 'text/csv; charset=utf-8; header=present',
	jsonl: 'application/x-ndjson; charset=utf-8',
} as const

/** The findings of a question as a file; all of them are in memory, so the limit of the list is that of the file. */
function exportRoute(
	read: (question: ExportQuery, asked: AskedFile, context: RequestContext) => Promise<{ rows: object[] }>,
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

type InsightQuery = keyof typeof readers

/** Questions about servers and their tools that calls and definitions answer together. */
export function openToolInsights(context: InsightContext): { operations: BoundOperation[]; routes: Route[] } {
	const toQuestion = ({ start, end, ...query }: AskedFile, request: RequestContext): InsightRequest => ({
		...query,
		workspaceId: principalIn(request).workspaceId,
		range: readTimeRange({ ...(start && { start }), ...(end && { end }) }, context.clock.nowMs()),
	})
	const find = (question: InsightQuery, asked: InsightRequest): Promise<Findings<object>> =>
		readers[question](context, asked)
	const answer = async <Q extends InsightQuery>(question: Q, query: AskedFile, request: RequestContext) => {
		const asked = toQuestion(query, request)
		const { rows, ...rest } = await find(question, asked)
		const { startMs, endMs } = asked.range
		const found = { start: toIso(startMs), end: toIso(endMs), [question]: rows, ...rest }
		return found as unknown as OutputOf<(typeof spotlightMcpOperations)[Q]>
	}
	return {
		operations: bind(spotlightMcpOperations, {
			tool_selection: ({ query, context: request }) => answer('tool_selection', query, request),
			definition_changes: ({ query, context: request }) => answer('definition_changes', query, request),
			invalid_arguments: ({ query, context: request }) => answer('invalid_arguments', query, request),
			retry_loops: ({ query, context: request }) => answer('retry_loops', query, request),
			overlaps: ({ query, context: request }) => answer('overlaps', query, request),
			unregistered_servers: ({ query, context: request }) => answer('unregistered_servers', query, request),
		}),
		routes: [exportRoute((question, query, request) => find(question, toQuestion(query, request)))],
	}
}
