import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { InlineError } from '../../ui/states.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { refreshWebhooks, type WebhookInput } from './queries.ts'
import { type WebhookDraft, WebhookFields } from './webhook-fields.tsx'

/** Registers an address, then shows its signing secret once. */
export function CreateWebhookDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	const queries = useQueryClient()
	const create = useMutation({
		mutationFn: (body: WebhookInput) => take(api.POST('/v1/webhooks', { body })),
		onSuccess: () => refreshWebhooks(queries),
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
			title={secret ? 'Signing secret of the webhook' : 'Create a webhook'}
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
	onSubmit(draft: WebhookDraft): void
	onCancel(): void
}

function CreateForm({ busy, error, onSubmit, onCancel }: CreateFormProps) {
	const [draft, setDraft] = useState<WebhookDraft>({ url: '', description: '', events: ['server.*'] })
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSubmit({ ...draft, url: draft.url.trim() })
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<WebhookFields
				value={draft}
				onChange={setDraft}
				urlHint="Events are sent here by POST; redirects are not followed"
			/>
			{error ? <InlineError error={error} /> : null}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={busy} disabled={draft.events.length === 0}>
					Create webhook
				</Button>
			</DialogActions>
		</form>
	)
}
