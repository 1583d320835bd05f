import { sharingOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn } from '../../../platform/http/index.ts'
import type { Jobs } from '../../../platform/jobs/index.ts'
import { paginate } from '../../../platform/paging.ts'
import { readSessionId } from '../sessions/read-session.ts'
import { revokeShare, shareSession, switchSharing } from './change-sharing.ts'
import type { SharingContext } from './context.ts'
import { openShare } from './open-share.ts'
import { presentShare } from './present-share.ts'
import { deleteExpiredShares, isSharingOn, listShares } from './repository.ts'

const hourMs = 3_600_000

/** Links that show one session to whoever has them. */
export function openSharing(sharing: SharingContext & { jobs: Jobs }): { operations: BoundOperation[] } {
	const { store, clock, jobs } = sharing
	jobs.every('expired-session-shares', hourMs, () => deleteExpiredShares(store.db, clock.deletionMs()))
	return {
		operations: bind(sharingOperations, {
			get: async ({ context }) => ({
				enabled: await isSharingOn(store.db, principalIn(context).workspaceId),
			}),
			replace: ({ body, context }) => switchSharing(sharing, context, body),
			create: ({ params, body, context }) => shareSession(sharing, context, readSessionId(params.id), body),
			list: async ({ query, context }) => {
				const { workspaceId } = principalIn(context)
				const { rows, total } = await listShares(store.db, workspaceId, clock.nowMs(), query)
				return { shares: rows.map(presentShare), pagination: paginate(query, total) }
			},
			revoke: async ({ params, context }) => void (await revokeShare(sharing, context, params.shareId)),
			open: ({ body, setHeader }) => {
				setHeader('x-robots-tag', 'noindex, nofollow')
				return openShare(sharing, body)
			},
		}),
	}
}
