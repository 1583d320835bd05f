import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, changeShown, unwrap } from '../../api.ts'
import { baseUrl } from '../../lib/base-url.ts'
import { parseLines } from '../../lib/parse-lines.ts'
import { CopyText } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { DeletePanel, EnabledPanel, FormPanel } from '../../ui/settings-panels.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { useCan } from '../identity/session.ts'
import { SigningSecret } from '../identity/signing-secret.tsx'
import { type EventName, refreshWebhooks, type Webhook, type WebhookChange } from './queries.ts'
import { type WebhookDraft, WebhookFields } from './webhook-fields.tsx'
import { formatTexts, nameOfWebhook } from './webhook-formats.ts'

export function WebhookSettings({ webhook }: { webhook: Webhook }) {
	const queries = useQueryClient()
	const canChange = useCan('webhooks:write')
	const [secret, setSecret] = useState<string | null>(null)
	const params = { path: { id: webhook.id } }
	const change = useMutation({
		mutationFn: (body: WebhookChange) => changeShown('/v1/webhooks/{id}', params.path, webhook, body),
		onSuccess: (changed) => {
			toast('Saved')
			setSecret(changed.secret ?? null)
			return refreshWebhooks(queries)
		},
	})
	const rotate = async () => {
		setSecret((await unwrap(api.POST('/v1/webhooks/{id}/rotate-secret', { params }))).secret ?? null)
		await refreshWebhooks(queries)
	}
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
			<RoleHint needs="webhooks:write" what="change a webhook" />
			<EnabledPanel
				label="Webhook is in use"
				text={webhook.enabled ? 'Events are sent to it.' : 'Nothing is sent. Queued data was discarded.'}
				enabled={webhook.enabled}
				disabled={!canChange}
				onChange={(enabled) => change.mutate({ enabled })}
			/>
			<Details webhook={webhook} disabled={!canChange} change={change} />
			{webhook.format === 'standard' && (
				<Panel title="Signing secret">
					<SigningSecret oldExpiresAt={webhook.old_secret_expires_at} disabled={!canChange} rotate={rotate} />
				</Panel>
			)}
			{webhook.format === 'slack' && <SlackAnswers webhook={webhook} disabled={!canChange} change={change} />}
			<DeleteWebhook webhook={webhook} disabled={!canChange} />
			<Dialog open={secret !== null} onClose={() => setSecret(null)} sticky title="New signing secret">
				{secret && <SecretOnce what="secret" secret={secret} onDone={() => setSecret(null)} />}
			</Dialog>
		</div>
	)
}

interface DetailsProps {
	webhook: Webhook
	disabled: boolean
	change: Pick<UseMutationResult<unknown, Error, WebhookChange>, 'mutate' | 'isPending' | 'error'>
}

function Details({ webhook, disabled, change }: DetailsProps) {
	const { address, hint } = formatTexts[webhook.format]
	const isSecret = webhook.format !== 'standard'
	const saved: WebhookDraft = {
		url: isSecret ? '' : webhook.url,
		description: webhook.description,
		events: webhook.events as EventName[],
	}
	const edited = useDraft(saved, `webhook ${webhook.id}`)
	const { draft, setDraft, changes, reset } = edited
	return (
		<FormPanel
			title="Details"
			busy={change.isPending}
			edited={edited}
			disabled={disabled || draft.events.length === 0}
			error={change.error}
			onSave={() => {
				const { url = '', ...rest } = changes
				const target = webhook.format === 'pagerduty' ? { routing_key: url } : { url }
				change.mutate({ ...rest, ...(url !== '' && target) }, { onSuccess: reset })
			}}
		>
			<WebhookFields
				value={draft}
				onChange={setDraft}
				disabled={disabled}
				label={address}
				secret={isSecret}
				urlHint={
					isSecret
						? `Stored and not shown; fill in to replace it. ${hint}`
						: 'Changing the host creates a new secret, which is shown once'
				}
			/>
		</FormPanel>
	)
}

/** Approvals from Slack: the app's signing secret, and which Slack user is which member. */
function SlackAnswers({ webhook, disabled, change }: DetailsProps) {
	const saved = webhook.slack_members
		.map(({ slack_user_id, email }) => `${slack_user_id} ${email}`)
		.join('\n')
	const edited = useDraft({ members: saved, secret: '' })
	const { draft, setDraft, reset } = edited
	const { members, secret } = draft
	const save = () =>
		change.mutate(
			{
				slack_members: parseLines(members).map((line) => {
					const [slack_user_id = '', email = ''] = line.split(/\s+/)
					return { slack_user_id, email }
				}),
				...(secret !== '' && { slack_signing_secret: secret.trim() }),
			},
			{ onSuccess: reset },
		)
	return (
		<FormPanel
			title="Answer approvals from Slack"
			busy={change.isPending}
			edited={edited}
			disabled={disabled}
			error={change.error}
			onSave={save}
		>
			<p className="text-ink-2">
				{webhook.answers_approvals
					? 'Messages about approvals have buttons.'
					: 'Store the signing secret of your Slack app to get Approve and Deny buttons.'}{' '}
				In the app, turn on Interactivity and set the request URL to{' '}
				<CopyText text={`${baseUrl}/integrations/slack/${webhook.id}`} />
			</p>
			<Field
				label="Signing secret"
				optional
				hint={
					webhook.answers_approvals
						? 'Stored and not shown; fill in to replace it'
						: 'Slack app → Basic Information → App Credentials'
				}
			>
				{(field) => (
					<Input
						{...field}
						type="password"
						autoComplete="off"
						disabled={disabled}
						value={secret}
						onChange={(event) => setDraft({ ...draft, secret: event.target.value })}
					/>
				)}
			</Field>
			<Field
				label="Slack users and members"
				optional
				hint="One per line: Slack user ID, e-mail of a member. They answer with that member’s role; others cannot answer."
			>
				{(field) => (
					<Textarea
						{...field}
						rows={4}
						spellCheck={false}
						disabled={disabled}
						placeholder="U012AB3CD mara@example.org"
						value={members}
						onChange={(event) => setDraft({ ...draft, members: event.target.value })}
						className="font-mono text-xs"
					/>
				)}
			</Field>
		</FormPanel>
	)
}

function DeleteWebhook({ webhook, disabled }: { webhook: Webhook; disabled: boolean }) {
	const queries = useQueryClient()
	const navigate = useNavigate()
	const remove = async () => {
		await unwrap(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.id } } }))
		await navigate({ to: '/webhooks' })
		await refreshWebhooks(queries)
	}
	return (
		<DeletePanel
			what="webhook"
			name={nameOfWebhook(webhook)}
			note="Its deliveries are deleted too."
			text="Queued data is discarded."
			disabled={disabled}
			run={remove}
		/>
	)
}
