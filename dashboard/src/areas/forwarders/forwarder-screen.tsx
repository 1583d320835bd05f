import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { formatCount } from '../../lib/format.ts'
import { parentLink } from '../../ui/link.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago, Until } from '../../ui/time.tsx'
import { ForwarderBadge } from './forwarder-badge.tsx'
import { ForwarderSettings } from './forwarder-settings.tsx'
import { type Forwarder, forwarderQuery } from './queries.ts'
import { TestButton } from './test-button.tsx'

const route = getRouteApi('/_app/forwarders/$forwarderId')

/** How far behind is it, and if data does not arrive, why? */
export function ForwarderScreen() {
	const { forwarderId } = route.useParams()
	const { data: forwarder, error, refetch } = useQuery(forwarderQuery(forwarderId))
	if (!forwarder)
		return (
			<Page title="Forwarder">
				{error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={8} />}
			</Page>
		)
	return (
		<Page
			title={forwarder.name}
			above={
				<Link to="/forwarders" {...parentLink}>
					Forwarders
				</Link>
			}
			beside={<ForwarderBadge forwarder={forwarder} />}
			description={forwarder.url}
			actions={<TestButton forwarder={forwarder} />}
		>
			<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
				<Panel title="Progress">
					<StateTable forwarder={forwarder} />
				</Panel>
				<ForwarderSettings key={forwarder.id} forwarder={forwarder} />
			</div>
		</Page>
	)
}

function StateTable({ forwarder }: { forwarder: Forwarder }) {
	return (
		<Table label="Signals">
			<thead>
				<tr>
					<Th>Signal</Th>
					<Th right>Sent</Th>
					<Th right>Refused</Th>
					<Th right>Behind</Th>
					<Th>Last sent</Th>
					<Th>Trouble</Th>
				</tr>
			</thead>
			<tbody>
				{forwarder.state.map((state) => (
					<Row key={state.signal}>
						<Td className="font-medium">{state.signal}</Td>
						<Td right>{formatCount(state.sent)}</Td>
						<Td right>{formatCount(state.refused)}</Td>
						<Td right>{state.lag_s === 0 ? '–' : `${formatCount(state.lag_s)} s`}</Td>
						<Td className="text-ink-2">
							<Ago at={state.sent_at} />
						</Td>
						<Td className="max-w-96 min-w-48">
							<Trouble state={state} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

function Trouble({ state }: { state: Forwarder['state'][number] }) {
	if (state.error)
		return (
			<span className="text-bad">
				{state.error}
				{state.next_attempt_at && (
					<>
						{' '}
						Next attempt: <Until at={state.next_attempt_at} />
					</>
				)}
			</span>
		)
	return state.last_refusal ? <span className="text-warn">Refused: {state.last_refusal}</span> : '–'
}
