import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, changeShown, unwrap } from '../../api.ts'
import { DeletePanel, EnabledPanel, FormPanel } from '../../ui/settings-panels.tsx'
import { toast } from '../../ui/toast.tsx'
import { changedFields, hasFields, useDraft } from '../../ui/use-draft.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { draftOf, inputOf } from './forwarder-draft.ts'
import { ForwarderFields } from './forwarder-fields.tsx'
import { type Forwarder, type ForwarderChange, refreshForwarders } from './queries.ts'

export function ForwarderSettings({ forwarder }: { forwarder: Forwarder }) {
	const queries = useQueryClient()
	const canChange = useCan('forwarders:write')
	const change = useMutation({
		mutationFn: (body: ForwarderChange) =>
			changeShown('/v1/forwarders/{id}', { id: forwarder.id }, forwarder, body),
		onSuccess: () => {
			toast('Saved')
			return refreshForwarders(queries)
		},
	})
	return (
		<>
			<RoleHint needs="forwarders:write" what="change a forwarder" />
			<EnabledPanel
				label="Forwarder is in use"
				text={
					forwarder.enabled
						? 'What is stored is sent.'
						: 'Nothing is sent while it is off. It resumes where it stopped.'
				}
				enabled={forwarder.enabled}
				disabled={!canChange}
				onChange={(enabled) => change.mutate({ enabled })}
			/>
			<Details forwarder={forwarder} disabled={!canChange} change={change} />
			<DeleteForwarder forwarder={forwarder} disabled={!canChange} />
		</>
	)
}

interface DetailsProps {
	forwarder: Forwarder
	disabled: boolean
	change: Pick<UseMutationResult<unknown, Error, ForwarderChange>, 'mutate' | 'isPending' | 'error'>
}

function Details({ forwarder, disabled, change }: DetailsProps) {
	const edited = useDraft(draftOf(forwarder), `forwarder ${forwarder.id}`)
	const { draft, setDraft, reset } = edited
	const input = inputOf(draft, forwarder.filter)
	const changed = input ? changedFields(input, inputOf(draftOf(forwarder), forwarder.filter) ?? {}) : {}
	return (
		<FormPanel
			title="Details"
			busy={change.isPending}
			edited={edited}
			disabled={disabled || !hasFields(changed)}
			error={change.error}
			onSave={() => change.mutate(changed, { onSuccess: reset })}
		>
			<ForwarderFields
				value={draft}
				onChange={setDraft}
				disabled={disabled}
				stored={forwarder.header_names}
			/>
		</FormPanel>
	)
}

function DeleteForwarder({ forwarder, disabled }: { forwarder: Forwarder; disabled: boolean }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const remove = async () => {
		await unwrap(api.DELETE('/v1/forwarders/{id}', { params: { path: { id: forwarder.id } } }))
		await navigate({ to: '/forwarders' })
		await refreshForwarders(queries)
	}
	return (
		<DeletePanel
			what="forwarder"
			name={forwarder.name}
			note="Data already sent is not affected."
			text="Its position is lost. A new forwarder starts from the beginning."
			disabled={disabled}
			run={remove}
		/>
	)
}
