import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/index.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Findings, InsightContext, InsightRequest } from './tool-insight-context.ts'
import {
	findInvalidArguments,
	findLoops,
	type InvalidArgumentRow,
	type LoopRow,
	type MeanwhileRow,
	sumModelCallsMeanwhile,
	sumToolCalls,
} from './tool-insight-repository.ts'

type InvalidRow = OutputOf<(typeof spotlightMcpOperations)['invalid_arguments']>['invalid_arguments'][number]

/** Which arguments servers refused, the most frequent first. */
export async function readInvalidArguments(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<InvalidRow>> {
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
		rows: found.map((row) => presentInvalid(row, calls.get(`${row.server} ${row.tool}`) ?? 0)),
		total: Number(found[0]?.found ?? 0),
		truncated: false,
	}
}

function presentInvalid(row: InvalidArgumentRow, calls: number): InvalidRow {
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

type RepeatedRow = OutputOf<(typeof spotlightMcpOperations)['retry_loops']>['retry_loops'][number]

/** What is called a loop when nobody says. */
const fewest = 3

/** Runs of the same call, the longest first, with what the agent's models cost meanwhile. */
export async function readRetryLoops(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<RepeatedRow>> {
	const loops = await findLoops(context, asked, asked.min_calls ?? fewest)
	const meanwhile = loops.length === 0 ? [] : await sumModelCallsMeanwhile(context, asked, loops)
	const byPlace = new Map(meanwhile.map((row) => [Number(row.loop), row]))
	return {
		rows: loops.map((loop, place) => presentLoop(loop, byPlace.get(place))),
		total: Number(loops[0]?.found ?? 0),
		truncated: false,
	}
}

function presentLoop(loop: LoopRow, meanwhile: MeanwhileRow | undefined): RepeatedRow {
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
