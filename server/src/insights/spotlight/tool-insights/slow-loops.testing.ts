import { presentMoney } from '../../../ledger/ledger.ts'
import { toIso } from '../../../platform/clock.ts'
import type { SpanRow } from '../../../telemetry/index.ts'

const gapMs = 10 * 60_000

export const isError = ({ status }: SpanRow) => ['error', 'denied', 'cut', 'interrupted'].includes(status)
export const msOf = ({ startNs }: Pick<SpanRow, 'startNs'>) => Number(startNs / 1_000_000n)

/** The loops of two calls or more, found by going through the calls one by one. */
export function slowLoops(calls: readonly SpanRow[], models: readonly { span: SpanRow }[]) {
	const alike = Map.groupBy(calls, ({ agentId, serverId, toolName, attributes }) =>
		[agentId, serverId, toolName, attributes.get('signalbox.arguments_hash')].join(' '),
	)
	return [...alike.values()].flatMap(runsOf).map(([first, ...others]) => {
		const run = [first, ...others]
		const last = run.at(-1) ?? first
		const [from, to] = [msOf(first), msOf(last)]
		const endMs = Math.max(...run.map((call) => msOf(call) + Math.floor(Number(call.durationNs) / 1e6)))
		const meanwhile = models.filter(
			({ span }) => span.agentId === first.agentId && msOf(span) >= from && msOf(span) <= to,
		)
		return {
			...{ tool: first.toolName, calls: run.length, errors: run.filter(isError).length },
			...{ started_at: toIso(from), ended_at: toIso(endMs), model_calls: meanwhile.length },
			in_calls_ms: run.reduce((sum, { durationNs }) => sum + Number(durationNs) / 1e6, 0),
			...presentMoney(
				'model_cost',
				meanwhile.reduce((sum, { span }) => sum + (span.costNanoUsd ?? 0n), 0n),
			),
			...{ last_status: last.status, trace_id: last.traceId },
		}
	})
}

type Run = [SpanRow, ...SpanRow[]]

function runsOf(alike: readonly SpanRow[]): Run[] {
	const runs: Run[] = []
	for (const call of alike.toSorted((a, b) => msOf(a) - msOf(b))) {
		const before = runs.at(-1)?.at(-1)
		if (before && msOf(call) - msOf(before) <= gapMs) runs.at(-1)?.push(call)
		else runs.push([call])
	}
	return runs.filter(({ length }) => length >= 2)
}
