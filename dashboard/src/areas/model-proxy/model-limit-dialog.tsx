import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, changeShown, unwrap } from '../../api.ts'
import { Switch } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EditForm } from '../../ui/edit-form.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { changedFields, hasFields, useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { useCan } from '../identity/session.ts'
import { type LimitScope, LimitScopeFields } from './limit-scope-fields.tsx'
import { type ModelLimit, type ModelLimitInput, refreshModelLimits } from './queries.ts'

/** Creates a limit of model calls, or changes one; whose calls it counts cannot be changed. */
export function ModelLimitDialog({ limit, onClose }: { limit: ModelLimit | null; onClose(): void }) {
	return (
		<Dialog
			open
			onClose={onClose}
			title={limit ? `Change ${limit.name}` : 'Create a limit'}
			description="Further calls are refused, and the client is told when to retry."
		>
			<LimitForm limit={limit} onClose={onClose} />
		</Dialog>
	)
}

const amounts = [
	['requests_per_minute', 'Requests per minute', 1_000_000],
	['tokens_per_minute', 'Tokens per minute', 1_000_000_000],
	['concurrency', 'Concurrent calls', 10_000],
] as const
type Amount = (typeof amounts)[number][0]
/** Amounts as typed; an empty one is no limit. */
type LimitDraft = Record<Amount, string> & Pick<ModelLimit, 'name' | 'enabled'>

function draftOf(limit: ModelLimit | null): LimitDraft {
	return {
		name: limit?.name ?? '',
		enabled: limit?.enabled ?? true,
		requests_per_minute: String(limit?.requests_per_minute ?? ''),
		tokens_per_minute: String(limit?.tokens_per_minute ?? ''),
		concurrency: String(limit?.concurrency ?? ''),
	}
}

function inputOf({ name, enabled, ...typed }: LimitDraft) {
	const amountOf = (amount: Amount) => (typed[amount] === '' ? null : Number(typed[amount]))
	return {
		...{ name: name.trim(), enabled },
		requests_per_minute: amountOf('requests_per_minute'),
		tokens_per_minute: amountOf('tokens_per_minute'),
		concurrency: amountOf('concurrency'),
	}
}

function LimitForm({ limit, onClose }: { limit: ModelLimit | null; onClose(): void }) {
	const canChange = useCan('budgets:write')
	const queries = useQueryClient()
	const stored = draftOf(limit)
	const edited = useDraft(stored)
	const { draft } = edited
	const set = (change: Partial<LimitDraft>) => edited.setDraft({ ...draft, ...change })
	const [counted, setCounted] = useState<LimitScope>({ scope: 'agent', scope_id: '' })
	const changed = changedFields(inputOf(draft), inputOf(stored))
	const save = useSave({
		isNew: limit === null,
		send: (settings: Omit<ModelLimitInput, 'scope' | 'scope_id'>) => {
			if (limit) return changeShown('/v1/model-limits/{id}', { id: limit.id }, limit, changed)
			const body = { ...settings, scope: counted.scope, scope_id: counted.scope_id || null }
			return unwrap(api.POST('/v1/model-limits', { body }))
		},
		refresh: () => refreshModelLimits(queries),
		onSaved: onClose,
	})
	const isEmpty = amounts.every(([amount]) => draft[amount] === '')
	return (
		<EditForm
			what="limit"
			isNew={limit === null}
			mayEdit={canChange}
			edited={edited}
			isComplete={!isEmpty && (limit === null || hasFields(changed))}
			save={save}
			onSave={() => save.mutate(inputOf(draft))}
			onCancel={onClose}
		>
			<NameField value={draft.name} onChange={(name) => set({ name })} />
			{!limit && <LimitScopeFields counted={counted} onChange={setCounted} />}
			<div className="grid gap-3 sm:grid-cols-2">
				{amounts.map(([amount, label, max]) => (
					<Field key={amount} label={label} optional>
						{(field) => (
							<Input
								{...field}
								type="number"
								min={1}
								max={max}
								placeholder="no limit"
								value={draft[amount]}
								onChange={(event) => set({ [amount]: event.target.value })}
							/>
						)}
					</Field>
				))}
			</div>
			{limit && (
				<span className="flex items-center justify-between font-medium">
					On
					<Switch
						label="On"
						checked={draft.enabled}
						disabled={!canChange}
						onChange={(enabled) => set({ enabled })}
					/>
				</span>
			)}
		</EditForm>
	)
}
