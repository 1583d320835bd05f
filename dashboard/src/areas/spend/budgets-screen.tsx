import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { ListScreen } from '../../ui/list-screen.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { BudgetDialog } from './budget-dialog.tsx'
import { BudgetTable } from './budget-table.tsx'
import { CreateBudgetDialog } from './create-budget-dialog.tsx'
import { budgetsQuery } from './queries.ts'

const route = getRouteApi('/_app/budgets')

/** How much may model calls cost, and how much of that is left? */
export function BudgetsScreen() {
	const { create, budget: openId, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const canChange = useCan('budgets:write')
	const query = useQuery(budgetsQuery(page))
	const opened = query.data?.budgets.find(({ id }) => id === openId)
	const close = () => void navigate({ search: page > 1 ? { page } : {} })
	return (
		<ListScreen
			title="Budgets"
			description="A budget limits what model calls may cost, or how many tokens they may use, in a window of time."
			hint={<RoleHint needs="budgets:write" what="create and change budgets" />}
			action={
				<Button
					variant="primary"
					icon="plus"
					disabled={!canChange}
					onClick={() => void navigate({ search: { create: true } })}
				>
					Create budget
				</Button>
			}
			query={query}
			onPage={(next) => void navigate({ search: { page: next } })}
			empty={{
				icon: 'spend',
				what: 'budget',
				text: 'Create one, for example five dollars a day per agent. Calls that would exceed it are refused before they are sent.',
			}}
			table={({ budgets }) => (budgets.length > 0 ? <BudgetTable budgets={budgets} /> : null)}
		>
			<CreateBudgetDialog open={create === true} onClose={close} />
			{opened && <BudgetDialog key={opened.id} budget={opened} onClose={close} />}
		</ListScreen>
	)
}
