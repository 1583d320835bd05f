import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, take } from '../../api.ts'
import { Switch } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Panel } from '../../ui/page.tsx'
import { DeletePanel, FormPanel } from '../../ui/settings-panels.tsx'
import { toast } from '../../ui/toast.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { useCan } from '../identity/session.ts'
import { SigningSecret } from '../identity/signing-secret.tsx'
import { type EventName, refreshWebhooks, type Webhook, type WebhookChange } from './queries.ts'
import { type WebhookDraft, WebhookFields } from './webhook-fields.tsx'

export function WebhookSettings({ webhook }: { webhook: Webhook }) {
	const queries = useQueryClient()
	const isAdmin = useCan('admin')
	const [secret, setSecret] = useState<string | null>(null)
	const params = { path: { id: webhook.id } }
	const change = useMutation({
		mutationFn: (body: WebhookChange) => take(api.PATCH('/v1/webhooks/{id}', { params, body })),
		onSuccess: (changed) => {
			toast('Saved')
			setSecret(changed.secret ?? null)
			return refreshWebhooks(queries)
		},
	})
	const rotate = async () => {
		setSecret((await take(api.POST('/v1/webhooks/{id}/rotate-secret', { params }))).secret)
		await refreshWebhooks(queries)
	}
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
			<RoleHint needs="admin" what="change a webhook" />
			<Panel title="Use">
				<div className="flex items-center justify-between gap-4">
					<p className="text-ink-2">
						{webhook.enabled ? 'Events are sent to it.' : 'Nothing is sent. What waited was dropped.'}
					</p>
					<Switch
						label="Webhook is in use"
						disabled={!isAdmin}
						checked={webhook.enabled}
						onChange={(enabled) => change.mutate({ enabled })}
					/>
				</div>
			</Panel>
			<Details webhook={webhook} disabled={!isAdmin} change={change} />
			<Panel title="Signing secret">
				<SigningSecret oldExpiresAt={webhook.old_secret_expires_at} disabled={!isAdmin} rotate={rotate} />
			</Panel>
			<DeleteWebhook webhook={webhook} disabled={!isAdmin} />
			<Dialog open={secret !== null} onClose={() => setSecret(null)} sticky title="New signing secret">
				{secret && <SecretOnce what="secret" secret={secret} onDone={() => setSecret(null)} />}
			</Dialog>
		</div>
	)
}

interface DetailsProps {
	webhook: Webhook
	disabled: boolean
	change: { mutate(body: WebhookChange): void; isPending: boolean; error: unknown }
}

function Details({ webhook, disabled, change }: DetailsProps) {
	const saved: WebhookDraft = {
		url: webhook.url,
		description: webhook.description,
		events: webhook.events as EventName[],
	}
	const [draft, setDraft] = useState(saved)
	return (
		<FormPanel
			title="Details"
			busy={change.isPending}
			disabled={disabled || draft.events.length === 0 || JSON.stringify(draft) === JSON.stringify(saved)}
			error={change.error}
			onSave={() => change.mutate(draft)}
		>
			<WebhookFields
				value={draft}
				onChange={setDraft}
				disabled={disabled}
				urlHint="Changing the host creates a new secret, which is shown once"
			/>
		</FormPanel>
	)
}

function DeleteWebhook({ webhook, disabled }: { webhook: Webhook; disabled: boolean }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const remove = async () => {
		await take(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.id } } }))
		await navigate({ to: '/webhooks' })
		await refreshWebhooks(queries)
	}
	return (
		<DeletePanel
			what="webhook"
			name={webhook.url}
			note="Its deliveries go with it."
			text="What waits to be sent is dropped."
			disabled={disabled}
			run={remove}
		/>
	)
}
