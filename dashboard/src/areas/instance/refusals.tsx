import { type ProblemCode, problems } from '@signalbox/contract/problems'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { formatCount, formatDateTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Loaded } from './loaded.tsx'

/** How often callers without a valid credential were refused. */
export function Refusals() {
	const query = useInfiniteQuery({
		queryKey: ['instance', 'refusals'],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.GET('/v1/denials', { params: { query: { limit: 50, ...(pageParam && { cursor: pageParam }) } } }),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
	})
	return (
		<>
			<p className="mb-3 max-w-3xl text-ink-2">
				Callers without a valid credential, counted by address and minute for 30 days. Refusals of people and
				keys that are known stand in the audit log of their workspace.
			</p>
			<Panel flush>
				<Loaded query={query}>
					{({ pages }) => <RefusalTable refusals={pages.flatMap(({ denials }) => denials)} />}
				</Loaded>
				{query.hasNextPage && (
					<div className="flex justify-center border-t border-line p-3">
						<Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
							Show older ones
						</Button>
					</div>
				)}
			</Panel>
		</>
	)
}

function RefusalTable({ refusals }: { refusals: readonly Schemas['DenialCount'][] }) {
	if (refusals.length === 0) {
		return (
			<Empty icon="block" title="No refusals">
				Wrong keys, wrong passwords and calls without a credential appear here.
			</Empty>
		)
	}
	return (
		<Table label="Refusals">
			<thead>
				<tr>
					<Th>Minute</Th>
					<Th>Address</Th>
					<Th>Why</Th>
					<Th right>Times</Th>
				</tr>
			</thead>
			<tbody>
				{refusals.map(({ minute, address, code, count }) => (
					<Row key={`${minute} ${address} ${code}`}>
						<Td className="whitespace-nowrap text-ink-2 tabular-nums">{formatDateTime(minute)}</Td>
						<Td className="font-mono text-xs">{address || 'many others'}</Td>
						<Td>
							<span className="font-mono text-xs">{code}</span>
							{Object.hasOwn(problems, code) && (
								<span className="block text-xs text-ink-3">{problems[code as ProblemCode].title}</span>
							)}
						</Td>
						<Td right>{formatCount(count)}</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
