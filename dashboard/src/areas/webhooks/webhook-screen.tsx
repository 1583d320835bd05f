import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { formatDateTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { parentLink } from '../../ui/link.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { Deliveries } from './deliveries.tsx'
import { refreshWebhooks, type Webhook, webhookQuery } from './queries.ts'
import { nameOfWebhook } from './webhook-formats.ts'
import { WebhookSettings } from './webhook-settings.tsx'
import { WebhookState } from './webhook-state.tsx'

const route = getRouteApi('/_app/webhooks/$webhookId')

/** Do deliveries arrive, and if not, why? */
export function WebhookScreen() {
	const { webhookId } = route.useParams()
	const { data: webhook, error, refetch } = useQuery(webhookQuery(webhookId))
	if (webhook) return <LoadedWebhook key={webhook.id} webhook={webhook} />
	return (
		<Page title="Webhook">
			{error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={8} />}
		</Page>
	)
}

function LoadedWebhook({ webhook }: { webhook: Webhook }) {
	const { tab = 'deliveries', status } = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Page
			title={nameOfWebhook(webhook)}
			above={
				<Link to="/webhooks" {...parentLink}>
					Webhooks
				</Link>
			}
			beside={<WebhookState webhook={webhook} />}
			description={webhook.format === 'standard' ? webhook.description : new URL(webhook.url).host}
			actions={<TestButton webhook={webhook} />}
		>
			<Trouble webhook={webhook} />
			<Tabs
				label="About this webhook"
				value={tab}
				onChange={(next) =>
					void navigate({ search: next === 'settings' ? { tab: next } : {}, replace: true })
				}
				tabs={[
					{
						value: 'deliveries',
						label: 'Deliveries',
						content: (
							<Deliveries
								webhook={webhook}
								status={status}
								onStatus={(next) => void navigate({ search: next ? { status: next } : {}, replace: true })}
							/>
						),
					},
					{ value: 'settings', label: 'Settings', content: <WebhookSettings webhook={webhook} /> },
				]}
			/>
		</Page>
	)
}

function Trouble({ webhook: { disabled_reason, failing_since } }: { webhook: Webhook }) {
	if (!disabled_reason && !failing_since) return null
	return (
		<p className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-warn">
			{disabled_reason
				? `Signalbox turned it off: ${disabled_reason}`
				: `It has been failing since ${formatDateTime(failing_since ?? '')}. After five days it is turned off.`}
		</p>
	)
}

function TestButton({ webhook }: { webhook: Webhook }) {
	const queries = useQueryClient()
	const test = useMutation({
		mutationFn: () => unwrap(api.POST('/v1/webhooks/{id}/test', { params: { path: { id: webhook.id } } })),
		onSuccess: () => {
			toast('A test event is on its way')
			return refreshWebhooks(queries)
		},
	})
	return (
		<>
			<Button
				icon="send"
				busy={test.isPending}
				disabled={!useCan('webhooks:write') || !webhook.enabled}
				onClick={() => test.mutate()}
			>
				Send a test event
			</Button>
			{test.error && <InlineError error={test.error} />}
		</>
	)
}
