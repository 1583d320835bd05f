import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/index.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Findings, McpContext, McpQuestion } from './context.ts'
import {
	findLoops,
	type LoopRow,
	type MeanwhileRow,
	sumModelCallsMeanwhile,
} from './retry-loops-repository.ts'

type Row = OutputOf<(typeof spotlightMcpOperations)['retry_loops']>['retry_loops'][number]

/** What is called a loop when nobody says. */
const fewest = 3

/** Runs of the same call, the longest first, with what the agent's models cost meanwhile. */
export async function readRetryLoops(context: McpContext, asked: McpQuestion): Promise<Findings<Row>> {
	const loops = await findLoops(context, asked, asked.min_calls ?? fewest)
	const meanwhile = loops.length === 0 ? [] : await sumModelCallsMeanwhile(context, asked, loops)
	const byPlace = new Map(meanwhile.map((row) => [Number(row.loop), row]))
	return {
		rows: loops.map((loop, place) => present(loop, byPlace.get(place))),
		total: Number(loops[0]?.found ?? 0),
		truncated: false,
	}
}

function present(loop: LoopRow, meanwhile: MeanwhileRow | undefined): Row {
	return {
		agent: { id: loop.agent, name: loop.agent_label },
		server: { id: loop.server, name: loop.server_label },
		tool: loop.tool,
		calls: Number(loop.calls),
		errors: Number(loop.errors),
		started_at: toIso(Number(loop.first_ms)),
		ended_at: toIso(Number(loop.last_ms)),
		in_calls_ms: Number(loop.in_calls_ns) / 1e6,
		model_calls: Number(meanwhile?.calls ?? 0),
		...presentMoney('model_cost', meanwhile?.cost_nano_usd ?? '0'),
		last_status: loop.last_status,
		trace_id: loop.trace,
	}
}
