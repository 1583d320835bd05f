import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { spotlightViewsQuery } from '../saved-views/queries.ts'
import { breakdowns } from '../spotlight/breakdowns.ts'
import { groupLabels, measureLabels, newPanel, type Panel } from './panels.ts'

interface AddPanelDialogProps {
	open: boolean
	onClose(): void
	onAdd(panel: Panel): void
}

export function AddPanelDialog({ open, onClose, onAdd }: AddPanelDialogProps) {
	return (
		<Dialog open={open} onClose={onClose} title="Add panel">
			<PanelForm
				onCancel={onClose}
				onAdd={(panel) => {
					onAdd(panel)
					onClose()
				}}
			/>
		</Dialog>
	)
}

const shows: Record<Panel['show'], string> = {
	chart: 'Chart over time',
	list: 'Top list',
	figures: 'Summary',
}
const lists = breakdowns.filter(({ by }) => by !== 'usage')

function PanelForm({ onAdd, onCancel }: { onAdd(panel: Panel): void; onCancel(): void }) {
	const { data } = useQuery(spotlightViewsQuery)
	const [title, setTitle] = useState('')
	const [viewId, setViewId] = useState('')
	const [show, setShow] = useState<Panel['show']>('chart')
	const [measure, setMeasure] = useState<Panel['measure']>('calls')
	const [group, setGroup] = useState<NonNullable<Panel['group_by']> | ''>('')
	const [read, setRead] = useState('tools')
	const view = data?.questions.find(({ id }) => id === viewId)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onAdd(
			newPanel({
				title: title.trim() || (view?.name ?? ''),
				question_id: viewId || null,
				show,
				measure,
				group_by: show === 'chart' && group !== '' ? group : null,
				read: (view?.read ?? (show === 'list' ? read : 'overview')) as Panel['read'],
			}),
		)
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<ChoiceField
				label="View"
				value={viewId}
				choices={{
					'': 'All calls',
					...Object.fromEntries((data?.questions ?? []).map(({ id, name }) => [id, name])),
				}}
				onChange={setViewId}
			/>
			<ChoiceField<Panel['show']> label="Show" value={show} choices={shows} onChange={setShow} />
			{show !== 'figures' && (
				<ChoiceField<Panel['measure']>
					label={show === 'list' ? 'Sorted by' : 'Measure'}
					value={measure}
					choices={measureLabels}
					onChange={setMeasure}
				/>
			)}
			{show === 'chart' && (
				<ChoiceField<NonNullable<Panel['group_by']> | ''>
					label="Stacked by"
					value={group}
					choices={{ '': 'Nothing', ...groupLabels }}
					onChange={setGroup}
				/>
			)}
			{show === 'list' && !view && (
				<ChoiceField
					label="List of"
					value={read}
					choices={Object.fromEntries(lists.map(({ by, label }) => [by, label]))}
					onChange={setRead}
				/>
			)}
			<Field label="Title" optional>
				{(field) => (
					<Input
						{...field}
						maxLength={100}
						value={title}
						onChange={(event) => setTitle(event.target.value)}
					/>
				)}
			</Field>
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary">
					Add panel
				</Button>
			</DialogActions>
		</form>
	)
}
