import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, changeShown, unwrap } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EditForm } from '../../ui/edit-form.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { changedFields, hasFields, useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { useCan } from '../identity/session.ts'
import { type ModelRoute, type RouteInput, refreshRoutes } from './queries.ts'
import { draftOf, inputOf, newTarget, type RouteDraft } from './route-draft.ts'
import { strategyTexts } from './strategy-texts.ts'
import { TargetFields } from './target-fields.tsx'

/** Creates a route, or changes one. */
export function RouteDialog({ route, onClose }: { route: ModelRoute | null; onClose(): void }) {
	return (
		<Dialog
			open
			onClose={onClose}
			wide
			title={route ? `Change ${route.name}` : 'Create a route'}
			description="Clients call it like a connection. If one target fails, another answers."
		>
			<RouteForm route={route} onClose={onClose} />
		</Dialog>
	)
}

const blank = { strategy: 'ordered', retries: '1', firstToken: '', idle: '', total: '' } as const

function RouteForm({ route, onClose }: { route: ModelRoute | null; onClose(): void }) {
	const canChange = useCan('provider-keys:write')
	const queries = useQueryClient()
	// Targets get new keys each time.
	const stored = useMemo<RouteDraft>(
		() => (route ? draftOf(route) : { ...blank, name: '', targets: [newTarget(), newTarget()] }),
		[route],
	)
	const edited = useDraft(stored)
	const { draft, setDraft } = edited
	const set = (fields: Partial<RouteDraft>) => setDraft({ ...draft, ...fields })
	const change = changedFields(inputOf(draft), inputOf(stored))
	const save = useSave({
		isNew: route === null,
		send: (body: RouteInput) =>
			route
				? changeShown('/v1/routes/{id}', { id: route.id }, route, change)
				: unwrap(api.POST('/v1/routes', { body })),
		refresh: () => refreshRoutes(queries),
		onSaved: onClose,
	})
	return (
		<EditForm
			what="route"
			isNew={route === null}
			mayEdit={canChange}
			edited={edited}
			isComplete={route === null || hasFields(change)}
			save={save}
			onSave={() => save.mutate(inputOf(draft))}
			onCancel={onClose}
		>
			<Field label="Name" hint={`Clients call /proxy/${draft.name || 'name'}/…`}>
				{(field) => (
					<Input
						{...field}
						required
						readOnly={route !== null}
						pattern="[a-z0-9]+([_\-][a-z0-9]+)*"
						title="Lowercase letters and digits, with - or _ between them"
						maxLength={40}
						value={draft.name}
						onChange={(event) => set({ name: event.target.value })}
					/>
				)}
			</Field>
			<Field label="Strategy" hint={strategyTexts[draft.strategy].text}>
				{(field) => (
					<Select
						{...field}
						value={draft.strategy}
						onChange={(event) => set({ strategy: event.target.value as ModelRoute['strategy'] })}
					>
						{Object.entries(strategyTexts).map(([value, { label }]) => (
							<option key={value} value={value}>
								{label}
							</option>
						))}
					</Select>
				)}
			</Field>
			<TargetFields
				targets={draft.targets}
				weighted={draft.strategy === 'weighted'}
				onChange={(targets) => set({ targets })}
			/>
			<PatienceFields draft={draft} onChange={set} />
		</EditForm>
	)
}

const times = [
	['firstToken', 'Time limit for first content', 'no limit', 0.1],
	['idle', 'Next piece within', '300', 0.1],
	['total', 'Time limit for all attempts', 'no limit', 1],
] as const

interface PatienceProps {
	draft: RouteDraft
	onChange(change: Partial<RouteDraft>): void
}

function PatienceFields({ draft, onChange }: PatienceProps) {
	return (
		<div className="grid gap-3 sm:grid-cols-2">
			<Field label="Retries of one target">
				{(field) => (
					<Input
						{...field}
						required
						type="number"
						min={0}
						max={5}
						value={draft.retries}
						onChange={(event) => onChange({ retries: event.target.value })}
					/>
				)}
			</Field>
			{times.map(([name, label, placeholder, min]) => (
				<Field key={name} label={label} hint="Seconds" optional>
					{(field) => (
						<Input
							{...field}
							type="number"
							min={min}
							max={3600}
							step="any"
							placeholder={placeholder}
							value={draft[name]}
							onChange={(event) => onChange({ [name]: event.target.value })}
						/>
					)}
				</Field>
			))}
		</div>
	)
}
