import { Suspense, useContext, useState } from 'react'
import { moveColumn, SavedViewsOf, shownColumns, type TableView, writeColumns } from '../lib/table-view.ts'
import { Button, IconButton } from './button.tsx'
import { CheckLine } from './controls.tsx'
import { Dialog } from './dialog.tsx'
import { Input } from './field.tsx'
import { Segmented } from './segmented.tsx'

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

/** The visible columns of a table with their order and width, the row height, and the saved views. */
export function ViewDialog({ columns, onClose, ...given }: ViewDialogProps) {
	// The address is updated with a delay; clicks in the meantime must not be based on the previous view.
	const [view, setView] = useState(given.view)
	const onView = (next: TableView) => {
		setView(next)
		given.onView(next)
	}
	const SavedViews = useContext(SavedViewsOf)
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
			<Suspense>
				<SavedViews onClose={onClose} />
			</Suspense>
		</Dialog>
	)
}
