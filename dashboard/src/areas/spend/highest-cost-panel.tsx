import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCompact } from '../../lib/format.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { actionLinkClass } from '../../ui/link.ts'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import type { BreakdownRow } from '../spotlight/breakdowns.ts'
import { costOf, shownCost, shownTokens } from '../spotlight/figures.tsx'
import { linkToCalls } from '../spotlight/link-to-calls.ts'
import { breakdownQuery } from '../spotlight/queries.ts'

const filter = { kind: 'model_call' } as const

const nouns = { agents: 'Agent', models: 'Model', sessions: 'Session' } as const

interface Props {
	by: 'agents' | 'models' | 'sessions'
	title: string
	range: TimeRange
}

/** The agents, models etc. with the highest cost, each with a link to its calls. */
export function HighestCostPanel({ by, title, range }: Props) {
	const { data, error, refetch } = useQuery(
		breakdownQuery({ by, range, filter, sort: 'cost', compare: false, groups: [], limit: 10 }),
	)
	return (
		<Panel
			title={title}
			actions={
				<Link to="/spotlight" search={{ by, sort: 'cost', ...filter, ...range }} className={actionLinkClass}>
					All in Spotlight<span className="sr-only"> {title.toLowerCase()}</span>
				</Link>
			}
			flush
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : data.rows.length === 0 ? (
				<p className="p-4 text-ink-3">No model calls in this period.</p>
			) : (
				<Table label={`Cost ${title.toLowerCase()}`}>
					<thead>
						<tr>
							<Th>{nouns[by]}</Th>
							<Th right>Calls</Th>
							<Th right>Tokens</Th>
							<Th right>Cost</Th>
						</tr>
					</thead>
					<tbody>
						{data.rows.map((row) => (
							<DearestLine key={row.key} by={by} row={row} range={range} />
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	)
}

function DearestLine({ by, row, range }: { by: Props['by']; row: BreakdownRow; range: TimeRange }) {
	return (
		<Row>
			<Td className="max-w-56">
				<Link
					{...(by === 'sessions' && row.link
						? row.link
						: { to: '/traces', search: linkToCalls({ ...filter, ...row.filter }, range) })}
					className="block truncate font-medium hover:underline"
				>
					{row.name}
				</Link>
				{row.detail && <span className="block truncate text-xs text-ink-3">{row.detail}</span>}
			</Td>
			<Td right>{formatCompact(row.calls)}</Td>
			<Td right>{shownTokens(row)}</Td>
			<Td right className={costOf(row) === null ? 'text-warn' : ''}>
				{shownCost(row)}
			</Td>
		</Row>
	)
}
