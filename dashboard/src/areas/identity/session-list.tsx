import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Schemas, unwrap } from '../../api.ts'
import { basePath } from '../../lib/base-url.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast, toastFailure } from '../../ui/toast.tsx'
import { sessionsQuery } from './account-queries.ts'
import { describeClient } from './describe-client.ts'

type LiveSession = Schemas['LiveSession']

/** Where this person is signed in. */
export function SessionList() {
	const { data, error, refetch } = useQuery(sessionsQuery)
	return (
		<Panel title="Sessions" actions={data && <EndSessions count={data.sessions.length} />} flush>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={2} />
			) : (
				<Table label="Sessions">
					<thead>
						<tr>
							<Th>Client</Th>
							<Th>Address</Th>
							<Th right>Signed in</Th>
							<Th right>Last used</Th>
							<ThActions />
						</tr>
					</thead>
					<tbody>
						{data.sessions.map((session) => (
							<SessionRow key={session.id} session={session} />
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	)
}

function SessionRow({ session }: { session: LiveSession }) {
	const queries = useQueryClient()
	const name = describeClient(session.user_agent)
	const end = async () => {
		await unwrap(api.DELETE('/auth/sessions/{id}', { params: { path: { id: session.id } } }))
		toast('The session has ended')
		await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
	}
	return (
		<Row>
			<Td className="whitespace-nowrap" title={session.user_agent}>
				<span className="font-medium">{name}</span> {session.current && <Badge tone="accent">this one</Badge>}
			</Td>
			<Td className="font-mono text-xs text-ink-2">{session.address}</Td>
			<Td right className="text-ink-2">
				<Ago at={session.created_at} />
			</Td>
			<Td right className="text-ink-2">
				<Ago at={session.last_used_at} />
			</Td>
			<Td right>
				{!session.current && (
					<Button
						small
						variant="danger"
						aria-label={`End the session of ${name} from ${session.address}`}
						onClick={() => void end().catch(() => toastFailure('The session could not be ended'))}
					>
						End
					</Button>
				)}
			</Td>
		</Row>
	)
}

function EndSessions({ count }: { count: number }) {
	const [ending, setEnding] = useState<'others' | 'all' | null>(null)
	const queries = useQueryClient()
	const end = async () => {
		const query = { keep_current: ending === 'others' }
		await unwrap(api.DELETE('/auth/sessions', { params: { query } }))
		if (ending === 'all') location.assign(`${basePath}/ui/sign-in`)
		toast('The sessions have ended')
		await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
	}
	return (
		<>
			<Button small disabled={count < 2} onClick={() => setEnding('others')}>
				Sign out other sessions
			</Button>
			<Button small variant="danger" onClick={() => setEnding('all')}>
				Sign out everywhere
			</Button>
			<Confirm
				open={ending !== null}
				onClose={() => setEnding(null)}
				title={ending === 'all' ? 'Sign out everywhere?' : 'End all other sessions?'}
				text={
					ending === 'all'
						? 'Signs out all your sessions, including this one. Keys and agents keep working.'
						: 'Signs out all your other sessions. Keys and agents keep working.'
				}
				action={ending === 'all' ? 'Sign out everywhere' : 'End sessions'}
				run={end}
			/>
		</>
	)
}
