import { type BodyOf, type OutputOf, type sharingOperations, tokenPrefixes } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/index.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { hashToken, newToken } from '../../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { principalIn, type RequestContext, userIn } from '../../../platform/http/index.ts'
import { newId } from '../../../platform/ids.ts'
import { findSession } from '../sessions/repository.ts'
import type { SharingContext } from './context.ts'
import { presentShare } from './present-share.ts'
import {
	countShares,
	findShare,
	insertShare,
	isSharingOn,
	removeShare,
	type ShareRow,
	setSharing,
} from './repository.ts'

type Operations = typeof sharingOperations

const hourMs = 3_600_000
const mostShares = 1000

/** Turns links of the workspace on or off. */
export function switchSharing(
	sharing: SharingContext,
	request: RequestContext,
	wanted: BodyOf<Operations['replace']>,
): Promise<OutputOf<Operations['replace']>> {
	const { workspaceId } = principalIn(request)
	return sharing.mutate(async (tx) => {
		const before = { enabled: await isSharingOn(tx, workspaceId) }
		requireUnchanged(before)
		const row = {
			workspace_id: workspaceId,
			enabled: Number(wanted.enabled),
			updated_at: sharing.clock.nowMs(),
		}
		await setSharing(tx, row)
		await note(tx, sharing, request, {
			action: 'sharing.replace',
			target: null,
			detail: { before, after: wanted },
		})
		return wanted
	})
}

/** Makes a link to a session. Throws `sharing_off`, and `not_found` for a session of which nothing is stored. */
export async function shareSession(
	sharing: SharingContext,
	request: RequestContext,
	sessionId: string,
	{ expires_in_hours, messages }: BodyOf<Operations['create']>,
): Promise<OutputOf<Operations['create']>> {
	const { workspaceId, email } = userIn(request)
	if (!(await findSession(sharing.telemetry, workspaceId, sessionId))) throw notFound('session')
	const token = newToken(tokenPrefixes.share)
	const nowMs = sharing.clock.nowMs()
	const row: ShareRow = {
		id: newId(nowMs),
		workspace_id: workspaceId,
		session_id: sessionId,
		token_hash: hashToken(token),
		messages: Number(messages),
		created_by: email,
		created_at: nowMs,
		expires_at: nowMs + expires_in_hours * hourMs,
	}
	return sharing.mutate(async (tx) => {
		if (!(await isSharingOn(tx, workspaceId))) throw new Problem('sharing_off')
		if ((await countShares(tx, workspaceId, nowMs)) >= mostShares)
			throw new Problem('conflict', `A workspace has at most ${mostShares} links that have not expired.`)
		await insertShare(tx, row)
		const { session_id, ...detail } = presentShare(row)
		await note(tx, sharing, request, { action: 'sharing.create', target: targetOf(row), detail })
		return { session_id, ...detail, url: `${sharing.publicAddress()}/ui/shared#token=${token}` }
	})
}

export function revokeShare(sharing: SharingContext, request: RequestContext, id: string): Promise<void> {
	const { workspaceId } = principalIn(request)
	return sharing.mutate(async (tx) => {
		const row = await findShare(tx, workspaceId, id)
		if (!row) throw notFound('link')
		await removeShare(tx, workspaceId, id)
		await note(tx, sharing, request, { action: 'sharing.revoke', target: targetOf(row), detail: {} })
	})
}

const targetOf = (row: ShareRow) => ({ kind: 'session_share', id: row.id, name: row.session_id })

function note(
	tx: DatabaseTransaction,
	{ audit }: SharingContext,
	request: RequestContext,
	entry: { action: string; target: ReturnType<typeof targetOf> | null; detail: Record<string, unknown> },
): Promise<void> {
	const principal = principalIn(request)
	const { workspaceId } = principal
	return audit.record(tx, { ...entry, workspaceId, actor: actorOf(principal), requestId: request.requestId })
}
