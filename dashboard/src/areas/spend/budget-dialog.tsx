import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, changeShown, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Switch } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { changedFields, hasFields, useDraft } from '../../ui/use-draft.ts'
import { allAgentsQuery } from '../agents/queries.ts'
import { useCan } from '../identity/session.ts'
import { amountsOf, type BudgetDraft, BudgetFields } from './budget-fields.tsx'
import { describeScope, typedAmount } from './describe-budget.ts'
import { type Budget, type BudgetChange, refreshBudgets, spendingQuery } from './queries.ts'
import { StateBar } from './state-bar.tsx'

/** One budget: how much of it each has spent, and the settings that can be changed. */
export function BudgetDialog({ budget, onClose }: { budget: Budget; onClose(): void }) {
	const [tab, setTab] = useState<'spending' | 'settings'>('spending')
	// Here, so that it outlives the tab and ends with the dialog.
	const edited = useDraft(draftOf(budget))
	const settings = <Settings budget={budget} edited={edited} onClose={onClose} />
	return (
		<Dialog open onClose={onClose} title={budget.name} description={describeScope(budget)} wide>
			<Tabs<'spending' | 'settings'>
				label="Budget"
				value={tab}
				onChange={setTab}
				tabs={[
					{ value: 'spending', label: 'Spending', content: <Spending budget={budget} /> },
					{ value: 'settings', label: 'Settings', content: settings },
				]}
			/>
		</Dialog>
	)
}

function Spending({ budget }: { budget: Budget }) {
	const { data, error } = useQuery(spendingQuery(budget.id))
	const { data: agents } = useQuery({ ...allAgentsQuery, enabled: budget.scope === 'agent' })
	const nameOf = (id: string | null) =>
		agents?.agents.find(({ uuid }) => uuid === id)?.name ?? id ?? 'Entire workspace'
	if (error) return <InlineError error={error} />
	if (!data) return <SkeletonRows />
	if (data.spending.length === 0) return <p className="text-ink-3">No spend in the current period.</p>
	return (
		<ul className="grid gap-3">
			{data.spending.map(({ scope_id, state }) => (
				<li key={scope_id}>
					<span className="mb-1 block truncate font-medium">{nameOf(scope_id)}</span>
					<StateBar state={state} limit={budget.limit} unit={budget.unit} />
				</li>
			))}
		</ul>
	)
}

type SettingsDraft = BudgetDraft & { enabled: boolean }

function draftOf(budget: Budget): SettingsDraft {
	const { name, mode, unpriced, contact, enabled, unit, unpriced_ceiling: ceiling } = budget
	return {
		...{ name, mode, unpriced, contact, enabled, amount: typedAmount(budget.limit, unit) },
		ceiling: ceiling ? typedAmount(ceiling, unit) : '',
	}
}

/** The draft in the form of the API; null while an amount is missing. */
function inputOf(draft: SettingsDraft, unit: Budget['unit']) {
	const amounts = amountsOf(draft, unit)
	const { amount: _amount, ceiling: _ceiling, ...same } = draft
	return amounts && { ...same, ...amounts }
}

interface SettingsProps {
	budget: Budget
	edited: ReturnType<typeof useDraft<SettingsDraft>>
	onClose(): void
}

function Settings({ budget, edited, onClose }: SettingsProps) {
	const canChange = useCan('budgets:write')
	const queries = useQueryClient()
	const { unit } = budget
	const { draft, setDraft } = edited
	const [isDeleting, setIsDeleting] = useState(false)
	const path = { id: budget.id }
	const save = useMutation({
		mutationFn: (body: BudgetChange) => changeShown('/v1/budgets/{id}', path, budget, body),
		onSuccess: async () => {
			await refreshBudgets(queries)
			toast('Saved')
			edited.reset()
			onClose()
		},
	})
	const input = inputOf(draft, unit)
	const change = input ? changedFields(input, inputOf(draftOf(budget), unit) ?? {}) : {}
	const submit = (event: FormEvent) => {
		event.preventDefault()
		save.mutate(change)
	}
	const remove = async () => {
		await unwrap(api.DELETE('/v1/budgets/{id}', { params: { path } }))
		await refreshBudgets(queries)
		toast('Deleted')
		onClose()
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<fieldset disabled={!canChange} className="grid gap-4">
				<legend className="sr-only">Settings</legend>
				<span className="flex items-center justify-between font-medium">
					On
					<Switch
						label="On"
						checked={draft.enabled}
						disabled={!canChange}
						onChange={(enabled) => setDraft({ ...draft, enabled })}
					/>
				</span>
				<BudgetFields
					draft={draft}
					unit={unit}
					onChange={(typed) => setDraft({ ...typed, enabled: draft.enabled })}
				/>
			</fieldset>
			{!save.isPending && <OvertakenNotice edited={edited} />}
			{save.error && <InlineError error={save.error} />}
			<DialogActions>
				<Button variant="danger" icon="trash" disabled={!canChange} onClick={() => setIsDeleting(true)}>
					Delete
				</Button>
				{edited.isChanged && !save.isPending && <Button onClick={edited.reset}>Undo</Button>}
				<Button
					type="submit"
					variant="primary"
					busy={save.isPending}
					disabled={!canChange || !hasFields(change)}
				>
					Save
				</Button>
			</DialogActions>
			<Confirm
				open={isDeleting}
				onClose={() => setIsDeleting(false)}
				title={`Delete ${budget.name}?`}
				text="Its counters are deleted, and it no longer limits calls."
				action="Delete budget"
				run={remove}
			/>
		</form>
	)
}
