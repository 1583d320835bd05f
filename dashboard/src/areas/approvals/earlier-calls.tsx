import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { type ApprovalsSearch, decidedStatuses } from './approval-search.ts'
import { ApprovalStatusBadge, approvalWord } from './approval-status.tsx'
import { AgentLink, ServerLink, ToolName } from './call-names.tsx'
import { type Approval, approvalsQuery } from './queries.ts'
import { RevokeButton } from './revoke-button.tsx'

const filters = [
	{ value: 'all', label: 'All' },
	...decidedStatuses.map((status) => ({
		value: status,
		label: approvalWord(status).replace(/^./, (first) => first.toUpperCase()),
	})),
] as const

type Filter = (typeof filters)[number]['value']

interface EarlierCallsProps {
	search: ApprovalsSearch
	onChange(search: ApprovalsSearch): void
}

/** Earlier requests for approval with their outcomes, newest first. */
export function EarlierCalls({ search, onChange }: EarlierCallsProps) {
	const { status, page = 1 } = search
	const { data, error, refetch } = useQuery(
		approvalsQuery({ limit: 20, page, order: 'desc', ...(status && { status }) }),
	)
	return (
		<section aria-labelledby="earlier" className="grid grid-cols-[minmax(0,1fr)] gap-3">
			<div className="flex flex-wrap items-center justify-between gap-2">
				<h2 id="earlier" className="text-sm font-semibold">
					All calls of the last 30 days
				</h2>
				<div className="max-w-full overflow-x-auto">
					<Segmented<Filter>
						label="State"
						value={status ?? 'all'}
						options={filters}
						onChange={(next) => onChange(next === 'all' ? {} : { status: next })}
					/>
				</div>
			</div>
			<Panel flush>
				{error && !data ? (
					<ErrorState error={error} retry={() => void refetch()} />
				) : !data ? (
					<SkeletonRows />
				) : data.approvals.length === 0 ? (
					<Empty
						icon="approve"
						title={status ? `No ${approvalWord(status)} calls` : 'No call has needed approval yet'}
					>
						{status ? 'Choose another status to see more.' : 'They are listed here for 30 days.'}
					</Empty>
				) : (
					<EarlierTable approvals={data.approvals} />
				)}
			</Panel>
			{data && (
				<Pager pagination={data.pagination} onChange={(next) => onChange({ ...search, page: next })} />
			)}
		</section>
	)
}

function EarlierTable({ approvals }: { approvals: readonly Approval[] }) {
	return (
		<Table label="Calls that needed approval">
			<thead>
				<tr>
					<Th>Requested</Th>
					<Th>Tool</Th>
					<Th>Agent</Th>
					<Th>Server</Th>
					<Th>State</Th>
					<Th>Decided by</Th>
					<ThActions />
				</tr>
			</thead>
			<tbody>
				{approvals.map((approval) => (
					<Row key={approval.id}>
						<Td className="text-ink-2">
							<Ago at={approval.requested_at} />
						</Td>
						<Td className="min-w-40">
							<Link
								to="/approvals/$approvalId"
								params={{ approvalId: approval.id }}
								className="inline-flex min-h-6 items-center font-medium hover:underline"
							>
								<ToolName tool={approval.tool} />
							</Link>
						</Td>
						<Td>
							<AgentLink agent={approval.agent} />
						</Td>
						<Td>
							<ServerLink server={approval.server} />
						</Td>
						<Td>
							<ApprovalStatusBadge status={approval.status} />
							{approval.for_minutes !== null && (
								<span className="block text-xs whitespace-nowrap text-ink-3">
									for {approval.for_minutes} min
								</span>
							)}
						</Td>
						<Td className="max-w-48 truncate text-ink-2">{approval.decided_by?.name ?? '–'}</Td>
						<Td right>{approval.status === 'approved' && <RevokeButton approval={approval} small />}</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
