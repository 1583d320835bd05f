import { useInfiniteQuery } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { formatDateTime, formatMs, formatPercent } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { OlderButton } from '../../ui/older-button.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'

type HealthCheck = Schemas['HealthCheck']

/** The results of the server's health checks, as a strip and as a table. */
export function HealthHistory({ serverId }: { serverId: string }) {
	const query = useInfiniteQuery({
		queryKey: ['servers', serverId, 'health-history'],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.GET('/v1/mcp/servers/{id}/health/history', {
					params: { path: { id: serverId }, query: { limit: 100, ...(pageParam && { cursor: pageParam }) } },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		refetchInterval: 15_000,
	})
	const checks = query.data?.pages.flatMap(({ health_checks }) => health_checks) ?? []
	if (query.isPending) return <SkeletonRows />
	if (query.isError && checks.length === 0)
		return <ErrorState error={query.error} retry={() => void query.refetch()} />
	if (checks.length === 0)
		return (
			<Panel>
				<Empty icon="live" title="Not checked yet">
					Servers in use are checked automatically; each check appears here.
				</Empty>
			</Panel>
		)
	return (
		<div className="grid gap-4">
			<Panel title={checks.length === 1 ? 'Last check' : `Last ${checks.length} checks`}>
				<Timeline checks={checks} />
			</Panel>
			<Panel flush>
				<CheckTable checks={checks} />
				<OlderButton what="checks" query={query} />
			</Panel>
		</div>
	)
}

const tones: Record<HealthCheck['status'], string> = {
	healthy: 'bg-ok h-4',
	degraded: 'bg-warn h-6',
	unhealthy: 'bg-bad h-8',
	unknown: 'bg-field h-2',
}

/** One stroke per check, oldest first. A failed check has a taller stroke, so that it is not distinguished by colour alone. */
function Timeline({ checks }: { checks: readonly HealthCheck[] }) {
	const shown = checks.slice(0, 100).toReversed()
	const healthy = checks.filter(({ status }) => status === 'healthy').length
	const first = shown[0]
	const last = shown.at(-1)
	if (!first || !last) return null
	return (
		<figure>
			<div
				role="img"
				aria-label={`${healthy} of ${checks.length} checks found it healthy; the table below has each of them`}
				className="flex h-8 items-end gap-px"
			>
				{shown.map((check) => (
					<span
						key={check.id}
						title={`${formatDateTime(check.at)}: ${check.status}`}
						className={cn('max-w-2 min-w-px flex-1 rounded-xs forced-color-adjust-none', tones[check.status])}
					/>
				))}
			</div>
			<figcaption className="mt-2 flex flex-wrap justify-between gap-x-4 text-xs text-ink-3 tabular-nums">
				<span>{formatDateTime(first.at)}</span>
				<span>{formatPercent(healthy / checks.length)} healthy</span>
				<span>{formatDateTime(last.at)}</span>
			</figcaption>
		</figure>
	)
}

function CheckTable({ checks }: { checks: readonly HealthCheck[] }) {
	return (
		<Table label="Checks">
			<thead>
				<tr>
					<Th>Time</Th>
					<Th>Status</Th>
					<Th right>Latency</Th>
					<Th right>Tools</Th>
					<Th>Reason</Th>
				</tr>
			</thead>
			<tbody>
				{checks.map((check) => (
					<Row key={check.id}>
						<Td className="whitespace-nowrap text-ink-2 tabular-nums">{formatDateTime(check.at)}</Td>
						<Td>
							<StatusBadge status={check.status} />
						</Td>
						<Td right>{formatMs(check.latency_ms)}</Td>
						<Td right>{check.tools ?? '–'}</Td>
						<Td className="min-w-56 text-ink-2">{check.error ?? '–'}</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
