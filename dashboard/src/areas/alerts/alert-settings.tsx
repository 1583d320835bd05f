import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { DeletePanel, EnabledPanel, FormPanel } from '../../ui/settings-panels.tsx'
import { changedFields, hasFields, useDraft } from '../../ui/use-draft.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { AlertFields } from './alert-fields.tsx'
import { type AlertDraft, draftOf, settingsOf } from './alert-search.ts'
import { type Alert, refreshAlerts } from './queries.ts'
import { useChangeAlert } from './use-change-alert.ts'

export function AlertSettings({ alert }: { alert: Alert }) {
	const canChange = useCan('alerts:write')
	const change = useChangeAlert(alert)
	const edited = useDraft(draftOf(alert), `alert ${alert.id}`)
	const { draft, setDraft, reset } = edited
	const inputOf = ({ question_id, figure, condition, ...others }: AlertDraft) => ({
		...settingsOf({ question_id, figure, condition, ...others }, alert.kind),
		...(alert.kind === 'question' && { question_id, figure, condition }),
	})
	const changed = changedFields(inputOf(draft), inputOf(draftOf(alert)))
	return (
		<>
			<RoleHint needs="alerts:write" what="change an alert" />
			<EnabledPanel
				label="Alert is enabled"
				text={alert.enabled ? 'Enabled' : 'Disabled'}
				enabled={alert.enabled}
				disabled={!canChange}
				onChange={(enabled) => change.mutate({ enabled })}
			/>
			<FormPanel
				title="Settings"
				busy={change.isPending}
				edited={edited}
				disabled={!canChange || !hasFields(changed)}
				error={change.error}
				onSave={() => change.mutate(changed, { onSuccess: reset })}
			>
				<AlertFields kind={alert.kind} value={draft} onChange={setDraft} disabled={!canChange} />
			</FormPanel>
			{alert.kind === 'question' && <DeleteAlert alert={alert} disabled={!canChange} />}
		</>
	)
}

function DeleteAlert({ alert, disabled }: { alert: Alert; disabled: boolean }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const remove = async () => {
		await unwrap(api.DELETE('/v1/alerts/{id}', { params: { path: { id: alert.id } } }))
		await navigate({ to: '/alerts' })
		await refreshAlerts(queries)
	}
	return (
		<DeletePanel
			what="alert"
			name={alert.name}
			note="Its history is deleted. The saved view is kept."
			text="It no longer notifies anyone."
			disabled={disabled}
			run={remove}
		/>
	)
}
