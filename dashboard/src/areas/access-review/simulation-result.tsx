import { Link } from '@tanstack/react-router'
import { formatCount, formatDateTime } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { Badge, type Tone } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import type { Simulation } from './queries.ts'

type Group = Simulation['groups'][number]

const words: Record<Group['change'], { label: string; tone: Tone; icon?: 'block' }> = {
	newly_denied: { label: 'newly denied', tone: 'bad', icon: 'block' },
	newly_allowed: { label: 'newly allowed', tone: 'ok' },
	unknown: { label: 'unknown', tone: 'warn' },
}

/** The recorded calls that would be decided differently. */
export function SimulationResult({ simulation }: { simulation: Simulation }) {
	const { totals, groups, truncated, start, end } = simulation
	return (
		<div className="grid gap-3">
			<p role="status" className="text-ink-2">
				<strong className="font-semibold text-ink">{formatCount(totals.calls)}</strong> recorded calls from{' '}
				{formatDateTime(start)} to {formatDateTime(end)}:{' '}
				<span className="font-medium text-bad">{formatCount(totals.newly_denied)} newly denied</span>,{' '}
				<span className="font-medium text-ok">{formatCount(totals.newly_allowed)} newly allowed</span>,{' '}
				<span className="font-medium text-warn">{formatCount(totals.unknown)} unknown</span>,{' '}
				{formatCount(totals.unchanged)} unchanged.
			</p>
			{totals.unknown > 0 && (
				<p className="text-xs text-ink-3">
					Unknown: the decision depends on arguments that were not recorded.
				</p>
			)}
			{groups.length > 0 && (
				<div className="overflow-hidden rounded-lg border border-line">
					<GroupTable groups={groups} />
				</div>
			)}
			{truncated && (
				<p className="text-xs text-ink-3">Only the 1,000 groups with the most calls are shown.</p>
			)}
		</div>
	)
}

function GroupTable({ groups }: { groups: readonly Group[] }) {
	return (
		<Table label="Calls with a different decision">
			<thead>
				<tr>
					<Th>Decision</Th>
					<Th right>Calls</Th>
					<Th>Agent</Th>
					<Th>Tool</Th>
					<Th>Reason</Th>
					<Th>Last</Th>
					<Th>Traces</Th>
				</tr>
			</thead>
			<tbody>
				{groups.map((group) => (
					<Row key={group.change + group.agent.uuid + group.server.id + group.tool + group.reason_after}>
						<Td>
							<Badge
								tone={words[group.change].tone}
								{...(words[group.change].icon && { icon: words[group.change].icon })}
							>
								{words[group.change].label}
							</Badge>
						</Td>
						<Td right>{formatCount(group.calls)}</Td>
						<Td>{group.agent.name ?? group.agent.uuid}</Td>
						<Td>
							<span className="block text-xs text-ink-3">{group.server.name ?? group.server.id}</span>
							<span className="font-mono text-xs">{showDirections(group.tool)}</span>
						</Td>
						<Td className="min-w-48 text-xs text-ink-2">
							{sentence(group.reason_before)} → {sentence(group.reason_after)}
						</Td>
						<Td className="text-xs whitespace-nowrap text-ink-2">{formatDateTime(group.last_at)}</Td>
						<Td className="whitespace-nowrap">
							{group.sample_trace_ids.map((traceId) => (
								<Link
									key={traceId}
									to="/traces/$traceId"
									params={{ traceId }}
									title={traceId}
									className="mr-2 inline-flex min-h-6 items-center font-mono text-xs text-accent hover:underline"
								>
									{traceId.slice(0, 6)}
								</Link>
							))}
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

function sentence(reason: string): string {
	return reason.replaceAll('_', ' ')
}
