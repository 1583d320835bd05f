import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Ago } from '../../ui/time.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { ViewList } from '../saved-views/view-list.tsx'
import { useNames } from '../spotlight/use-names.ts'
import { draftOfView, newDraft } from './alert-search.ts'
import { AlertState } from './alert-state.tsx'
import { CreateAlertDialog } from './create-alert-dialog.tsx'
import { type Alert, alertsQuery } from './queries.ts'

const route = getRouteApi('/_app/alerts/')

/** What is wrong, and what is watched? */
export function AlertsScreen() {
	const { tab = 'alerts', watch, page = 1, figure, range, filter = {} } = route.useSearch()
	const names = useNames(Object.keys(filter))
	const navigate = route.useNavigate()
	const canChange = useCan('alerts:write')
	const startWatching = (id: string) => void navigate({ search: (old) => ({ ...old, watch: id }) })
	return (
		<Page
			title="Alerts"
			description="Built-in and custom alerts. Firing alerts come first."
			actions={
				<Button variant="primary" icon="plus" disabled={!canChange} onClick={() => startWatching('')}>
					Create alert
				</Button>
			}
		>
			<RoleHint needs="alerts:write" what="create and change alerts" />
			<Tabs
				label="Alerts and what they watch"
				value={tab}
				onChange={(next) => void navigate({ search: next === 'questions' ? { tab: next } : {} })}
				tabs={[
					{ value: 'alerts', label: 'Alerts', content: <AlertList page={page} /> },
					{
						value: 'questions',
						label: 'Saved views',
						content: (
							<Panel flush>
								<ViewList onWatch={({ id }) => startWatching(id)} />
							</Panel>
						),
					},
				]}
			/>
			<CreateAlertDialog
				start={
					watch === undefined
						? null
						: figure
							? draftOfView(figure, { range: range ?? '1h', filter }, names)
							: { ...newDraft, question_id: watch }
				}
				onClose={() => void navigate({ search: tab === 'questions' ? { tab } : {} })}
			/>
		</Page>
	)
}

function AlertList({ page }: { page: number }) {
	const navigate = route.useNavigate()
	const { data, error, refetch } = useQuery(alertsQuery(page))
	if (!data)
		return (
			<Panel flush>
				{error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows />}
			</Panel>
		)
	return (
		<>
			<Panel flush>
				<AlertTable alerts={data.alerts} />
			</Panel>
			<Pager pagination={data.pagination} onChange={(next) => void navigate({ search: { page: next } })} />
		</>
	)
}

function AlertTable({ alerts }: { alerts: readonly Alert[] }) {
	return (
		<Table label="Alerts">
			<thead>
				<tr>
					<Th>Alert</Th>
					<Th>State</Th>
					<Th>Finding</Th>
					<Th right>Since</Th>
				</tr>
			</thead>
			<tbody>
				{alerts.map((alert) => (
					<Row key={alert.id}>
						<Td className="min-w-40">
							<Link
								to="/alerts/$alertId"
								params={{ alertId: alert.id }}
								className="font-medium hover:underline"
							>
								{alert.name}
							</Link>
						</Td>
						<Td>
							<AlertState alert={alert} />
						</Td>
						<Td className="min-w-64 text-ink-2">{alert.state.text}</Td>
						<Td right className="text-ink-2">
							<Ago at={alert.state.since} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
