import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api.ts'
import { formatMs } from '../../lib/format.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { linkClass } from '../../ui/link.ts'
import { Facts } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { FirstStart } from '../programs/first-start.tsx'
import { type Server, toolsQuery } from './queries.ts'

interface CheckResultProps {
	server: Server
	/** Null for a program, which must be started first. */
	health: Schemas['Health'] | null
	onClose(): void
}

/** The result of the first health check of a new server. */
export function CheckResult({ server, health, onClose }: CheckResultProps) {
	return (
		<>
			{health ? <Found server={server} health={health} /> : <FirstStart serverId={server.id} />}
			<DialogActions>
				<Button onClick={onClose}>Done</Button>
				<Link
					to="/servers/$serverId"
					params={{ serverId: server.id }}
					search={{ tab: health ? 'access' : 'program' }}
					className={buttonClass('primary')}
				>
					{health ? 'Grant access' : 'Open the server'}
				</Link>
			</DialogActions>
		</>
	)
}

function Found({ server, health }: { server: Server; health: Schemas['Health'] }) {
	const { data } = useQuery(toolsQuery(server.id))
	return (
		<>
			<Facts
				facts={[
					['Health', <StatusBadge key="health" status={health.status} />],
					...(health.error
						? [
								[
									'Reason',
									<span key="reason" className="text-bad">
										{health.error}
									</span>,
								] as const,
							]
						: []),
					['Latency', formatMs(health.latency_ms)],
					['Protocol', health.protocol_version ?? '–'],
					['Tools', data ? `${data.tools.length}` : <Skeleton key="tools" className="h-4 w-10" />],
				]}
			/>
			{data && data.tools.length > 0 && (
				<p className="mt-3 max-h-24 overflow-hidden rounded-md bg-sunken px-3 py-2 font-mono text-xs text-ink-2">
					{data.tools.map(({ name }) => name).join(', ')}
				</p>
			)}
			{health.status !== 'healthy' && (
				<p className="mt-3 text-ink-2">
					The server is registered all the same, and checked again automatically. If it wants a token,{' '}
					<Link
						to="/servers/$serverId"
						params={{ serverId: server.id }}
						search={{ tab: 'credentials' }}
						className={linkClass}
					>
						set its credentials
					</Link>
					.
				</p>
			)}
		</>
	)
}
