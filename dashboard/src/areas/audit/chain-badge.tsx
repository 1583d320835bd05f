import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { formatCounted } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'

/** Whether the hash chain of the records is intact, from the first one to the anchored end. */
export function ChainBadge() {
	const { data, error, isFetching, refetch } = useQuery({
		queryKey: ['audit', 'verify'],
		queryFn: () => unwrap(api.GET('/v1/audit/verify')),
		staleTime: 60_000,
	})
	return (
		<div className="mb-3 flex flex-wrap items-center gap-2">
			{data?.intact && <Badge tone="ok">chain verified: {formatCounted(data.records, 'record')}</Badge>}
			{data && !data.intact && <Badge tone="bad">chain broken</Badge>}
			{data?.bad && (
				<span className="text-bad">
					Record {data.bad.seq}: {data.bad.reason}
				</span>
			)}
			<Button small icon="refresh" busy={isFetching} onClick={() => void refetch()}>
				Verify again
			</Button>
			{error && <InlineError error={error} />}
		</div>
	)
}
