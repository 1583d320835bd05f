import { useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { EditForm } from '../../ui/edit-form.tsx'
import { changedFields, hasFields, useDraft } from '../../ui/use-draft.ts'
import { useSave } from '../../ui/use-save.ts'
import { blankHook, type HookDraft, hookDraftOf, hookInputOf, stagesOf } from './hook-draft.ts'
import { HookFields } from './hook-fields.tsx'
import { changeHook, type Hook, type HookInput, refreshHooks } from './queries.ts'
import { ReachFields } from './reach-fields.tsx'

interface HookFormProps {
	/** Null for a new one. */
	hook: Hook | null
	canChange: boolean
	/** Called with the secret of a webhook that is new, or whose address has changed its origin. */
	onSecret(secret: string): void
	onSaved(): void
	onCancel(): void
}

export function HookForm({ hook, canChange, onSecret, onSaved, onCancel }: HookFormProps) {
	const queries = useQueryClient()
	const stored = hook ? hookDraftOf(hook) : blankHook
	const edited = useDraft<HookDraft>(stored)
	const { draft, setDraft } = edited
	const set = (fields: Partial<HookDraft>) => setDraft({ ...draft, ...fields })
	const change = changedFields(hookInputOf(draft), hookInputOf(stored))
	const save = useSave({
		isNew: hook === null,
		send: (body: HookInput) => (hook ? changeHook(hook, change) : unwrap(api.POST('/v1/hooks', { body }))),
		refresh: () => refreshHooks(queries),
		onSaved: ({ secret }) => (secret ? onSecret(secret) : onSaved()),
	})
	return (
		<EditForm
			what="hook"
			isNew={hook === null}
			mayEdit={canChange}
			edited={edited}
			isComplete={stagesOf(draft.action, draft.stages).length > 0 && (hook === null || hasFields(change))}
			save={save}
			onSave={() => save.mutate(hookInputOf(draft))}
			onCancel={onCancel}
		>
			<HookFields draft={draft} set={set} isNew={hook === null} />
			<ReachFields draft={draft} set={set} />
		</EditForm>
	)
}
