import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { timeZone } from '../../lib/time-zone.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { amountsOf, type BudgetDraft, BudgetFields } from './budget-fields.tsx'
import { periods } from './describe-budget.ts'
import { type Budget, type BudgetInput, refreshBudgets } from './queries.ts'

/** Creates a budget, which limits the cost of calls from now on. */
export function CreateBudgetDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	return (
		<Dialog
			open={open}
			onClose={onClose}
			title="Create a budget"
			description="Counting starts now. You can change the amount later, but not what is counted."
		>
			<CreateForm onClose={onClose} />
		</Dialog>
	)
}

const scopes = [
	['workspace', 'Entire workspace'],
	['agent', 'Agents'],
	['key', 'Keys'],
	['session', 'Sessions'],
	['user', 'Users'],
] as const satisfies readonly (readonly [Budget['scope'], string])[]

interface Counted {
	scope: Budget['scope']
	scope_id: string
	unit: Budget['unit']
	window: keyof typeof periods
}

const nothing: BudgetDraft = {
	name: '',
	amount: '',
	mode: 'hard',
	unpriced: 'deny',
	ceiling: '',
	contact: '',
}

function CreateForm({ onClose }: { onClose(): void }) {
	const queries = useQueryClient()
	const [draft, setDraft] = useState(nothing)
	const [counted, setCounted] = useState<Counted>({
		scope: 'agent',
		scope_id: '',
		unit: 'nano_usd',
		window: 'day',
	})
	const amounts = amountsOf(draft, counted.unit)
	const create = useMutation({
		mutationFn: (body: BudgetInput) => unwrap(api.POST('/v1/budgets', { body })),
		onSuccess: async () => {
			await refreshBudgets(queries)
			toast('Created')
			onClose()
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (!amounts) return
		const { name, mode, unpriced, contact } = draft
		create.mutate({
			...{ name: name.trim(), mode, unpriced, contact: contact.trim(), ...amounts },
			...{ ...counted, scope_id: counted.scope_id.trim() || null },
			time_zone: timeZone,
		})
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<CountedFields counted={counted} onChange={setCounted} />
			<BudgetFields draft={draft} unit={counted.unit} onChange={setDraft} />
			{create.error && <InlineError error={create.error} />}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button
					type="submit"
					variant="primary"
					busy={create.isPending}
					disabled={amounts === null || draft.name.trim() === ''}
				>
					Create budget
				</Button>
			</DialogActions>
		</form>
	)
}

function CountedFields({ counted, onChange }: { counted: Counted; onChange(counted: Counted): void }) {
	const set = (change: Partial<Counted>) => onChange({ ...counted, ...change })
	return (
		<div className="grid gap-4 sm:grid-cols-2">
			<Field label="Scope">
				{(field) => (
					<Select
						{...field}
						value={counted.scope}
						onChange={(event) => set({ scope: event.target.value as Budget['scope'], scope_id: '' })}
					>
						{scopes.map(([scope, label]) => (
							<option key={scope} value={scope}>
								{label}
							</option>
						))}
					</Select>
				)}
			</Field>
			{counted.scope !== 'workspace' && (
				<WhichOne counted={counted} onChange={(scope_id) => set({ scope_id })} />
			)}
			<Field label="Period">
				{(field) => (
					<Select
						{...field}
						value={counted.window}
						onChange={(event) => set({ window: event.target.value as Counted['window'] })}
					>
						{Object.entries(periods).map(([window, label]) => (
							<option key={window} value={window}>
								{label}
							</option>
						))}
					</Select>
				)}
			</Field>
			<Field label="Unit">
				{(field) => (
					<Select
						{...field}
						value={counted.unit}
						onChange={(event) => set({ unit: event.target.value as Budget['unit'] })}
					>
						<option value="nano_usd">Dollars</option>
						<option value="tokens">Tokens</option>
					</Select>
				)}
			</Field>
		</div>
	)
}

function WhichOne({ counted, onChange }: { counted: Counted; onChange(id: string): void }) {
	const { data } = useQuery({ ...allAgentsQuery, enabled: counted.scope === 'agent' })
	return (
		<Field label={`Which ${counted.scope}`}>
			{(field) =>
				counted.scope === 'agent' ? (
					<Select {...field} value={counted.scope_id} onChange={(event) => onChange(event.target.value)}>
						<option value="">Per agent</option>
						{(data?.agents ?? []).map(({ uuid, name }) => (
							<option key={uuid} value={uuid}>
								{name}
							</option>
						))}
					</Select>
				) : (
					<Input
						{...field}
						placeholder={`Per ${counted.scope}`}
						value={counted.scope_id}
						onChange={(event) => onChange(event.target.value)}
					/>
				)
			}
		</Field>
	)
}
