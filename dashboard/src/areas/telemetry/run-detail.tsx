import { Link } from '@tanstack/react-router'
import { formatCompact, formatCount, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Facts, Panel } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { callAddress } from '../reader/compare-search.ts'
import { subjectOf, tokensOf } from './describe-span.ts'
import type { Span } from './queries.ts'
import { hasFailed, type TreeRow } from './span-tree.ts'

interface RunDetailProps {
	id: string
	run: readonly TreeRow[]
	isOpen: boolean
	onFold(isOpen: boolean): void
	onSelect(spanId: string): void
}

/** Equal consecutive calls: their combined figures, the failed ones, and the fastest next to the slowest. */
export function RunDetail({ id, run, isOpen, onFold, onSelect }: RunDetailProps) {
	const spans = run.map(({ span }) => span)
	const [first] = spans
	if (!first) return null
	const failed = spans.filter(hasFailed)
	const bySpeed = spans.toSorted((a, b) => a.duration_ms - b.duration_ms)
	const [fastest, slowest] = [bySpeed[0] as Span, bySpeed.at(-1) as Span]
	const tokens = spans.reduce((sum, span) => sum + tokensOf(span), 0)
	const priced = spans.filter(({ cost_nano_usd }) => cost_nano_usd !== null)
	const cost = priced.reduce((sum, { cost_nano_usd }) => sum + BigInt(cost_nano_usd ?? 0), 0n)
	return (
		<section id={id} tabIndex={-1} aria-label="Selected span">
			<Panel
				title={`${formatCount(run.length)} × ${subjectOf(first)}`}
				actions={
					<>
						<Link
							to="/compare"
							search={{ calls: [callAddress(fastest), callAddress(slowest)] }}
							className={buttonClass('secondary', true)}
						>
							Compare fastest and slowest
						</Link>
						<Button small aria-expanded={isOpen} onClick={() => onFold(!isOpen)}>
							{isOpen ? 'Collapse' : `Show all ${formatCount(run.length)}`}
						</Button>
					</>
				}
			>
				<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
					<Facts
						facts={[
							['Calls', formatCount(run.length)],
							['Failed', formatCount(failed.length)],
							['Median', formatMs(bySpeed[Math.floor(bySpeed.length / 2)]?.duration_ms ?? null)],
							['Fastest', formatMs(fastest.duration_ms)],
							['Slowest', formatMs(slowest.duration_ms)],
							...(tokens > 0 ? [['Tokens', formatCompact(tokens)] as const] : []),
							...(priced.length > 0 ? [['Cost', formatNanoUsd(String(cost))] as const] : []),
						]}
					/>
					{failed.length > 0 && (
						<Table label="Failed calls in this run">
							<thead>
								<tr>
									<Th>Call</Th>
									<Th>Status</Th>
									<Th>Server response</Th>
									<Th right>Duration</Th>
								</tr>
							</thead>
							<tbody>
								{failed.slice(0, 100).map((span) => (
									<Row key={span.span_id}>
										<Td>
											<button
												type="button"
												onClick={() => onSelect(span.span_id)}
												className="min-h-6 font-medium tabular-nums hover:underline"
											>
												{formatCount(spans.indexOf(span) + 1)} of {formatCount(run.length)}
											</button>
										</Td>
										<Td>
											<StatusBadge status={span.status} />
										</Td>
										<Td className="max-w-96 truncate text-ink-2">
											{span.status_message || span.error_type?.replaceAll('_', ' ') || '–'}
										</Td>
										<Td right>{formatMs(span.duration_ms)}</Td>
									</Row>
								))}
							</tbody>
						</Table>
					)}
				</div>
			</Panel>
		</section>
	)
}
