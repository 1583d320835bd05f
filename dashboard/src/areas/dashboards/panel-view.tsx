import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCompact, formatMs } from '../../lib/format.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { spotlightViewsQuery } from '../saved-views/queries.ts'
import { ActivityChart } from '../spotlight/activity-panel.tsx'
import {
	type BreakdownRow,
	type By,
	type CallFilter,
	noRowsText,
	type Sort,
} from '../spotlight/breakdowns.ts'
import { FiguresOf, shownCost, shownTokens } from '../spotlight/figures.tsx'
import { linkToCalls } from '../spotlight/link-to-calls.ts'
import { breakdownQuery } from '../spotlight/queries.ts'
import { heightPx, measureLabels, type Panel } from './panels.ts'

interface PanelViewProps {
	panel: Panel
	range: TimeRange
	compare: boolean
	onZoom(range: TimeRange): void
}

/** The content of a panel, from its saved view or its own conditions. */
export function PanelView({ panel, range, compare, onZoom }: PanelViewProps) {
	const { data } = useQuery({ ...spotlightViewsQuery, enabled: panel.question_id !== null })
	const view = data?.questions.find(({ id }) => id === panel.question_id)
	if (panel.question_id !== null && data && !view)
		return <p className="py-6 text-center text-ink-3">Its saved view was deleted.</p>
	if (panel.question_id !== null && !view) return <Skeleton className="h-40" />
	const filter = (view?.filter ?? panel.filter) as CallFilter
	const read = view?.read ?? panel.read
	if (panel.show === 'figures') return <FiguresOf range={range} filter={filter} />
	if (panel.show === 'list') return <Largest panel={panel} by={read as By} range={range} filter={filter} />
	const shown = panel.group_by
		? { group_by: [panel.group_by] }
		: compare
			? { compare: 'previous' as const }
			: {}
	return (
		<ActivityChart
			range={range}
			filter={filter}
			shown={shown}
			measure={panel.measure}
			onZoom={onZoom}
			heightPx={heightPx(panel.height)}
		/>
	)
}

const sorts: Record<Panel['measure'], Sort> = {
	calls: 'calls',
	errors: 'errors',
	latency: 'p95',
	tokens: 'tokens',
	cost: 'cost',
}

function measured(row: BreakdownRow, measure: Panel['measure']) {
	const { calls, errors, latency_ms } = row
	if (measure === 'errors') return formatCompact(errors)
	if (measure === 'latency') return formatMs(latency_ms.p95)
	if (measure === 'tokens') return shownTokens(row)
	return measure === 'cost' ? shownCost(row) : formatCompact(calls)
}

interface LargestProps {
	panel: Panel
	by: By
	range: TimeRange
	filter: CallFilter
}

/** The first rows of a list, each with a link to its calls. */
function Largest({ panel: { measure, title, height }, by, range, filter }: LargestProps) {
	const list = by === ('overview' as By) || by === ('timeseries' as By) ? 'tools' : by
	const query = {
		by: list,
		range,
		filter,
		sort: sorts[measure],
		limit: height * 5,
		compare: false,
		groups: [],
	}
	const { data, error, refetch } = useQuery(breakdownQuery(query))
	if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
	if (!data) return <Skeleton className="h-40" />
	if (data.rows.length === 0) return <p className="py-6 text-center text-ink-3">{noRowsText(list)}</p>
	return (
		<Table label={title}>
			<thead>
				<tr>
					<Th>Name</Th>
					<Th right>{measure === 'latency' ? 'p95' : measureLabels[measure]}</Th>
				</tr>
			</thead>
			<tbody>
				{data.rows.map((row) => (
					<Row key={row.key}>
						<Td className="max-w-72 truncate">
							{row.filter ? (
								<Link
									to="/traces"
									search={linkToCalls({ ...filter, ...row.filter }, range)}
									className="hover:underline"
								>
									{row.name}
								</Link>
							) : (
								row.name
							)}
							{row.detail && <span className="block truncate text-xs text-ink-3">{row.detail}</span>}
						</Td>
						<Td right className="tabular-nums">
							{measured(row, measure)}
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
