import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { formatDateTime, formatMs } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyText } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/page.tsx'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { deliveryQuery, refreshWebhooks } from './queries.ts'
import { statusTexts } from './webhook-formats.ts'

interface DeliveryDialogProps {
	webhookId: string
	deliveryId: string
	onClose(): void
}

/** One delivery with its request and answer, and a button to send it again. */
export function DeliveryDialog({ webhookId, deliveryId, onClose }: DeliveryDialogProps) {
	const queries = useQueryClient()
	const { data, error } = useQuery(deliveryQuery(webhookId, deliveryId))
	const replay = useMutation({
		mutationFn: () =>
			unwrap(
				api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', {
					params: { path: { id: webhookId, deliveryId } },
				}),
			),
		onSuccess: async () => {
			toast('Sent again, as a new delivery')
			await refreshWebhooks(queries)
			onClose()
		},
	})
	return (
		<Dialog open onClose={onClose} wide title={data?.type ?? 'Delivery'}>
			{error ? <InlineError error={error} /> : data ? <Details delivery={data} /> : <SkeletonRows />}
			{replay.error && <InlineError error={replay.error} />}
			<DialogActions>
				<Button onClick={onClose}>Close</Button>
				<Button
					icon="refresh"
					busy={replay.isPending}
					disabled={!useCan('webhooks:write')}
					onClick={() => replay.mutate()}
				>
					Send again
				</Button>
			</DialogActions>
		</Dialog>
	)
}

function Details({ delivery }: { delivery: Schemas['DeliveryDetail'] }) {
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
			<Facts
				facts={[
					['Outcome', statusTexts[delivery.status]],
					['webhook-id', <CopyText key="id" text={delivery.event_id} />],
					['Attempts', delivery.attempts],
					['Last attempt', delivery.attempted_at ? formatDateTime(delivery.attempted_at) : '–'],
					['Response', delivery.response_status ?? '–'],
					['Latency', formatMs(delivery.duration_ms)],
					...(delivery.error ? ([['Reason', delivery.error]] as const) : []),
				]}
			/>
			<CodeBlock label="Body as it is sent" code={indented(delivery.body)} />
			{delivery.response_body && <CodeBlock label="What was answered" code={delivery.response_body} />}
		</div>
	)
}

/** JSON with indentation; anything else is unchanged. */
function indented(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2)
	} catch {
		return text
	}
}
