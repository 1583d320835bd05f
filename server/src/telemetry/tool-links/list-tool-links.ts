import type { OutputOf, QueryOf, telemetryQueryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { QueryStore } from '../reads/repository.ts'
import { linkTools, type ModelTurn, type ToolLink } from './link-tools.ts'
import { findRuns, findSpanOfSession, findTurns } from './repository.ts'

type Operation = (typeof telemetryQueryOperations)['tool_links']

/** A run of the last call of a session may begin this long after it. */
const lastRunNs = 3_600_000_000_000n

/** What the models of a session asked for, what ran through the gateway for it, and where the results went. */
export async function listToolLinks(
	{ telemetry }: { telemetry: QueryStore },
	workspaceId: string,
	{ session_id }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const found = await findSpanOfSession(telemetry, workspaceId, session_id)
	if (!found) return { session_id, tool_links: [] }
	const span = { ...found, toNs: String(BigInt(found.toNs) + lastRunNs) }
	const [turns, runs] = await Promise.all([
		findTurns(telemetry, workspaceId, span),
		findRuns(telemetry, workspaceId, span),
	])
	const own = linkTools(turns, runs).filter(({ askedBy }) => askedBy.sessionId === session_id)
	return { session_id, tool_links: own.map(presentLink) }
}

function presentLink({ id, name, askedBy, runs, confidence, returnedIn }: ToolLink) {
	return {
		tool_use_id: id || null,
		name,
		asked_at: toIso(Number(askedBy.startNs / 1_000_000n)),
		asked_by: placeOf(askedBy),
		runs: runs.map(({ status, ...run }) => ({ ...placeOf(run), status })),
		confidence,
		returned_in: returnedIn && placeOf(returnedIn),
	}
}

function placeOf({ traceId, spanId }: Pick<ModelTurn, 'traceId' | 'spanId'>) {
	return { trace_id: traceId, span_id: spanId }
}
