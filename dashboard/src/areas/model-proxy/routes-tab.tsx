import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { baseUrl } from '../../lib/base-url.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { CreateButton } from '../../ui/create-button.tsx'
import { deleteWithUndo } from '../../ui/delete-with-undo.ts'
import { ListPanel } from '../../ui/list-panel.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { type ModelRoute, refreshRoutes, routesQuery } from './queries.ts'
import { RouteDialog } from './route-dialog.tsx'
import { draftOf, inputOf } from './route-draft.ts'
import { strategyTexts } from './strategy-texts.ts'

const screen = getRouteApi('/_app/connections')

/** Where do calls go when a provider, a key or a model fails? */
export function RoutesTab() {
	const { create: isNew, open } = screen.useSearch()
	const navigate = screen.useNavigate()
	const canChange = useCan('provider-keys:write')
	const query = useQuery(routesQuery)
	const opened = query.data?.routes.find(({ id }) => id === open) ?? null
	const create = () => void navigate({ search: { tab: 'routes', create: true } })
	return (
		<>
			<RoleHint needs="provider-keys:write" what="create and change routes" />
			<ListPanel
				title="Routes"
				query={query}
				action={<CreateButton what="route" disabled={!canChange} onCreate={create} />}
				empty={{
					icon: 'link',
					what: 'route',
					text: 'A route is one name for several connections: when one fails or is slow, the next one answers.',
				}}
				table={({ routes }) =>
					routes.length > 0 ? <RouteTable routes={routes} canChange={canChange} /> : null
				}
			/>
			{(isNew || opened) && (
				<RouteDialog
					key={opened?.id}
					route={opened}
					onClose={() => void navigate({ search: { tab: 'routes' } })}
				/>
			)}
		</>
	)
}

function RouteTable({ routes, canChange }: { routes: readonly ModelRoute[]; canChange: boolean }) {
	const queries = useQueryClient()
	const remove = (route: ModelRoute) =>
		deleteWithUndo({
			name: route.name,
			remove: () => unwrap(api.DELETE('/v1/routes/{id}', { params: { path: { id: route.id } } })),
			restore: () => unwrap(api.POST('/v1/routes', { body: inputOf(draftOf(route)) })),
			refresh: () => refreshRoutes(queries),
		})
	return (
		<Table label="Routes">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th>Strategy</Th>
					<Th>Targets</Th>
					<Th>Base URL for clients</Th>
					<Th right>Changed</Th>
					<ThActions />
				</tr>
			</thead>
			<tbody>
				{routes.map((route) => (
					<Row key={route.id}>
						<Td>
							<Link
								to="/connections"
								search={{ tab: 'routes', open: route.id }}
								className="inline-flex min-h-6 items-center font-medium hover:underline"
							>
								{route.name}
							</Link>
						</Td>
						<Td className="whitespace-nowrap text-ink-2">{strategyTexts[route.strategy].label}</Td>
						<Td className="min-w-48">
							<Targets route={route} />
							{route.warnings.map((text) => (
								<p key={text} className="text-xs text-bad">
									{text}
								</p>
							))}
						</Td>
						<Td>
							<CopyText text={`${baseUrl}/proxy/${route.name}`} />
						</Td>
						<Td right className="text-ink-2">
							<Ago at={route.updated_at} />
						</Td>
						<Td right>
							<IconButton
								icon="trash"
								label={`Delete ${route.name}`}
								disabled={!canChange}
								onClick={() => void remove(route)}
							/>
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

const shownTargets = 3

function Targets({ route: { targets, strategy } }: { route: ModelRoute }) {
	return (
		<ol className="grid gap-0.5">
			{targets.slice(0, shownTargets).map(({ connection, model, weight }, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the same target may occur twice, and none is moved
				<li key={at} className="truncate">
					{connection}
					{model && <span className="font-mono text-xs text-ink-3"> {model}</span>}
					{strategy === 'weighted' && <span className="text-xs text-ink-3"> × {weight}</span>}
				</li>
			))}
			{targets.length > shownTargets && (
				<li className="text-xs text-ink-3">and {targets.length - shownTargets} more</li>
			)}
		</ol>
	)
}
