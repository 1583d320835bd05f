import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { actionLinkClass } from '../../ui/link.ts'
import { Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { BudgetTable } from './budget-table.tsx'
import { budgetsQuery } from './queries.ts'

/** What is left of the budgets. */
export function BudgetsPanel() {
	const { data, error, refetch } = useQuery(budgetsQuery(1))
	return (
		<Panel
			title="Budgets"
			actions={
				<Link to="/budgets" className={actionLinkClass}>
					All budgets
				</Link>
			}
			flush
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : data.budgets.length === 0 ? (
				<Empty
					icon="spend"
					title="No budget yet"
					action={
						<Link to="/budgets" search={{ create: true }} className={buttonClass('primary')}>
							Create budget
						</Link>
					}
				>
					A budget refuses calls, or tells you, before they cost more than you want.
				</Empty>
			) : (
				<BudgetTable budgets={data.budgets.slice(0, 8)} />
			)}
		</Panel>
	)
}
