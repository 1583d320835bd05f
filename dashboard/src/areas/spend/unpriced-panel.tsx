import { useQuery } from '@tanstack/react-query'
import { formatCompact, formatCount } from '../../lib/format.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useCan } from '../identity/session.ts'
import { unpricedQuery } from './queries.ts'

interface Props {
	range: TimeRange
	onPrice(of: { connection: string; provider: string; model: string }): void
}

/** Models whose calls are in no sum; each can be given a price. */
export function UnpricedPanel({ range, onPrice }: Props) {
	const canChange = useCan('budgets:write')
	const { data, error, refetch } = useQuery(unpricedQuery(range))
	return (
		<Panel title="Models without a price" flush>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : data.models.length === 0 ? (
				<p className="p-4 text-ink-2">Every model that was called in this period has a price.</p>
			) : (
				<Table label="Models without a price">
					<thead>
						<tr>
							<Th>Model</Th>
							<Th>Provider</Th>
							<Th right>Calls</Th>
							<Th right>Tokens</Th>
							<Th right>Last</Th>
							<ThActions label="Price" />
						</tr>
					</thead>
					<tbody>
						{data.models.map(({ connection, provider, model, calls, tokens, last_at }) => (
							<Row key={`${connection} ${provider} ${model}`}>
								<Td className="max-w-64 truncate font-medium">{model || 'unknown'}</Td>
								<Td className="text-ink-2">
									{provider || 'unknown'}
									{connection && connection !== provider && ` over ${connection}`}
								</Td>
								<Td right>{formatCount(calls)}</Td>
								<Td right>{formatCompact(tokens)}</Td>
								<Td right className="text-ink-2">
									<Ago at={last_at} />
								</Td>
								<Td right>
									<Button
										small
										disabled={!canChange || model === ''}
										aria-label={`Set price of ${model}`}
										onClick={() => onPrice({ connection, provider, model })}
									>
										Set price
									</Button>
								</Td>
							</Row>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	)
}
