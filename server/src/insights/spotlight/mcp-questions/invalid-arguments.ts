import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { Findings, McpContext, McpQuestion } from './context.ts'
import { findInvalidArguments, type InvalidArgumentRow } from './invalid-arguments-repository.ts'
import { sumToolCalls } from './tool-calls-repository.ts'

type Row = OutputOf<(typeof spotlightMcpOperations)['invalid_arguments']>['invalid_arguments'][number]

/** Which arguments servers refused, the most frequent first. */
export async function readInvalidArguments(context: McpContext, asked: McpQuestion): Promise<Findings<Row>> {
	const [found, sums] = await Promise.all([
		findInvalidArguments(context, asked),
		sumToolCalls(context, asked),
	])
	const calls = new Map<string, number>()
	for (const { server, tool, calls: more } of sums) {
		const key = `${server} ${tool}`
		calls.set(key, (calls.get(key) ?? 0) + Number(more))
	}
	return {
		rows: found.map((row) => present(row, calls.get(`${row.server} ${row.tool}`) ?? 0)),
		total: Number(found[0]?.found ?? 0),
		truncated: false,
	}
}

function present(row: InvalidArgumentRow, calls: number): Row {
	const failures = Number(row.failures)
	return {
		server: { id: row.server, name: row.server_label },
		tool: row.tool,
		field: row.field || null,
		failures,
		calls,
		failure_rate: calls === 0 ? 1 : failures / calls,
		agents: Number(row.agents),
		last_at: toIso(Number(row.last_ms)),
		trace_id: row.trace,
	}
}
