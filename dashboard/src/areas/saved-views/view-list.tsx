import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { useCan } from '../identity/session.ts'
import { refreshViews, type SavedView, spotlightViewsQuery } from './queries.ts'
import { spotlightSearchOf } from './spotlight-search-of.ts'

/** The saved views; each opens in Spotlight, and can be watched by an alert. */
export function ViewList({ onWatch }: { onWatch(view: SavedView): void }) {
	const { data, error, refetch } = useQuery(spotlightViewsQuery)
	if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows />
	if (data.questions.length === 0)
		return (
			<Empty icon="search" title="No saved views yet">
				Open <Link to="/spotlight">Spotlight</Link>, filter, and choose “Save view”.
			</Empty>
		)
	return <ViewTable views={data.questions} onWatch={onWatch} />
}

interface ViewTableProps {
	views: readonly SavedView[]
	onWatch(view: SavedView): void
}

function ViewTable({ views, onWatch }: ViewTableProps) {
	const [leaving, setLeaving] = useState<SavedView | null>(null)
	const queries = useQueryClient()
	const [mayWrite, mayWatch] = [useCan('questions:write'), useCan('alerts:write')]
	const remove = async (id: string) => {
		await unwrap(api.DELETE('/v1/questions/{id}', { params: { path: { id } } }))
		await refreshViews(queries)
	}
	return (
		<>
			<Table label="Saved views">
				<thead>
					<tr>
						<Th>View</Th>
						<Th>Shows</Th>
						<Th>Time</Th>
						<ThActions />
					</tr>
				</thead>
				<tbody>
					{views.map((view) => (
						<Row key={view.id}>
							<Td className="max-w-80 min-w-40">
								<Link
									to="/spotlight"
									search={spotlightSearchOf(view)}
									className="block truncate font-medium hover:underline"
								>
									{view.name}
								</Link>
							</Td>
							<Td className="max-w-64 truncate text-ink-2">{describeView(view)}</Td>
							<Td className="whitespace-nowrap text-ink-2">last {view.range}</Td>
							<Td right>
								<span className="flex justify-end gap-1">
									<Button
										small
										disabled={!mayWatch}
										aria-label={`Create alert on ${view.name}`}
										onClick={() => onWatch(view)}
									>
										Create alert
									</Button>
									<IconButton
										icon="trash"
										small
										disabled={!mayWrite}
										label={`Delete ${view.name}`}
										onClick={() => setLeaving(view)}
									/>
								</span>
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
			<Confirm
				open={leaving !== null}
				onClose={() => setLeaving(null)}
				title={`Delete ${leaving?.name}?`}
				text="Delete the alerts that use it first."
				action="Delete view"
				run={() => remove(leaving?.id ?? '')}
			/>
		</>
	)
}

function describeView({ read, filter }: SavedView): string {
	const conditions = Object.entries(filter).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
	return [read, ...conditions].join(' · ')
}
