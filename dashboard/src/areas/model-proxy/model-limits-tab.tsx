import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { formatCompact } from '../../lib/format.ts'
import { IconButton } from '../../ui/button.tsx'
import { CreateButton } from '../../ui/create-button.tsx'
import { deleteWithUndo } from '../../ui/delete-with-undo.ts'
import { ListPanel } from '../../ui/list-panel.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { scopeNames } from './limit-scope-fields.tsx'
import { ModelLimitDialog } from './model-limit-dialog.tsx'
import { type ModelLimit, modelLimitsQuery, refreshModelLimits } from './queries.ts'

const screen = getRouteApi('/_app/connections')

/** How many model calls are allowed, and for whom? */
export function ModelLimitsTab() {
	const { create: isNew, open } = screen.useSearch()
	const navigate = screen.useNavigate()
	const canChange = useCan('budgets:write')
	const query = useQuery(modelLimitsQuery)
	const opened = query.data?.model_limits.find(({ id }) => id === open) ?? null
	const create = () => void navigate({ search: { tab: 'limits', create: true } })
	return (
		<>
			<RoleHint needs="budgets:write" what="create and change limits of model calls" />
			<ListPanel
				title="Model call limits"
				query={query}
				action={<CreateButton what="limit" disabled={!canChange} onCreate={create} />}
				empty={{
					icon: 'limit',
					what: 'limit',
					text: 'A limit keeps one agent from using up what a provider gives to all: requests and tokens in a minute, and calls at a time.',
				}}
				table={({ model_limits }) =>
					model_limits.length > 0 ? <LimitTable limits={model_limits} canChange={canChange} /> : null
				}
			/>
			{(isNew || opened) && (
				<ModelLimitDialog
					key={opened?.id}
					limit={opened}
					onClose={() => void navigate({ search: { tab: 'limits' } })}
				/>
			)}
		</>
	)
}

function LimitTable({ limits, canChange }: { limits: readonly ModelLimit[]; canChange: boolean }) {
	const queries = useQueryClient()
	const { data: agents } = useQuery(allAgentsQuery)
	const remove = ({ id, created_at: _created, updated_at: _updated, ...limit }: ModelLimit) =>
		deleteWithUndo({
			name: limit.name,
			remove: () => unwrap(api.DELETE('/v1/model-limits/{id}', { params: { path: { id } } })),
			restore: () => unwrap(api.POST('/v1/model-limits', { body: limit })),
			refresh: () => refreshModelLimits(queries),
		})
	const whose = ({ scope, scope_id }: ModelLimit) => {
		if (scope === 'workspace') return scopeNames.workspace
		if (scope_id === null) return `Per ${scope}`
		return agents?.agents.find(({ uuid }) => uuid === scope_id)?.name ?? scope_id
	}
	return (
		<Table label="Model call limits">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Scope</Th>
					<Th right>Requests per minute</Th>
					<Th right>Tokens per minute</Th>
					<Th right>Concurrent calls</Th>
					<ThActions />
				</tr>
			</thead>
			<tbody>
				{limits.map((limit) => (
					<Row key={limit.id}>
						<Td className="max-w-56">
							<span className="flex items-center gap-2">
								<Link
									to="/connections"
									search={{ tab: 'limits', open: limit.id }}
									className="inline-flex min-h-6 items-center truncate font-medium hover:underline"
								>
									{limit.name}
								</Link>
								{!limit.enabled && <Badge tone="warn">off</Badge>}
							</span>
						</Td>
						<Td className="max-w-48 truncate text-ink-2">{whose(limit)}</Td>
						<Td right>{amountText(limit.requests_per_minute)}</Td>
						<Td right>{amountText(limit.tokens_per_minute)}</Td>
						<Td right>{amountText(limit.concurrency)}</Td>
						<Td right>
							<IconButton
								icon="trash"
								label={`Delete ${limit.name}`}
								disabled={!canChange}
								onClick={() => void remove(limit)}
							/>
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

function amountText(amount: number | null): string {
	return amount === null ? '–' : formatCompact(amount)
}
