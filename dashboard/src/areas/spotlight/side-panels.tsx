import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatMs } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { serversQuery } from '../servers/queries.ts'
import { subjectOf } from '../telemetry/describe-span.ts'
import { spansQuery } from '../telemetry/queries.ts'
import { type Release, releasesQuery, versionField } from './queries.ts'

const worstFirst = ['unhealthy', 'degraded', 'unknown', 'healthy']
const shown = 6

/** The servers, sorted by how urgently they need attention. */
export function ServerHealth() {
	const { data, error, refetch } = useQuery({ ...serversQuery({}), refetchInterval: 15_000 })
	const { data: releases } = useQuery(releasesQuery)
	const servers = data?.mcp_servers.toSorted(
		(a, b) => worstFirst.indexOf(a.health_status) - worstFirst.indexOf(b.health_status),
	)
	return (
		<Panel
			title="MCP servers"
			actions={
				<Link to="/servers" className="text-accent hover:underline">
					All servers
				</Link>
			}
			flush
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !servers ? (
				<SkeletonRows />
			) : servers.length === 0 ? (
				<p className="p-4 text-ink-3">No servers registered.</p>
			) : (
				<ul>
					{servers.slice(0, shown).map((server) => (
						<li key={server.id} className="border-b border-line last:border-0">
							<Link
								to="/servers/$serverId"
								params={{ serverId: server.id }}
								className="flex min-h-10 items-center justify-between gap-3 px-4 py-2 -outline-offset-2 hover:bg-hover"
							>
								<span className="min-w-0 truncate font-medium">{showDirections(server.name)}</span>
								<StatusBadge status={server.status === 'active' ? server.health_status : server.status} />
							</Link>
							<SlowerRelease release={releases?.find((release) => release.server.id === server.id)} />
						</li>
					))}
				</ul>
			)}
		</Panel>
	)
}

/** How many times slower the slow calls of a release must be than before to be reported. */
const muchSlower = 1.5

/** Reports that a server became slower with its last release. */
function SlowerRelease({ release }: { release: Release | undefined }) {
	const [now, before] = [release?.latency_ms.p95, release?.before?.latency_ms.p95]
	if (!release?.server.id || !now || !before || now < before * muchSlower) return null
	return (
		<Link
			to="/servers/$serverId"
			params={{ serverId: release.server.id }}
			search={{ tab: 'usage', split: versionField }}
			className="-mt-1 block px-4 pb-2 text-xs text-warn -outline-offset-2 hover:underline"
		>
			slower since {release.version}: p95 {formatMs(now)}, was {formatMs(before)}
		</Link>
	)
}

/** The latest calls that failed or were refused. */
export function RecentFailures({ range }: { range: TimeRange }) {
	const { data, error, refetch } = useQuery({
		...spansQuery({ ...range, calls: 'counted_failed', limit: shown }),
		refetchInterval: 5_000,
	})
	return (
		<Panel
			title="Latest failures"
			actions={
				<Link
					to="/traces"
					search={{ view: 'calls', calls: 'counted_failed', ...range }}
					className="text-accent hover:underline"
				>
					All failures
				</Link>
			}
			flush
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : data.spans.length === 0 ? (
				<p className="p-4 text-ink-3">No failures in this period.</p>
			) : (
				<ul>
					{data.spans.map((span) => (
						<li key={span.span_id} className="border-b border-line last:border-0">
							<Link
								to="/traces/$traceId"
								params={{ traceId: span.trace_id }}
								search={{ span: span.span_id }}
								className="block px-4 py-2 -outline-offset-2 hover:bg-hover"
							>
								<span className="flex justify-between gap-3">
									<span className="truncate font-medium">{subjectOf(span)}</span>
									<span className="text-xs text-ink-3">
										<Ago at={span.started_at} />
									</span>
								</span>
								<span title={span.status_message} className="block truncate text-xs text-bad">
									{span.status_message || span.error_type || 'error'}
								</span>
							</Link>
						</li>
					))}
				</ul>
			)}
		</Panel>
	)
}
