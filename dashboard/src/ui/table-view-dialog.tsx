import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { moveColumn, shownColumns, type TableView, writeColumns } from '../lib/table-view.ts'
import { Button, IconButton } from './button.tsx'
import { CheckLine } from './controls.tsx'
import { Dialog } from './dialog.tsx'
import { Input } from './field.tsx'
import { Segmented } from './segmented.tsx'
import { toast } from './toast.tsx'

const densities = [
	{ value: 'comfortable', label: 'Comfortable' },
	{ value: 'compact', label: 'Compact' },
] as const

interface ViewDialogProps {
	columns: readonly { key: string; label: string; extra?: true }[]
	view: TableView
	onView(view: TableView): void
	onClose(): void
}

/** Which columns a table has, in which order and width, how close its rows stand, and the views that were saved. */
export function ViewDialog({ columns, onClose, ...given }: ViewDialogProps) {
	// The address follows a moment later; what is pressed meanwhile must not start from the view before.
	const [view, setView] = useState(given.view)
	const onView = (next: TableView) => {
		setView(next)
		given.onView(next)
	}
	const shown = shownColumns(columns, view)
	const hidden = columns.filter(({ key }) => !shown.some((one) => one.key === key))
	const set = (next: readonly { key: string; width?: number | undefined }[]) =>
		next.length > 0 && onView({ ...view, columns: writeColumns(next) })
	return (
		<Dialog open onClose={onClose} title="Columns & views">
			<ul aria-label="Columns" className="divide-y divide-line">
				{shown.map(({ key, label, width }, at) => (
					<li key={key} className="flex items-center gap-1">
						<span className="min-w-0 flex-1">
							<CheckLine label={label} checked onChange={() => set(shown.filter((one) => one.key !== key))}>
								{label}
							</CheckLine>
						</span>
						<Input
							type="number"
							aria-label={`Width of ${label} in pixels`}
							placeholder="Auto"
							min={60}
							max={900}
							step={20}
							value={width ?? ''}
							onChange={({ target }) =>
								set(
									shown.map((one) =>
										one.key === key ? { key, width: Number(target.value) || undefined } : one,
									),
								)
							}
							className="w-20!"
						/>
						<IconButton
							icon="down"
							small
							label={`Move ${label} up`}
							disabled={at === 0}
							onClick={() =>
								onView({ ...view, columns: moveColumn(columns, view, key, shown[at - 1]?.key ?? '') })
							}
							className="rotate-180"
						/>
						<IconButton
							icon="down"
							small
							label={`Move ${label} down`}
							disabled={at === shown.length - 1}
							onClick={() =>
								onView({ ...view, columns: moveColumn(columns, view, key, shown[at + 1]?.key ?? '') })
							}
						/>
					</li>
				))}
				{hidden.map((column) => (
					<li key={column.key}>
						<CheckLine label={column.label} checked={false} onChange={() => set([...shown, column])}>
							{column.label}
						</CheckLine>
					</li>
				))}
			</ul>
			<div className="mt-3 flex flex-wrap items-center justify-between gap-2">
				<Segmented
					label="Density"
					name="table-density"
					value={view.density ?? 'comfortable'}
					options={densities}
					onChange={(density) => {
						const { density: _, ...rest } = view
						onView(density === 'compact' ? { ...rest, density } : rest)
					}}
				/>
				<Button small icon="refresh" onClick={() => onView({})}>
					Reset table
				</Button>
			</div>
			<SavedViews onClose={onClose} />
		</Dialog>
	)
}

interface SavedView {
	name: string
	/** Of the address: filters, period, columns and all. */
	search: string
}

/** Views of one list in one workspace belong together. */
const keyOfPage = () => `views ${location.pathname}`

function savedViews(): SavedView[] {
	try {
		return JSON.parse(localStorage.getItem(keyOfPage()) ?? '[]') as SavedView[]
	} catch {
		return []
	}
}

/** The whole view is in its address, so that a link shares it; names for it are kept in this browser. */
function SavedViews({ onClose }: { onClose(): void }) {
	const router = useRouter()
	const [views, setViews] = useState(savedViews)
	const [name, setName] = useState('')
	const keep = (next: SavedView[]) => {
		setViews(next)
		try {
			localStorage.setItem(keyOfPage(), JSON.stringify(next))
		} catch {
			toast('This browser keeps no views. Copy the link instead.')
		}
	}
	const submit = (event: FormEvent) => {
		event.preventDefault()
		const wanted = name.trim()
		if (wanted === '') return
		keep([
			...views.filter((one) => one.name !== wanted),
			{ name: wanted, search: router.latestLocation.searchStr },
		])
		setName('')
	}
	const copyLink = () => void navigator.clipboard.writeText(location.href).then(() => toast('Link copied'))
	return (
		<section className="mt-4 border-t border-line pt-3">
			<div className="mb-2 flex items-center justify-between gap-2">
				<h3 className="font-semibold">Saved views</h3>
				<Button small icon="link" onClick={copyLink}>
					Copy link to this view
				</Button>
			</div>
			<ul aria-label="Saved views" className="divide-y divide-line">
				{views.map((view) => (
					<li key={view.name} className="flex items-center gap-2">
						<button
							type="button"
							onClick={() => {
								router.history.push(`${location.pathname}${view.search}`)
								onClose()
							}}
							className="min-h-8 min-w-0 flex-1 truncate text-left font-medium hover:underline"
						>
							{view.name}
						</button>
						<IconButton
							icon="trash"
							small
							label={`Delete view ${view.name}`}
							onClick={() => keep(views.filter((one) => one !== view))}
						/>
					</li>
				))}
			</ul>
			<form onSubmit={submit} className="mt-2 flex gap-2">
				<Input
					aria-label="Name of this view"
					placeholder="Name of this view"
					maxLength={80}
					value={name}
					onChange={(event) => setName(event.target.value)}
				/>
				<Button type="submit" disabled={name.trim() === ''}>
					Save view
				</Button>
			</form>
			<p className="mt-1 text-xs text-ink-3">
				Names are kept in this browser; the link works for everyone in the workspace.
			</p>
		</section>
	)
}
