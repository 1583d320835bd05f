import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { ServerEntry } from '../../../servers/index.ts'
import type { Findings, InsightContext, InsightRequest } from './tool-insight-context.ts'
import { findSeenServers, type SeenServerRow } from './tool-insight-repository.ts'

type Row = OutputOf<(typeof spotlightMcpOperations)['unregistered_servers']>['unregistered_servers'][number]

/** Names that one answer looks at. */
const mostNames = 10_000

/** Servers that telemetry names and nobody registered, the most calls first. */
export async function readUnregisteredServers(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<Row>> {
	const seen = await findSeenServers(context, asked, mostNames)
	const own = hostOf(context.publicAddress())
	const strangers = seen.filter(({ seen_as, name }) => seen_as === 'service' || name !== own)
	const byHost = new Map(
		context.servers.list(asked.workspaceId).flatMap((server) => {
			const host = hostOf(server.url)
			return host === null ? [] : [[host, server] as const]
		}),
	)
	return {
		rows: strangers.slice(0, asked.limit).map((row) => present(row, byHost)),
		total: strangers.length,
		truncated: seen.length === mostNames,
	}
}

/** `host:port`, as telemetry has it; null for what is no address of the web. */
function hostOf(url: string): string | null {
	const { protocol, hostname, port } = new URL(url)
	if (protocol !== 'http:' && protocol !== 'https:') return null
	return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

function present(row: SeenServerRow, byHost: ReadonlyMap<string, ServerEntry>): Row {
	const known = row.seen_as === 'address' ? byHost.get(row.name) : undefined
	return {
		seen_as: row.seen_as,
		name: row.name,
		registered_as: known ? { id: known.id, name: known.name } : null,
		calls: Number(row.calls),
		errors: Number(row.errors),
		tools: Number(row.tools),
		callers: row.callers,
		first_seen_at: toIso(Number(row.first_ms)),
		last_seen_at: toIso(Number(row.last_ms)),
		trace_id: row.trace,
	}
}
