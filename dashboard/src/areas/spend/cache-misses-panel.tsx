import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { causeWords, describePart } from '../../lib/cache-miss-words.ts'
import { formatCompact, formatCount, formatNanoUsd } from '../../lib/format.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { cacheMissesQuery } from './queries.ts'

/** Prompts that were in a provider's cache and were paid for again, with the causes and the cost. */
export function CacheMissesPanel({ range }: { range: TimeRange }) {
	const { data, error, refetch } = useQuery(cacheMissesQuery(range))
	return (
		<Panel
			title="Cache misses"
			actions={
				data &&
				data.total > 0 && (
					<span className="text-ink-2 tabular-nums">
						{formatCount(data.total)} of {formatCount(data.calls)} calls
						{data.extra_cost_nano_usd !== null && ` · ${formatNanoUsd(data.extra_cost_nano_usd)}`}
					</span>
				)
			}
			flush
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : data.total === 0 ? (
				<p className="p-4 text-ink-3">No avoidable cache misses</p>
			) : (
				<Table label="Cache misses, most expensive first">
					<thead>
						<tr>
							<Th>Why</Th>
							<Th>Agent</Th>
							<Th>Model</Th>
							<Th right>Tokens</Th>
							<Th right>Cost</Th>
							<Th right>When</Th>
						</tr>
					</thead>
					<tbody>
						{data.cache_misses.map((miss) => (
							<Row key={miss.span_id}>
								<Td className="min-w-48">
									<Link
										to="/traces/$traceId"
										params={{ traceId: miss.trace_id }}
										search={{ span: miss.span_id }}
										className="block font-medium hover:underline"
									>
										{causeWords[miss.cause]}
									</Link>
									{miss.part && <span className="block text-xs text-ink-3">{describePart(miss)}</span>}
								</Td>
								<Td className="max-w-40 truncate text-ink-2">{miss.agent.name ?? '–'}</Td>
								<Td className="max-w-40 truncate text-ink-2">{miss.model}</Td>
								<Td right>{formatCompact(miss.missed_tokens)}</Td>
								<Td right className={miss.extra_cost_nano_usd === null ? 'text-warn' : ''}>
									{miss.extra_cost_nano_usd === null ? 'unpriced' : formatNanoUsd(miss.extra_cost_nano_usd)}
								</Td>
								<Td right className="whitespace-nowrap text-ink-2">
									<Ago at={miss.started_at} />
								</Td>
							</Row>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	)
}
