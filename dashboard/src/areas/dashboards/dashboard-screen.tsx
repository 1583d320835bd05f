import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { defaultRange, isRelative, type TimeRange } from '../../lib/time-range.ts'
import { Button, buttonClass, IconButton } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Switch } from '../../ui/controls.tsx'
import { useKeptDraft } from '../../ui/kept-draft.ts'
import { parentLink } from '../../ui/link.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { AddPanelDialog } from './add-panel-dialog.tsx'
import type { DashboardSearch } from './dashboard-search.ts'
import { PanelView } from './panel-view.tsx'
import {
	type Dashboard,
	movePanel,
	type Panel,
	placePanel,
	resizePanel,
	sizeOf,
	templates,
} from './panels.ts'
import { dashboardQuery, refreshDashboards } from './queries.ts'

const route = getRouteApi('/_app/dashboards/$dashboardId')

/** Several views next to each other, over the same range. */
export function DashboardScreen() {
	const { dashboardId } = route.useParams()
	const template = templates.find(({ id }) => id === dashboardId)
	const { data, error, refetch } = useQuery({ ...dashboardQuery(dashboardId), enabled: !template })
	if (template) return <Shown dashboard={template} version={null} isTemplate />
	if (data) return <Shown key={dashboardId} {...data} isTemplate={false} />
	return (
		<Page title="Dashboard">
			{error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={8} />}
		</Page>
	)
}

type Shownable = Pick<Dashboard, 'id' | 'name' | 'description' | 'panels'>

/** Unsaved panels, and the version of the dashboard on which they are based. */
interface Draft {
	panels: Panel[]
	version: string | null
}

interface ShownProps {
	dashboard: Shownable
	version: string | null
	isTemplate: boolean
}

function Shown({ dashboard, version, isTemplate }: ShownProps) {
	const { edit, compare, ...search } = route.useSearch()
	const navigate = route.useNavigate()
	const canEdit = useCan('questions:write') && !isTemplate
	const [draft, setDraft] = useKeptDraft<Draft>(`dashboard ${dashboard.id}`)
	const change = (panels: Panel[]) => setDraft({ panels, version: draft ? draft.version : version })
	const [isAdding, setIsAdding] = useState(false)
	const panels = draft?.panels ?? dashboard.panels
	const range: TimeRange = { ...defaultRange, ...search }
	const go = (next: { [field in keyof DashboardSearch]: DashboardSearch[field] | undefined }) =>
		void navigate({ search: (old) => clean({ ...old, ...next }), replace: true })
	const setRange = (next: TimeRange) =>
		void navigate({ search: ({ start: _start, end: _end, ...old }) => ({ ...old, ...next }) })
	const isEditing = canEdit && edit === true
	return (
		<Page
			wide
			title={dashboard.name}
			above={
				<Link to="/dashboards" {...parentLink}>
					Dashboards
				</Link>
			}
			description={dashboard.description}
			actions={
				<>
					<span className="flex items-center gap-2 text-ink-2">
						<Switch
							label="Compare to previous period"
							checked={compare === true}
							onChange={(on) => go({ compare: on || undefined })}
						/>
						Compare
					</span>
					{!isRelative(range) && (
						<Button variant="ghost" onClick={() => setRange({ ...defaultRange })}>
							Reset zoom
						</Button>
					)}
					<RangePicker range={range} onChange={setRange} />
					{isTemplate && (
						<Link to="/dashboards" search={{ copy: dashboard.id }} className={buttonClass('primary')}>
							Copy
						</Link>
					)}
					{canEdit && !isEditing && <Button onClick={() => go({ edit: true })}>Edit</Button>}
				</>
			}
		>
			{isEditing && (
				<EditBar
					dashboard={dashboard}
					draft={draft}
					onAdd={() => setIsAdding(true)}
					onDone={() => {
						setDraft(null)
						go({ edit: undefined })
					}}
				/>
			)}
			{panels.length === 0 ? (
				<Empty
					icon="matrix"
					title="No panels yet"
					action={
						canEdit && (
							<Button
								variant="primary"
								icon="plus"
								onClick={() => {
									go({ edit: true })
									setIsAdding(true)
								}}
							>
								Add panel
							</Button>
						)
					}
				>
					Add saved views here, or choose “Add to dashboard” on any chart.
				</Empty>
			) : (
				<ul aria-label="Panels" className="grid grid-cols-12 gap-4">
					{panels.map((panel) => (
						<PanelFrame key={panel.id} panel={panel} panels={panels} isEditing={isEditing} onChange={change}>
							<PanelView panel={panel} range={range} compare={compare === true} onZoom={setRange} />
						</PanelFrame>
					))}
				</ul>
			)}
			<AddPanelDialog
				open={isAdding}
				onClose={() => setIsAdding(false)}
				onAdd={(panel) => change([...panels, panel])}
			/>
		</Page>
	)
}

/** Removes parameters that are not set. */
function clean(search: object): DashboardSearch {
	return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
}

interface EditBarProps {
	dashboard: Shownable
	draft: Draft | null
	onAdd(): void
	/** Called when nothing is left to be saved. */
	onDone(): void
}

