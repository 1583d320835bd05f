import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { CreateButton } from '../../ui/create-button.tsx'
import { ListScreen } from '../../ui/list-screen.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { IfAllowed } from '../identity/if-allowed.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { CreateWebhookDialog } from './create-webhook-dialog.tsx'
import { type Webhook, webhooksQuery } from './queries.ts'
import { nameOfWebhook } from './webhook-formats.ts'
import { WebhookState } from './webhook-state.tsx'

const description =
	'Send events to Slack, Microsoft Teams, PagerDuty, Discord, or to your own program as signed webhooks.'

/** Who is notified of events in this workspace? */
export function WebhooksScreen() {
	return (
		<IfAllowed needs="webhooks:read" title="Webhooks" description={description} what="see webhooks">
			<Webhooks />
		</IfAllowed>
	)
}

const route = getRouteApi('/_app/webhooks/')

function Webhooks() {
	const { create, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const canChange = useCan('webhooks:write')
	return (
		<ListScreen
			title="Webhooks"
			description={description}
			action={
				<CreateButton
					what="webhook"
					disabled={!canChange}
					onCreate={() => void navigate({ search: (old) => ({ ...old, create: true }) })}
				/>
			}
			hint={<RoleHint needs="webhooks:write" what="create and change webhooks" />}
			query={useQuery(webhooksQuery(page))}
			onPage={(next) => void navigate({ search: { page: next } })}
			empty={{
				icon: 'send',
				what: 'webhook',
				text: 'Create one to notify a chat, a pager or a pipeline when an alert fires, a call needs approval or access changes.',
			}}
			table={({ webhooks }) => (webhooks.length > 0 ? <WebhookTable webhooks={webhooks} /> : null)}
		>
			<CreateWebhookDialog
				open={create === true && canChange}
				onClose={() => void navigate({ search: {} })}
			/>
		</ListScreen>
	)
}

function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
	return (
		<Table label="Webhooks">
			<thead>
				<tr>
					<Th>Address</Th>
					<Th>State</Th>
					<Th>Events</Th>
					<Th right>Created</Th>
				</tr>
			</thead>
			<tbody>
				{webhooks.map((webhook) => (
					<Row key={webhook.id}>
						<Td className="max-w-96 min-w-48">
							<Link
								to="/webhooks/$webhookId"
								params={{ webhookId: webhook.id }}
								className="block truncate font-medium hover:underline"
							>
								{nameOfWebhook(webhook)}
							</Link>
							<span className="block truncate text-xs text-ink-3">
								{webhook.format === 'standard' ? webhook.description : new URL(webhook.url).host}
							</span>
						</Td>
						<Td>
							<WebhookState webhook={webhook} />
						</Td>
						<Td className="max-w-64 truncate font-mono text-xs text-ink-2" title={webhook.events.join(', ')}>
							{webhook.events.join(', ')}
						</Td>
						<Td right className="text-ink-2">
							<Ago at={webhook.created_at} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
