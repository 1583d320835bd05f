import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCompact, formatMs, formatPercent } from '../../lib/format.ts'
import { Ago } from '../../ui/time.tsx'
import { type Column, InsightPanel } from './insight-panel.tsx'
import { type Asked, type DefinitionChange, insightQueries } from './queries.ts'
import { ServerLink } from './references.tsx'

/** A change for the worse is marked by colour, and is also evident from the two figures. */
const look = (change: number | null) => (change !== null && change > 0 ? 'text-bad' : '')

const columns: readonly Column<DefinitionChange>[] = [
	{ label: 'Server', long: true, cell: ({ server }) => <ServerLink server={server} /> },
	{
		label: 'Tool',
		long: true,
		cell: ({ server, tool, before, after }) => (
			<Link
				to="/servers/$serverId/definitions"
				params={{ serverId: server.id }}
				search={{ tool, from: before.hash, to: after.hash }}
				className="inline-flex min-h-6 items-center font-medium text-accent hover:underline"
			>
				{tool}
			</Link>
		),
	},
	{ label: 'Changed', cell: ({ changed_at }) => <Ago at={changed_at} /> },
	{
		label: 'Calls before → after',
		right: true,
		cell: ({ before, after }) => `${formatCompact(before.calls)} → ${formatCompact(after.calls)}`,
	},
	{
		label: 'Error rate',
		right: true,
		cell: ({ before, after, error_rate_change }) => (
			<span className={look(error_rate_change)}>
				{formatPercent(before.error_rate)} → {formatPercent(after.error_rate)}
			</span>
		),
	},
	{
		label: 'p95',
		right: true,
		cell: ({ before, after, p95_change_ms }) => (
			<span className={look(p95_change_ms)}>
				{formatMs(before.p95_ms)} → {formatMs(after.p95_ms)}
			</span>
		),
	},
]

/** Did a tool get worse when its definition changed? */
export function ChangesInsight({ asked }: { asked: Asked }) {
	const query = useQuery({
		...insightQueries.changes(asked),
		select: ({ definition_changes: rows, ...rest }) => ({ rows, ...rest }),
	})
	return (
		<InsightPanel
			label="Definition changes"
			text="Each definition change in this period, with the tool’s calls before and after it."
			query={query}
			columns={columns}
			keyOf={({ server, tool, changed_at }) => `${server.id} ${tool} ${changed_at}`}
			empty={{
				title: 'No definition changed in this period',
				text: 'Servers are checked regularly; a change appears here.',
			}}
		/>
	)
}
