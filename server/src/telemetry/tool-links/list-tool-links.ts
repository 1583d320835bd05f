import type { OutputOf, QueryOf, telemetryQueryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { maxSessions, type QueryStore } from '../reads/span-repository.ts'
import { linkTools, type ModelTurn, type ToolLink, type ToolRun } from './link-tools.ts'
import {
	findRuns,
	findSessionsAsking,
	findSpanOfSession,
	findTurns,
	lastRunNs,
} from './tool-link-repository.ts'

type Operation = (typeof telemetryQueryOperations)['tool_links']

/** The tools that the models of a session requested, the calls that ran for them through the gateway, and where the results went. */
export async function listToolLinks(
	{ telemetry }: { telemetry: QueryStore },
	workspaceId: string,
	{ session_id }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const links = await linksOfSession(telemetry, workspaceId, session_id)
	return { session_id, tool_links: links.map(presentLink) }
}

/** The same for the links that involve a trace. The id is 32 lower-case hex digits; `sessions`: those with a call in the trace. */
export async function linksOfTrace(
	telemetry: QueryStore,
	workspaceId: string,
	traceId: string,
	{ runs, sessions }: { runs: readonly ToolRun[]; sessions: readonly string[] },
): Promise<OutputOf<Operation>['tool_links']> {
	const asking = await findSessionsAsking(telemetry, workspaceId, runs)
	const all = [...new Set([...sessions, ...asking])].sort().slice(0, maxSessions)
	const links = await Promise.all(all.map((id) => linksOfSession(telemetry, workspaceId, id)))
	const isOfTrace = ({ askedBy, runs: ran, returnedIn }: ToolLink) =>
		[askedBy, ...ran, returnedIn].some((place) => place?.traceId === traceId)
	return links.flat().filter(isOfTrace).map(presentLink)
}

async function linksOfSession(
	telemetry: QueryStore,
	workspaceId: string,
	sessionId: string,
): Promise<ToolLink[]> {
	const found = await findSpanOfSession(telemetry, workspaceId, sessionId)
	if (!found) return []
	const span = { ...found, toNs: String(BigInt(found.toNs) + lastRunNs) }
	const [turns, runs] = await Promise.all([
		findTurns(telemetry, workspaceId, span),
		findRuns(telemetry, workspaceId, span),
	])
	return linkTools(turns, runs).filter(({ askedBy }) => askedBy.sessionId === sessionId)
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
