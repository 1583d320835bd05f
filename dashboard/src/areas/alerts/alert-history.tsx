import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { StateBadge } from './alert-state.tsx'
import { historyQuery } from './queries.ts'

/** The changes of the state, and the notifications of them. */
export function AlertHistory({ id }: { id: string }) {
	const { data, error, refetch } = useQuery(historyQuery(id))
	return (
		<Panel title="History" flush>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={3} />
			) : data.transitions.length === 0 ? (
				<p className="p-4 text-ink-2">Its state has not changed yet.</p>
			) : (
				<Table label="History">
					<thead>
						<tr>
							<Th>When</Th>
							<Th>State</Th>
							<Th>Finding</Th>
							<Th>Notification</Th>
						</tr>
					</thead>
					<tbody>
						{data.transitions.map(({ id: key, at, to, text, notified_status: sent }) => (
							<Row key={key}>
								<Td className="text-ink-2">
									<Ago at={at} />
								</Td>
								<Td>
									<StateBadge status={to} />
								</Td>
								<Td className="min-w-64 text-ink-2">{text}</Td>
								<Td className="text-ink-2">{sent ?? 'nothing'}</Td>
							</Row>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	)
}
