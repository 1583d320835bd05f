import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { CallTable } from './call-table.tsx'
import { spansQuery } from './queries.ts'

/** The latest calls of one agent. */
export function AgentCalls({ agentId }: { agentId: string }) {
	const { data, error, refetch } = useQuery({
		...spansQuery({ agent_uuid: agentId, start: '-30d', limit: 100 }),
		refetchInterval: 5_000,
	})
	return (
		<Panel flush>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : data.spans.length === 0 ? (
				<Empty icon="live" title="No calls yet">
					Its calls of the last 30 days appear here.
				</Empty>
			) : (
				<CallTable spans={data.spans} />
			)}
		</Panel>
	)
}
