import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../api.ts'
import { formatDateTime } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { linkClass, parentLink } from '../../ui/link.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { CompareButton } from '../reader/compare-dialog.tsx'
import { ScoresPanel } from '../scores/scores-panel.tsx'
import { ShareDialog } from '../sharing/share-dialog.tsx'
import { type Session, sessionQuery } from './queries.ts'
import { SessionReader } from './session-reader.tsx'
import { ConversationNotice, SessionSummary } from './session-summary.tsx'

const route = getRouteApi('/_app/sessions/$sessionId')

/** What happened in this session, in which order, and what did it cost? */
export function SessionScreen() {
	const { sessionId } = route.useParams()
	const query = useInfiniteQuery(sessionQuery(sessionId))
	const [isSharing, setIsSharing] = useState(false)
	const session = query.data?.pages.at(-1)
	return (
		<Page
			wide
			title="Session"
			above={
				<Link to="/sessions" {...parentLink}>
					Sessions
				</Link>
			}
			description={session && <Whose session={session} />}
			actions={
				session && (
					<>
						<Button onClick={() => setIsSharing(true)}>Share</Button>
						<CompareButton session={session.session_id} />
						{!session.is_derived && (
							<Link
								to="/traces"
								search={{
									view: 'calls',
									calls: 'counted',
									session_id: session.session_id,
									start: session.started_at,
								}}
								className={buttonClass()}
							>
								View calls
							</Link>
						)}
						<ShareDialog
							sessionId={session.session_id}
							open={isSharing}
							onClose={() => setIsSharing(false)}
						/>
					</>
				)
			}
		>
			{query.isPending ? (
				<SkeletonRows rows={8} />
			) : session ? (
				<Whole session={session} query={query} />
			) : isMissing(query.error) ? (
				<Panel>
					<Empty icon="search" title="Session not found">
						A new session appears a second after its first call. It may also be in another workspace, or past
						its retention.
					</Empty>
				</Panel>
			) : (
				<ErrorState error={query.error} retry={() => void query.refetch()} />
			)}
		</Page>
	)
}

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404

function Whose({ session }: { session: Session }) {
	const { agent, client, user_id } = session
	return (
		<>
			<span className="flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums">
				<CopyText text={session.session_id} />
				{session.is_derived && <span>inferred: the client names no session</span>}
				<span>{formatDateTime(session.started_at)}</span>
				{agent.id ? (
					<Link to="/agents/$agentId" params={{ agentId: agent.id }} className={linkClass}>
						{agent.name ?? agent.id}
					</Link>
				) : (
					agent.name && <span>{showDirections(agent.name)}</span>
				)}
				{client && <span>{client}</span>}
				{user_id && (
					<Link to="/users" search={{ user: user_id }} className={linkClass}>
						{user_id}
					</Link>
				)}
			</span>
			<SessionSummary session={session} />
		</>
	)
}

interface WholeProps {
	session: Session
	query: LaterPages
}

interface LaterPages {
	data?: { pages: Session[] } | undefined
	hasNextPage: boolean
	isFetchingNextPage: boolean
	fetchNextPage(): unknown
}

function Whole({ session, query }: WholeProps) {
	const calls = query.data?.pages.flatMap((page) => page.calls) ?? []
	const isRecorded = query.data?.pages.some(({ conversation }) => conversation === 'recorded')
	if (calls.length === 0)
		return (
			<Panel>
				<Empty icon="live" title="No tool or model calls in this session">
					Its other spans are among the traces.
				</Empty>
			</Panel>
		)
	return (
		<SessionReader
			calls={calls}
			notice={<ConversationNotice state={isRecorded ? 'recorded' : session.conversation} />}
			more={
				query.hasNextPage && (
					<div className="flex justify-center border-t border-line p-3">
						<Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
							Show later calls
						</Button>
					</div>
				)
			}
			below={<ScoresPanel scored={{ session_id: session.session_id }} />}
		/>
	)
}
