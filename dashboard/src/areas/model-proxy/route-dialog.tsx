import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { type ModelRoute, type RouteInput, refreshRoutes } from './queries.ts'
import { draftOf, inputOf, newTarget, type RouteDraft } from './route-draft.ts'
import { strategyTexts } from './strategy-texts.ts'
import { TargetFields } from './target-fields.tsx'

/** Makes a route, or changes one. */
export function RouteDialog({ route, onClose }: { route: ModelRoute | null; onClose(): void }) {
	return (
		<Dialog
			open
			onClose={onClose}
			wide
			title={route ? `Change ${route.name}` : 'Create a route'}
			description="Clients call it like a connection. Failures of a target stay invisible as long as another one answers."
		>
			<RouteForm route={route} onClose={onClose} />
		</Dialog>
	)
}

const blank = { strategy: 'ordered', retries: '1', firstToken: '', idle: '', total: '' } as const

function RouteForm({ route, onClose }: { route: ModelRoute | null; onClose(): void }) {
	const isAdmin = useCan('admin')
	const queries = useQueryClient()
	const [draft, setDraft] = useState<RouteDraft>(() =>
		route ? draftOf(route) : { ...blank, name: '', targets: [newTarget(), newTarget()] },
	)
	const set = (change: Partial<RouteDraft>) => setDraft({ ...draft, ...change })
	const save = useMutation({
		mutationFn: (body: RouteInput) =>
			route
				? take(api.PATCH('/v1/routes/{id}', { params: { path: { id: route.id } }, body }))
				: take(api.POST('/v1/routes', { body })),
		onSuccess: async () => {
			await refreshRoutes(queries)
			toast(route ? 'Saved' : 'Created')
			onClose()
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		save.mutate(inputOf(draft))
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<fieldset disabled={!isAdmin} className="grid gap-4">
				<legend className="sr-only">Route</legend>
				<Field label="Name" hint={`Clients call /proxy/${draft.name || 'name'}/…`}>
					{(field) => (
						<Input
							{...field}
							required
							readOnly={route !== null}
							pattern="[a-z0-9]+([_\-][a-z0-9]+)*"
							title="Small letters and digits, with - or _ between them"
							maxLength={40}
							value={draft.name}
							onChange={(event) => set({ name: event.target.value })}
						/>
					)}
				</Field>
				<Field label="Which target is asked first" hint={strategyTexts[draft.strategy].text}>
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
			</fieldset>
			{save.error && <InlineError error={save.error} />}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button type="submit" variant="primary" busy={save.isPending} disabled={!isAdmin}>
					{route ? 'Save' : 'Create route'}
				</Button>
			</DialogActions>
		</form>
	)
}

const times = [
	['firstToken', 'First content within', 'no limit', 0.1],
	['idle', 'Next piece within', '300', 0.1],
	['total', 'All attempts within', 'no limit', 1],
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
