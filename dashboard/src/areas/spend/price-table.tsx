import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { serverNowMs } from '../../lib/clock.ts'
import { describeDimension } from '../../lib/dimension-words.ts'
import { formatDateTime, formatRate } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { type Price, refreshPrices } from './queries.ts'

/** The prices that the workspace has set itself. */
export function PriceTable({ prices }: { prices: readonly Price[] }) {
	const canChange = useCan('budgets:write')
	const queries = useQueryClient()
	const [ending, setEnding] = useState<Price | null>(null)
	const end = useMutation({
		mutationFn: (id: string) =>
			unwrap(api.POST('/v1/prices/{id}/end', { params: { path: { id } }, body: {} })),
		onSuccess: async () => {
			await refreshPrices(queries)
			toast('The price has ended')
		},
	})
	return (
		<>
			<Table label="Your own prices">
				<thead>
					<tr>
						<Th>Model</Th>
						<Th>Price per 1M</Th>
						<Th>From</Th>
						<Th>Until</Th>
						<Th>Note</Th>
						<ThActions label="End" />
					</tr>
				</thead>
				<tbody>
					{prices.map((price) => (
						<PriceRow key={price.id} price={price} disabled={!canChange} onEnd={() => setEnding(price)} />
					))}
				</tbody>
			</Table>
			<Confirm
				open={ending !== null}
				onClose={() => setEnding(null)}
				title={`End the price of ${ending?.model ?? ''}?`}
				text="New calls use the price table, or have no price. Recorded calls keep their price."
				action="End price"
				run={() => end.mutateAsync(ending?.id ?? '')}
			/>
		</>
	)
}

function PriceRow({ price, disabled, onEnd }: { price: Price; disabled: boolean; onEnd(): void }) {
	const { model, provider, connection, rates, factor, effective_from, effective_until, note } = price
	const hasEnded = effective_until !== null && Date.parse(effective_until) <= serverNowMs()
	return (
		<Row>
			<Td className="max-w-64">
				<span className="block truncate font-medium">{model}</span>
				<span className="block truncate text-xs text-ink-3">
					{[provider ?? 'all providers', connection && `over ${connection}`].filter(Boolean).join(' ')}
				</span>
			</Td>
			<Td className="min-w-44 tabular-nums">
				{Object.entries(rates).map(([dimension, nano]) => (
					<span key={dimension} className="block text-xs">
						<span className="text-ink-3">{describeDimension(dimension)}</span> {formatRate(String(nano))}
					</span>
				))}
				{factor && <span className="block text-xs">{factor} of the table’s price</span>}
			</Td>
			<Td className="whitespace-nowrap text-ink-2 tabular-nums">{formatDateTime(effective_from)}</Td>
			<Td className="whitespace-nowrap text-ink-2 tabular-nums">
				{effective_until === null ? '–' : formatDateTime(effective_until)}
			</Td>
			<Td className="max-w-48 truncate text-ink-2">{note || '–'}</Td>
			<Td right>
				{hasEnded ? (
					<Badge tone="idle">ended</Badge>
				) : (
					<Button small disabled={disabled} aria-label={`End the price of ${model}`} onClick={onEnd}>
						End
					</Button>
				)}
			</Td>
		</Row>
	)
}
