import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { toPathText } from '../../lib/path-text.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Until } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { type Share, sharesQuery } from './queries.ts'

/** Active links, each with a button that revokes it. */
export function ShareList({ sessionId }: { sessionId?: string }) {
	const { data, error, refetch } = useQuery(sharesQuery(sessionId))
	if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
	if (!data) return <SkeletonRows rows={2} />
	if (data.shares.length === 0) return <p className="text-ink-2">No active links.</p>
	return (
		<ul aria-label="Links" className="divide-y divide-line">
			{data.shares.map((share) => (
				<ShareLine key={share.id} share={share} isNamed={sessionId === undefined} />
			))}
		</ul>
	)
}

function ShareLine({ share, isNamed }: { share: Share; isNamed: boolean }) {
	const queries = useQueryClient()
	const mayRevoke = useCan('sharing:write')
	const revoke = useMutation({
		mutationFn: () =>
			unwrap(api.DELETE('/v1/spotlight/shares/{shareId}', { params: { path: { shareId: share.id } } })),
		onSuccess: () => {
			toast('Link revoked')
			return queries.invalidateQueries({ queryKey: ['sharing'] })
		},
	})
	return (
		<li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
			{isNamed && (
				<Link
					to="/sessions/$sessionId"
					params={{ sessionId: toPathText(share.session_id) }}
					className="min-w-0 truncate font-medium hover:underline"
				>
					{share.session_id}
				</Link>
			)}
			<span className="text-ink-2">
				by {share.created_by}, {share.messages ? 'with messages' : 'without messages'}
			</span>
			<span className="text-ink-3">
				ends <Until at={share.expires_at} />
			</span>
			<Button
				small
				variant="danger"
				className="ml-auto"
				busy={revoke.isPending}
				disabled={!mayRevoke}
				aria-label={`Revoke the link to ${share.session_id} by ${share.created_by}`}
				onClick={() => revoke.mutate()}
			>
				Revoke
			</Button>
			{revoke.error && <InlineError error={revoke.error} />}
		</li>
	)
}
