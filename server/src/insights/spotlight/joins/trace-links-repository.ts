import { randomUUID } from 'node:crypto'
import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import { encodeTraceLink, readStore, traceLinkColumnNames, traceLinks } from '../../../telemetry/index.ts'

export interface TraceLink {
	retentionDays: number
	startS: number
	traces: readonly [string, string]
}

export async function writeLinks(
	store: Pick<TelemetryStore, 'insertRowBinary'>,
	workspaceId: string,
	links: readonly TraceLink[],
): Promise<void> {
	const distinct = new Map(links.map((link) => [link.traces.join(' '), link]))
	if (distinct.size === 0) return
	await store.insertRowBinary({
		table: traceLinks,
		columns: traceLinkColumnNames,
		rows: [...distinct.values()].map((link) => encodeTraceLink({ workspaceId, ...link })),
		deduplicationToken: `links-${randomUUID()}`,
	})
}

/** A recorded call of a tool, with the id of the use that a model asked for. Numbers as text. */
export interface NamedUse {
	trace: string
	use: string
	start_s: string
	days: string
}

/** Shorter ids (`call_1`) come again in other sessions. */
const leastIdLength = 16
const toolUse = `arrayFirst(v -> v != '', [attributes['gen_ai.tool.call.id'], attributes['ai.toolCall.id']])`

/** Of the calls for which a condition of ours holds. */
export function findUses(
	store: Pick<TelemetryStore, 'query'>,
	where: string,
	parameters: Record<string, unknown>,
): Promise<NamedUse[]> {
	return readStore(() =>
		store.query<NamedUse>(
			`SELECT DISTINCT lower(hex(trace_id)) AS trace, ${toolUse} AS use, toString(toUnixTimestamp(started_at)) AS start_s, toString(retention_days) AS days
			FROM spans WHERE workspace_id = {workspace:String} AND kind = 'tool_call' AND ${where} AND length(use) >= ${leastIdLength}`,
			parameters,
		),
	)
}

/** The traces of the model calls, through the proxy, that asked for these uses; those of which nothing is known are absent. */
export async function findAskingTraces(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	uses: readonly NamedUse[],
): Promise<Map<string, string>> {
	const starts = uses.map(({ start_s }) => Number(start_s))
	const rows = await readStore(() =>
		store.query<{ use: string; trace: string }>(
			`SELECT use, lower(hex(any(trace_id))) AS trace FROM exchanges ARRAY JOIN tool_use_id AS use
			WHERE workspace_id = {workspace:String} AND recorded_at >= fromUnixTimestamp64Milli({first:Int64}, 'UTC') - INTERVAL 1 HOUR
				AND recorded_at <= fromUnixTimestamp64Milli({last:Int64}, 'UTC') + INTERVAL 1 MINUTE AND use IN {uses:Array(String)}
			GROUP BY use HAVING uniqExact(trace_id) = 1`,
			{
				...{ workspace: workspaceId, uses: [...new Set(uses.map(({ use }) => use.toWellFormed()))] },
				...{ first: Math.min(...starts) * 1000, last: (Math.max(...starts) + 1) * 1000 },
			},
		),
	)
	return new Map(rows.map(({ use, trace }) => [use, trace]))
}
