import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../api.ts'
import { formatDateTime } from '../../lib/format.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { ScoresPanel } from '../scores/scores-panel.tsx'
import { ShareDialog } from '../sharing/share-dialog.tsx'
import { ConversationNotice } from './conversation-notice.tsx'
import { type Session, sessionQuery } from './queries.ts'
import { SessionFacts } from './session-facts.tsx'
import { Timeline } from './timeline.tsx'

const route = getRouteApi('/_app/sessions/$sessionId')

/** What did this run do, in which order, and what did it cost? */
export function SessionScreen() {
	const { sessionId } = route.useParams()
	const query = useInfiniteQuery(sessionQuery(sessionId))
	const [isSharing, setIsSharing] = useState(false)
	const session = query.data?.pages.at(-1)
	return (
		<Page
			title="Session"
			above={
				<Link to="/spotlight" search={{ by: 'sessions' }} className="hover:underline">
					Spotlight
				</Link>
			}
			description={session && <Whose session={session} />}
			actions={
				session && (
					<>
						<Button onClick={() => setIsSharing(true)}>Share</Button>
						{!session.is_derived && (
							<Link
								to="/traces"
								search={{
									view: 'calls',
									calls: 'all',
									session_id: session.session_id,
									start: session.started_at,
								}}
								className={buttonClass()}
							>
								Open the calls
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
					<Empty icon="search" title="No session of this name is stored">
						A fresh one appears a second after its first call. An old one may be past the retention of this
						workspace.
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
	const whose = [session.agent.name, session.client, session.user_id].filter(Boolean).join(' · ')
	return (
		<span className="flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums">
			<CopyText text={session.session_id} />
			{session.is_derived && <span>derived: its caller names no session</span>}
			<span>{formatDateTime(session.started_at)}</span>
			{whose && <span>{whose}</span>}
		</span>
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
	const said = query.data?.pages.some(({ conversation }) => conversation === 'recorded')
	return (
		<div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_280px]">
			<Panel title="Timeline" flush>
				<ConversationNotice state={said ? 'recorded' : session.conversation} />
				{calls.length === 0 ? (
					<Empty icon="live" title="No tool or model call in this session">
						Other spans of it are among the traces.
					</Empty>
				) : (
					<Timeline calls={calls} />
				)}
				{query.hasNextPage && (
					<div className="flex justify-center border-t border-line p-3">
						<Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
							Show later calls
						</Button>
					</div>
				)}
			</Panel>
			<div className="grid min-w-0 gap-4">
				<SessionFacts session={session} />
				<ScoresPanel judged={{ session_id: session.session_id }} />
			</div>
		</div>
	)
}
