import { useInfiniteQuery } from '@tanstack/react-query'
import { Brand } from '../../app/brand.tsx'
import { formatDateTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Until } from '../../ui/time.tsx'
import { useLinkSecret } from '../identity/use-link-secret.ts'
import { SessionReader } from '../sessions/session-reader.tsx'
import { ConversationNotice, SessionSummary } from '../sessions/session-summary.tsx'
import { sharedQuery } from './queries.ts'

/** The secret stays in the URL, so that the page can be reloaded until the link expires. */
const readToken = () => location.hash.slice(1).replace(/^token=/, '')

/** The page that a share link opens, for anyone who has the link. */
export function SharedScreen() {
	const token = useLinkSecret(readToken)
	const query = useInfiniteQuery({ ...sharedQuery(token), enabled: token !== '' })
	const pages = query.data?.pages ?? []
	const session = pages.at(-1)
	return (
		<main>
			<Page
				wide
				title="Shared session"
				above={<Brand />}
				description={
					session && (
						<>
							{formatDateTime(session.started_at)} · the link expires <Until at={session.expires_at} />
							<SessionSummary session={session} />
						</>
					)
				}
			>
				{session ? (
					<SessionReader
						calls={pages.flatMap((page) => page.calls.map(asTimelineCall))}
						notice={<ConversationNotice state={session.conversation} />}
						more={
							query.hasNextPage && (
								<div className="flex justify-center border-t border-line p-3">
									<Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
										Show later calls
									</Button>
								</div>
							)
						}
					/>
				) : query.error ? (
					<ErrorState error={query.error} />
				) : token ? (
					<SkeletonRows rows={8} />
				) : (
					<Empty icon="search" title="The link is incomplete">
						Such a link ends with # and a secret. Copy the whole of it.
					</Empty>
				)}
			</Page>
		</main>
	)
}

const asTimelineCall = <Call extends { server: { name: string | null } }>(call: Call) => ({
	...call,
	server: { id: null, name: call.server.name },
})
