import { type BodyOf, type OutputOf, sharingOperations, tokenPrefixes } from '@signalbox/contract'
import { type Audit, actorOf } from '../../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import { hashToken, isToken, newToken } from '../../../platform/crypto/token.ts'
import type { ControlStore, DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import {
	countOf,
	type Listing,
	ownedRows,
	pageOf,
	requireRoom,
} from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { readPathText } from '../../../platform/http/paths.ts'
import { principalIn, type RequestContext, userIn } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import type { Jobs } from '../../../platform/jobs/job.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import { paginate } from '../../../platform/paging.ts'
import { type NewestSource, type RedactContent, withNewest } from '../../../telemetry/index.ts'
import { readSession, type SessionReads } from '../sessions/read-session.ts'
import { findSession } from '../sessions/session-repository.ts'

type ShareRow = ControlSchema['session_shares']

const { find: findShare, insert: insertShare, remove: removeShare } = ownedRows('session_shares')

interface SharingContext extends SessionReads {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
	/** Redacts a text with the current rules of the workspace. */
	redactContent: RedactContent
	/** The address at which people reach this instance. */
	publicAddress(): string
}

/** A link in the form of the API, without its secret. */
function presentShare(row: ShareRow): OutputOf<(typeof sharingOperations)['list']>['shares'][number] {
	return {
		id: row.id,
		session_id: row.session_id,
		messages: row.messages === 1,
		created_by: row.created_by,
		created_at: toIso(row.created_at),
		expires_at: toIso(row.expires_at),
	}
}

type Operation = (typeof sharingOperations)['open']
type Shared = OutputOf<Operation>
type Session = Awaited<ReturnType<typeof readSession>>

/** What a link shows. Throws the same `share_invalid`, for whatever reason it shows nothing. */
async function openShare(sharing: SharingContext, { token, ...page }: BodyOf<Operation>): Promise<Shared> {
	const share = await findOpenShare(sharing, token)
	const access = share.messages === 1 ? 'allowed' : 'not_shared'
	const session = await readSession(sharing, share.workspace_id, share.session_id, page, access).catch(
		(error: unknown) => {
			throw error instanceof Problem && error.code === 'not_found' ? new Problem('share_invalid') : error
		},
	)
	const redact = (text: string) => sharing.redactContent(share.workspace_id, text)
	return { expires_at: toIso(share.expires_at), ...withoutNames(session, redact) }
}

/** Found by the hash of 256 random bits, so that the duration of the search reveals nothing about other secrets. */
async function findOpenShare({ store, clock }: SharingContext, token: string): Promise<ShareRow> {
	const known = isToken(token, tokenPrefixes.share)
	const share = known ? await findShareByToken(store.db, hashToken(token), clock.nowMs()) : undefined
	if (!share || !(await isSharingOn(store.db, share.workspace_id))) throw new Problem('share_invalid')
	return share
}

/** Without ids, people, clients and agents; the remaining texts are redacted by the current rules. */
function withoutNames(session: Session, redact: (text: string) => string): Omit<Shared, 'expires_at'> {
	const { session_id, agent, user_id, client, sessions, users, calls, ...figures } = session
	return {
		...figures,
		calls: calls.map(
			({ trace_id, span_id, server, messages, approval, attempts, time_to_first_token_ms, ...call }) => ({
				...call,
				server: { name: server.name },
				status_message: redact(call.status_message),
				messages: messages?.map((message) => ({ ...message, text: redact(message.text) })) ?? null,
			}),
		),
	}
}

type Operations = typeof sharingOperations

const hourMs = 3_600_000
const maxShares = 1000

/** Turns links of the workspace on or off. */
function switchSharing(
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

/** Creates a link to a session. Throws `sharing_off`, and `not_found` for a session of which nothing is recorded. */
async function shareSession(
	sharing: SharingContext,
	request: RequestContext,
	sessionId: string,
	{ expires_in_hours, messages }: BodyOf<Operations['create']>,
): Promise<OutputOf<Operations['create']>> {
	const { workspaceId, email } = userIn(request)
	if (!(await findSession(sharing, workspaceId, sessionId))) throw notFound('session')
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
		await requireRoom(tx, workspaceId, {
			most: maxShares,
			what: 'links that have not expired',
			count: () => countShares(tx, workspaceId, nowMs),
		})
		await insertShare(tx, row)
		const { session_id, ...detail } = presentShare(row)
		await note(tx, sharing, request, { action: 'sharing.create', target: targetOf(row), detail })
		return { session_id, ...detail, url: `${sharing.publicAddress()}/ui/shared#token=${token}` }
	})
}

function revokeShare(sharing: SharingContext, request: RequestContext, id: string): Promise<void> {
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

const sweepEveryMs = 3_600_000

/** Opens the links, which show one session to anyone who has them. */
export function openSharing({
	recorder,
	...context
}: SharingContext & { jobs: Jobs; recorder?: NewestSource | undefined }): { operations: BoundOperation[] } {
	const sharing = { ...context, newest: recorder && withNewest(context.telemetry, recorder) }
	const { store, clock, jobs } = sharing
	jobs.every('expired-session-shares', sweepEveryMs, () => deleteExpiredShares(store.db, clock.deletionMs()))
	return {
		operations: bind(sharingOperations, {
			get: async ({ context }) => ({
				enabled: await isSharingOn(store.db, principalIn(context).workspaceId),
			}),
			replace: ({ body, context }) => switchSharing(sharing, context, body),
			create: ({ params, body, context }) => shareSession(sharing, context, readPathText(params.id), body),
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

async function isSharingOn(db: Queryable, workspaceId: string): Promise<boolean> {
	const row = await db
		.selectFrom('sharing_settings')
		.select('enabled')
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirst()
	return row?.enabled === 1
}

async function setSharing(tx: DatabaseTransaction, row: ControlSchema['sharing_settings']): Promise<void> {
	const { enabled, updated_at } = row
	await tx
		.insertInto('sharing_settings')
		.values(row)
		.onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ enabled, updated_at }))
		.execute()
}

/** Links that have not expired. */
async function listShares(
	db: Queryable,
	workspaceId: string,
	nowMs: number,
	{ session_id, ...listing }: Listing<ShareRow> & { session_id?: string },
): Promise<{ rows: ShareRow[]; total: number }> {
	const open = openShares(db, workspaceId, nowMs)
	return pageOf(session_id === undefined ? open : open.where('session_id', '=', session_id), listing)
}

function countShares(db: Queryable, workspaceId: string, nowMs: number): Promise<number> {
	return countOf(openShares(db, workspaceId, nowMs))
}

/** In any workspace: the secret is the only right that is needed. */
function findShareByToken(db: Queryable, tokenHash: string, nowMs: number): Promise<ShareRow | undefined> {
	return db
		.selectFrom('session_shares')
		.selectAll()
		.where('token_hash', '=', tokenHash)
		.where('expires_at', '>', nowMs)
		.executeTakeFirst()
}

/** Those of all workspaces that expired before a time. */
async function deleteExpiredShares(db: Queryable, beforeMs: number): Promise<void> {
	await db.deleteFrom('session_shares').where('expires_at', '<', beforeMs).execute()
}

function openShares(db: Queryable, workspaceId: string, nowMs: number) {
	return db
		.selectFrom('session_shares')
		.where('workspace_id', '=', workspaceId)
		.where('expires_at', '>', nowMs)
}
