import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, changeShown, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { Panel as Box, Page } from '../../ui/page.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useCan } from '../identity/session.ts'
import type { PanelSeed } from './dashboard-search.ts'
import { type Dashboard, newPanel, type Panel, panelOfSeed, templates } from './panels.ts'
import { dashboardsQuery, refreshDashboards } from './queries.ts'

const route = getRouteApi('/_app/dashboards/')

/** Which views belong together? */
export function DashboardsScreen() {
	const { create, copy, add } = route.useSearch()
	const navigate = route.useNavigate()
	const { data, error, refetch } = useQuery(dashboardsQuery)
	const close = () => void navigate({ search: {}, replace: true })
	const template = templates.find(({ id }) => id === copy)
	return (
		<Page
			title="Dashboards"
			description="Charts and lists on one page, shared with everyone in the workspace."
			actions={
				<Button
					variant="primary"
					icon="plus"
					disabled={!useCan('questions:write')}
					onClick={() => void navigate({ search: { create: true } })}
				>
					Create dashboard
				</Button>
			}
		>
			<Box flush>
				{error && !data ? (
					<ErrorState error={error} retry={() => void refetch()} />
				) : !data ? (
					<SkeletonRows />
				) : (
					<DashboardTable dashboards={data.dashboards} />
				)}
			</Box>
			<Dialog
				open={create === true || template !== undefined}
				onClose={close}
				title={template ? `Copy ${template.name}` : 'Create dashboard'}
			>
				<CreateForm template={template} onCancel={close} />
			</Dialog>
			<Dialog open={add !== undefined} onClose={close} title="Add to dashboard">
				{add && <AddForm seed={add} dashboards={data?.dashboards ?? []} onCancel={close} />}
			</Dialog>
		</Page>
	)
}

function DashboardTable({ dashboards }: { dashboards: readonly Dashboard[] }) {
	return (
		<Table label="Dashboards">
			<thead>
				<tr>
					<Th>Dashboard</Th>
					<Th right>Panels</Th>
					<Th right>Changed</Th>
				</tr>
			</thead>
			<tbody>
				{[...dashboards, ...templates].map(({ id, name, description, panels, ...rest }) => (
					<Row key={id}>
						<Td className="min-w-56">
							<Link
								to="/dashboards/$dashboardId"
								params={{ dashboardId: id }}
								className="font-medium hover:underline"
							>
								{name}
							</Link>{' '}
							{!('updated_at' in rest) && (
								<Badge tone="idle" icon={null}>
									built-in
								</Badge>
							)}
							{description && <span className="block text-xs text-ink-3">{description}</span>}
						</Td>
						<Td right>{panels.length}</Td>
						<Td right className="text-ink-2">
							{'updated_at' in rest ? <Ago at={String(rest.updated_at)} /> : '–'}
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

function CreateForm({
	template,
	onCancel,
}: {
	template: (typeof templates)[number] | undefined
	onCancel(): void
}) {
	const queries = useQueryClient()
	const navigate = route.useNavigate()
	const [name, setName] = useState(template ? `${template.name} copy` : '')
	const create = useMutation({
		mutationFn: () => {
			// The panels of a copy get new ids.
			const panels = template?.panels.map(({ id: _id, ...panel }) => newPanel(panel)) ?? []
			const body = { name: name.trim(), panels, ...(template && { description: template.description }) }
			return unwrap(api.POST('/v1/dashboards', { body }))
		},
		onSuccess: async ({ id }) => {
			await refreshDashboards(queries)
			await navigate({ to: '/dashboards/$dashboardId', params: { dashboardId: id }, search: { edit: true } })
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		create.mutate()
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<NameField value={name} onChange={setName} />
			{create.error && <InlineError error={create.error} />}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={create.isPending} disabled={name.trim() === ''}>
					Create dashboard
				</Button>
			</DialogActions>
		</form>
	)
}

interface AddFormProps {
	seed: PanelSeed
	dashboards: readonly Dashboard[]
	onCancel(): void
}

/** Behind the panels that are stored now. */
async function addPanel(id: string, panel: Panel): Promise<Dashboard> {
	const stored = await unwrap(api.GET('/v1/dashboards/{id}', { params: { path: { id } } }))
	return changeShown('/v1/dashboards/{id}', { id }, stored, { panels: [...stored.panels, panel] })
}

/** Adds the content of a chart to an existing dashboard, or to a new one. */
function AddForm({ seed, dashboards, onCancel }: AddFormProps) {
	const queries = useQueryClient()
	const navigate = route.useNavigate()
	const [id, setId] = useState(dashboards[0]?.id ?? '')
	const [name, setName] = useState('My dashboard')
	const [title, setTitle] = useState(() => panelOfSeed(seed).title)
	const target = dashboards.find((dashboard) => dashboard.id === id)
	const add = useMutation({
		mutationFn: () => {
			const panel = { ...panelOfSeed(seed), title: title.trim() }
			if (!target) return unwrap(api.POST('/v1/dashboards', { body: { name: name.trim(), panels: [panel] } }))
			return addPanel(target.id, panel)
		},
		onSuccess: async (saved) => {
			await refreshDashboards(queries)
			await navigate({ to: '/dashboards/$dashboardId', params: { dashboardId: saved.id }, search: {} })
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		add.mutate()
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<NameField value={title} onChange={setTitle} hint="Title of the panel" />
			<ChoiceField
				label="Dashboard"
				value={target ? id : ''}
				choices={{
					...Object.fromEntries(dashboards.map((dashboard) => [dashboard.id, dashboard.name])),
					'': 'New dashboard…',
				}}
				onChange={setId}
			/>
			{!target && <NameField value={name} onChange={setName} hint="Name of the new dashboard" />}
			{add.error && <InlineError error={add.error} />}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={add.isPending}>
					Add panel
				</Button>
			</DialogActions>
		</form>
	)
}
