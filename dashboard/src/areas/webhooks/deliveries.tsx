import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { formatDateTime, formatMs } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { OlderButton } from '../../ui/older-button.tsx'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Badge, type Tone } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import type { Delivery, Webhook } from './queries.ts'
import { statusTexts } from './webhook-formats.ts'
import type { DeliveryStatus } from './webhook-search.ts'

const filters = [
	{ value: 'all', label: 'All' },
	{ value: 'pending', label: 'Waiting' },
	{ value: 'delivered', label: 'Delivered' },
	{ value: 'failed', label: 'Failed' },
] as const satisfies readonly { value: DeliveryStatus | 'all'; label: string }[]

interface DeliveriesProps {
	webhook: Webhook
	status: DeliveryStatus | undefined
	onStatus(status: DeliveryStatus | undefined): void
}

/** The deliveries of the last seven days, and their results. */
export function Deliveries({ webhook, status, onStatus }: DeliveriesProps) {
	const query = useInfiniteQuery({
		queryKey: ['webhooks', webhook.id, 'deliveries', 'list', status],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.GET('/v1/webhooks/{id}/deliveries', {
					params: {
						path: { id: webhook.id },
						query: { limit: 50, ...(status && { status }), ...(pageParam && { cursor: pageParam }) },
					},
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		refetchInterval: 5_000,
	})
	const deliveries = query.data?.pages.flatMap((page) => page.deliveries) ?? []
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-3">
			<Segmented<DeliveryStatus | 'all'>
				label="Outcome"
				value={status ?? 'all'}
				options={filters}
				onChange={(next) => onStatus(next === 'all' ? undefined : next)}
			/>
			<Panel flush>
				{query.isPending ? (
					<SkeletonRows />
				) : query.isError && deliveries.length === 0 ? (
					<ErrorState error={query.error} retry={() => void query.refetch()} />
				) : deliveries.length === 0 ? (
					<Empty
						icon="send"
						title={status ? `No delivery is ${statusTexts[status]}` : 'Nothing sent in the last seven days'}
					>
						{status
							? 'Deliveries are kept for seven days.'
							: 'Send a test event to see whether the receiver answers. Deliveries are kept for seven days.'}
					</Empty>
				) : (
					<DeliveryTable webhookId={webhook.id} deliveries={deliveries} />
				)}
				<OlderButton what="deliveries" query={query} />
			</Panel>
		</div>
	)
}

const tones: Record<DeliveryStatus, Tone> = { pending: 'idle', delivered: 'ok', failed: 'bad' }

function DeliveryTable({ webhookId, deliveries }: { webhookId: string; deliveries: readonly Delivery[] }) {
	const [openId, setOpenId] = useState<string | null>(null)
	return (
		<>
			<Table label="Deliveries">
				<thead>
					<tr>
						<Th>Time</Th>
						<Th>Event</Th>
						<Th>Outcome</Th>
						<Th right>Attempts</Th>
						<Th right>Response</Th>
						<Th right>Latency</Th>
						<ThActions label="Details" />
					</tr>
				</thead>
				<tbody>
					{deliveries.map((delivery) => (
						<Row key={delivery.id}>
							<Td className="whitespace-nowrap text-ink-2 tabular-nums">
								{formatDateTime(delivery.created_at)}
							</Td>
							<Td className="font-mono text-xs">{delivery.type}</Td>
							<Td className="min-w-40">
								<Badge tone={tones[delivery.status]}>{statusTexts[delivery.status]}</Badge>
								{delivery.error && <span className="block text-xs text-ink-3">{delivery.error}</span>}
								{delivery.next_attempt_at && delivery.attempts > 0 && (
									<span className="block text-xs text-ink-3">
										next try {formatDateTime(delivery.next_attempt_at)}
									</span>
								)}
							</Td>
							<Td right>{delivery.attempts}</Td>
							<Td right>{delivery.response_status ?? '–'}</Td>
							<Td right>{formatMs(delivery.duration_ms)}</Td>
							<Td right>
								<Button small variant="ghost" onClick={() => setOpenId(delivery.id)}>
									Details
								</Button>
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
			{openId && <DeliveryDialog webhookId={webhookId} deliveryId={openId} onClose={() => setOpenId(null)} />}
		</>
	)
}
