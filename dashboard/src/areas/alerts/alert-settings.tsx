import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, take } from '../../api.ts'
import { Switch } from '../../ui/controls.tsx'
import { Panel } from '../../ui/page.tsx'
import { DeletePanel, FormPanel } from '../../ui/settings-panels.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { type AlertDraft, AlertFields, newDraft, settingsOf } from './alert-fields.tsx'
import { type Alert, refreshAlerts } from './queries.ts'
import { useChangeAlert } from './use-change-alert.ts'

export function AlertSettings({ alert }: { alert: Alert }) {
	const isAdmin = useCan('admin')
	const change = useChangeAlert(alert.id)
	const saved = draftOf(alert)
	const [draft, setDraft] = useState(saved)
	const { question_id, figure, condition } = draft
	const watched = alert.kind === 'question' ? { question_id, figure, condition } : {}
	return (
		<>
			<RoleHint needs="admin" what="change an alert" />
			<Panel title="Use">
				<div className="flex items-center justify-between gap-4">
					<p className="text-ink-2">{alert.enabled ? 'Enabled' : 'Disabled'}</p>
					<Switch
						label="Alert is in use"
						disabled={!isAdmin}
						checked={alert.enabled}
						onChange={(enabled) => change.mutate({ enabled })}
					/>
				</div>
			</Panel>
			<FormPanel
				title="Settings"
				busy={change.isPending}
				disabled={!isAdmin || JSON.stringify(draft) === JSON.stringify(saved)}
				error={change.error}
				onSave={() => change.mutate({ ...settingsOf(draft, alert.kind), ...watched })}
			>
				<AlertFields kind={alert.kind} value={draft} onChange={setDraft} disabled={!isAdmin} />
			</FormPanel>
			{alert.kind === 'question' && <DeleteAlert alert={alert} disabled={!isAdmin} />}
		</>
	)
}

function draftOf(alert: Alert): AlertDraft {
	return {
		name: alert.name,
		question_id: alert.question_id ?? '',
		figure: alert.figure ?? newDraft.figure,
		condition: alert.condition ?? newDraft.condition,
		threshold: alert.threshold === null ? newDraft.threshold : String(alert.threshold),
		for_s: alert.for_s,
		interval_s: alert.interval_s,
		emails: alert.emails.join('\n'),
	}
}

function DeleteAlert({ alert, disabled }: { alert: Alert; disabled: boolean }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const remove = async () => {
		await take(api.DELETE('/v1/alerts/{id}', { params: { path: { id: alert.id } } }))
		await navigate({ to: '/alerts' })
		await refreshAlerts(queries)
	}
	return (
		<DeletePanel
			what="alert"
			name={alert.name}
			note="Its history goes with it; the question stays."
			text="Nobody is told of it any more."
			disabled={disabled}
			run={remove}
		/>
	)
}
