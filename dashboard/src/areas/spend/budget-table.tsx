import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { actionLinkClass } from '../../ui/link.ts'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { describeScope, formatAmount, isUsedUp } from './describe-budget.ts'
import type { Budget } from './queries.ts'
import { StateBar } from './state-bar.tsx'

/** One row per budget; its name opens it. */
export function BudgetTable({ budgets }: { budgets: readonly Budget[] }) {
	const hasAgents = budgets.some(({ scope, scope_id }) => scope === 'agent' && scope_id !== null)
	const { data: agents } = useQuery({ ...allAgentsQuery, enabled: hasAgents })
	const nameOf = (id: string) => agents?.agents.find(({ uuid }) => uuid === id)?.name
	return (
		<Table label="Budgets">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Scope</Th>
					<Th right>Limit</Th>
					<Th>State</Th>
					<Th>Contact</Th>
				</tr>
			</thead>
			<tbody>
				{budgets.map((budget) => (
					<Row key={budget.id}>
						<Td className="max-w-56">
							<Link
								to="/budgets"
								search={{ budget: budget.id }}
								className="block truncate font-medium hover:underline"
							>
								{budget.name}
							</Link>
							<span className="mt-0.5 flex gap-1">
								<Badge tone={budget.mode === 'hard' ? 'accent' : 'idle'} icon={null}>
									{budget.mode}
								</Badge>
								{!budget.enabled && <Badge tone="warn">off</Badge>}
								{budget.state && isUsedUp(budget.state) && <Badge tone="bad">exhausted</Badge>}
							</span>
						</Td>
						<Td className="whitespace-nowrap text-ink-2">{describeScope(budget, nameOf)}</Td>
						<Td right>{formatAmount(budget.limit, budget.unit)}</Td>
						<Td>
							{budget.state ? (
								<StateBar state={budget.state} limit={budget.limit} unit={budget.unit} />
							) : (
								<Link to="/budgets" search={{ budget: budget.id }} className={actionLinkClass}>
									one amount for each {budget.scope}
								</Link>
							)}
						</Td>
						<Td className="max-w-48 truncate text-ink-2">{budget.contact || '–'}</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
