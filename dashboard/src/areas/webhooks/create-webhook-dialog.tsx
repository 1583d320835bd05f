import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { type EventName, refreshWebhooks, type Webhook, type WebhookInput } from './queries.ts'
import { type WebhookDraft, WebhookFields } from './webhook-fields.tsx'
import { formatTexts } from './webhook-formats.ts'

/** Registers an address, then shows its signing secret once. */
export function CreateWebhookDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	const queries = useQueryClient()
	const create = useMutation({
		mutationFn: (body: WebhookInput) => unwrap(api.POST('/v1/webhooks', { body })),
		onSuccess: async (made) => {
			await refreshWebhooks(queries)
			// Only a webhook with signatures has a secret to show.
			if (made.secret === undefined) onClose()
		},
		gcTime: 0,
	})
	const close = () => {
		onClose()
		create.reset()
	}
	const secret = create.data?.secret
	return (
		<Dialog
			open={open}
			onClose={close}
			sticky={secret !== undefined}
			title={secret ? 'Webhook signing secret' : 'Create webhook'}
		>
			{secret ? (
				<SecretOnce what="secret" secret={secret} onDone={close}>
					<p className="text-ink-2">
						The receiver checks with it that a delivery comes from here: any library of Standard Webhooks
						does.
					</p>
				</SecretOnce>
			) : (
				<CreateForm busy={create.isPending} error={create.error} onSubmit={create.mutate} onCancel={close} />
			)}
		</Dialog>
	)
}

interface CreateFormProps {
	busy: boolean
	error: unknown
	onSubmit(body: WebhookInput): void
	onCancel(): void
}

function CreateForm({ busy, error, onSubmit, onCancel }: CreateFormProps) {
	const [format, setFormat] = useState<Webhook['format']>('standard')
	const [draft, setDraft] = useState<WebhookDraft>({
		url: '',
		description: '',
		events: defaultEvents.standard,
	})
	const { address, hint } = formatTexts[format]
	const submit = (event: FormEvent) => {
		event.preventDefault()
		const { url, ...rest } = draft
		const target = format === 'pagerduty' ? { routing_key: url.trim() } : { url: url.trim() }
		onSubmit({ ...rest, ...target, format })
	}
	const choose = (next: Webhook['format']) => {
		setFormat(next)
		setDraft({ ...draft, events: defaultEvents[next] })
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<Field label="Send to">
				{(field) => (
					<Select
						{...field}
						value={format}
						onChange={(event) => choose(event.target.value as Webhook['format'])}
					>
						{Object.entries(formatTexts).map(([value, { label }]) => (
							<option key={value} value={value}>
								{label}
							</option>
						))}
					</Select>
				)}
			</Field>
			<WebhookFields value={draft} onChange={setDraft} label={address} urlHint={hint} />
			{error ? <InlineError error={error} /> : null}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={busy} disabled={draft.events.length === 0}>
					{format === 'standard' ? 'Create webhook' : `Add ${formatTexts[format].label}`}
				</Button>
			</DialogActions>
		</form>
	)
}

/** A chat should not receive every change; a pager wakes people. */
const defaultEvents: Record<Webhook['format'], EventName[]> = {
	standard: ['server.*'],
	slack: ['alert.*', 'approval.requested'],
	teams: ['alert.*', 'approval.requested'],
	pagerduty: ['alert.*'],
	discord: ['alert.*', 'approval.requested'],
}