function EditBar({ dashboard, draft, onAdd, onDone }: EditBarProps) {
	const queries = useQueryClient()
	const navigate = route.useNavigate()
	const [isDeleting, setIsDeleting] = useState(false)
	const params = { path: { id: dashboard.id } }
	const save = useMutation({
		// A concurrent change by somebody else is not overwritten: the draft is kept, and the error says so.
		mutationFn: async () =>
			draft &&
			unwrap(
				api.PATCH('/v1/dashboards/{id}', {
					params,
					body: { panels: draft.panels },
					headers: { 'if-match': draft.version ?? '*' },
				}),
			),
		onSuccess: async () => {
			await refreshDashboards(queries)
			toast('Saved')
			onDone()
		},
		onError: () => refreshDashboards(queries),
	})
	const remove = async () => {
		await unwrap(api.DELETE('/v1/dashboards/{id}', { params }))
		await refreshDashboards(queries)
		await navigate({ to: '/dashboards', search: {} })
	}
	return (
		<div className="mb-4 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2">
			<p className="mr-auto text-ink-2">
				{draft
					? 'Not saved yet'
					: 'Drag a panel by its handle, or focus the handle: arrow keys move, Shift and arrow keys resize'}
			</p>
			<Button icon="plus" onClick={onAdd}>
				Add panel
			</Button>
			<IconButton icon="trash" label={`Delete ${dashboard.name}`} onClick={() => setIsDeleting(true)} />
			<Button onClick={onDone}>{draft ? 'Discard' : 'Done'}</Button>
			{draft && (
				<Button variant="primary" busy={save.isPending} onClick={() => save.mutate()}>
					Save
				</Button>
			)}
			{save.error && <InlineError error={save.error} />}
			<Confirm
				open={isDeleting}
				onClose={() => setIsDeleting(false)}
				title={`Delete ${dashboard.name}?`}
				text="It is removed for everyone in the workspace. Its saved views are kept."
				action="Delete dashboard"
				run={remove}
			/>
		</div>
	)
}

const spans: Record<number, string> = {
	3: 'md:col-span-6 xl:col-span-3',
	4: 'md:col-span-6 xl:col-span-4',
	6: 'lg:col-span-6',
	8: 'lg:col-span-8',
	12: '',
}

interface PanelFrameProps {
	panel: Panel
	panels: readonly Panel[]
	isEditing: boolean
	onChange(panels: Panel[]): void
	children: ReactNode
}

/**
 * A panel with its handles. It is moved by dragging it onto another panel and resized at its corner; both are also possible with keys.
 */
function PanelFrame({ panel, panels, isEditing, onChange, children }: PanelFrameProps) {
	const frame = useRef<HTMLLIElement>(null)
	const replace = (next: Panel) => onChange(panels.map((one) => (one.id === next.id ? next : one)))
	const onKey = (event: KeyboardEvent) => {
		const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key]
		if (step === undefined) return
		event.preventDefault()
		const isAcross = event.key === 'ArrowLeft' || event.key === 'ArrowRight'
		if (event.shiftKey) replace(resizePanel(panel, isAcross ? { wider: step } : { taller: step }))
		else onChange(movePanel(panels, panel.id, step))
	}
	const resize = (down: PointerEvent<HTMLButtonElement>) => {
		const box = frame.current?.getBoundingClientRect()
		const row = frame.current?.parentElement?.clientWidth ?? 1
		if (!box) return
		down.currentTarget.setPointerCapture(down.pointerId)
		down.currentTarget.onpointermove = ({ clientX, clientY }) =>
			replace(sizeOf(panel, (clientX - box.left) / row, clientY - box.top - 90))
		down.currentTarget.onpointerup = ({ currentTarget }) => {
			;(currentTarget as HTMLElement).onpointermove = null
		}
	}
	return (
		<li
			ref={frame}
			className={cn('col-span-12 min-w-0', spans[panel.width] ?? 'lg:col-span-6')}
			onDragOver={(event) => isEditing && event.preventDefault()}
			onDrop={(event) => {
				const moved = event.dataTransfer.getData('text/plain')
				const place = panels.findIndex(({ id }) => id === panel.id)
				if (isEditing && moved) onChange(placePanel(panels, moved, place))
			}}
		>
			<section
				aria-label={`Panel: ${panel.title}`}
				className="relative flex h-full flex-col rounded-xl border border-line bg-surface"
			>
				<header className="flex min-h-11 items-center gap-2 border-b border-line py-1.5 pr-2 pl-4">
					<h2 className="min-w-0 flex-1 truncate font-semibold" title={panel.title}>
						{panel.title}
					</h2>
					{isEditing && (
						<>
							<IconButton
								icon="menu"
								label={`Move or resize ${panel.title}`}
								draggable
								className="cursor-grab"
								onDragStart={(event) => event.dataTransfer.setData('text/plain', panel.id)}
								onKeyDown={onKey}
							/>
							<IconButton
								icon="close"
								label={`Remove ${panel.title}`}
								onClick={() => onChange(panels.filter(({ id }) => id !== panel.id))}
							/>
						</>
					)}
				</header>
				<div className="min-w-0 flex-1 p-3">{children}</div>
				{isEditing && (
					<button
						type="button"
						tabIndex={-1}
						aria-hidden="true"
						onPointerDown={resize}
						className="absolute right-0 bottom-0 size-5 cursor-nwse-resize touch-none rounded-br-xl border-r-2 border-b-2 border-field"
					/>
				)}
			</section>
		</li>
	)
}
