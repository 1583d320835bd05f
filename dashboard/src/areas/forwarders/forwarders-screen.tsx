import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { formatCount } from '../../lib/format.ts'
import { CreateButton } from '../../ui/create-button.tsx'
import { ListScreen } from '../../ui/list-screen.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { IfAllowed } from '../identity/if-allowed.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { CreateForwarderDialog } from './create-forwarder-dialog.tsx'
import { ForwarderBadge } from './forwarder-badge.tsx'
import { type Forwarder, forwardersQuery } from './queries.ts'

const description =
	'A forwarder sends telemetry and audit records to another system as they are stored. What a receiver misses while it is down is sent later.'

/** What is forwarded to other systems, and does it arrive? */
export function ForwardersScreen() {
	return (
		<IfAllowed needs="forwarders:read" title="Forwarders" description={description} what="see forwarders">
			<Forwarders />
		</IfAllowed>
	)
}

const route = getRouteApi('/_app/forwarders/')

function Forwarders() {
	const { create, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const canChange = useCan('forwarders:write')
	return (
		<ListScreen
			title="Forwarders"
			description={description}
			action={
				<CreateButton
					what="forwarder"
					disabled={!canChange}
					onCreate={() => void navigate({ search: (old) => ({ ...old, create: true }) })}
				/>
			}
			hint={<RoleHint needs="forwarders:write" what="create and change forwarders" />}
			query={useQuery(forwardersQuery(page))}
			onPage={(next) => void navigate({ search: { page: next } })}
			empty={{
				icon: 'send',
				what: 'forwarder',
				text: 'Create one to send traces to your own collector, or audit records to your SIEM.',
			}}
			table={({ forwarders }) => (forwarders.length > 0 ? <ForwarderTable forwarders={forwarders} /> : null)}
		>
			<CreateForwarderDialog
				open={create === true && canChange}
				onClose={() => void navigate({ search: {} })}
			/>
		</ListScreen>
	)
}

function ForwarderTable({ forwarders }: { forwarders: readonly Forwarder[] }) {
	return (
		<Table label="Forwarders">
			<thead>
				<tr>
					<Th>Forwarder</Th>
					<Th>State</Th>
					<Th>Sends</Th>
					<Th right>Sent</Th>
					<Th right>Refused</Th>
				</tr>
			</thead>
			<tbody>
				{forwarders.map((forwarder) => (
					<Row key={forwarder.id}>
						<Td className="max-w-96 min-w-48">
							<Link
								to="/forwarders/$forwarderId"
								params={{ forwarderId: forwarder.id }}
								className="block truncate font-medium hover:underline"
							>
								{forwarder.name}
							</Link>
							<span className="block truncate font-mono text-xs text-ink-3">{forwarder.url}</span>
						</Td>
						<Td>
							<ForwarderBadge forwarder={forwarder} />
						</Td>
						<Td className="text-ink-2">{forwarder.signals.join(', ')}</Td>
						<Td right className="text-ink-2">
							{formatCount(sumOf(forwarder, 'sent'))}
						</Td>
						<Td right className="text-ink-2">
							{formatCount(sumOf(forwarder, 'refused'))}
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

function sumOf({ state }: Forwarder, figure: 'sent' | 'refused'): number {
	return state.reduce((sum, one) => sum + one[figure], 0)
}
