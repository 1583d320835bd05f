import { join } from 'node:path'
import { type BodyOf, erasureOperations, type OutputOf } from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/audit.ts'
import { appendChange, type ChangeFeed } from '../../platform/changes.ts'
import { toIso } from '../../platform/clock.ts'
import { isPostgres } from '../../platform/database/index.ts'
import { Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { paginate } from '../../platform/paging.ts'
import { type Processes, primary } from '../../platform/processes/processes.ts'
import { applyErasures, type ErasureContext } from './erase-rows.ts'
import { type ErasureRow, insertErasure, listErasures } from './erasure-repository.ts'
import { ErasureFollower } from './follow-erasures.ts'

/** Where several programs may work on the same stores. */
interface SharedStores {
	feed: ChangeFeed
	log: Log
	processes: Processes
	dataDir: string
}

type ErasureView = OutputOf<(typeof erasureOperations)['create']>

const applyEveryMs = 10_000

/** Erasing what telemetry holds of one session or one person. */
export function openErasures(erasures: ErasureContext & SharedStores): {
	operations: BoundOperation[]
	close(): Promise<void>
} {
	const { store, jobs } = erasures
	const follower = followerOf(erasures)
	jobs.every('telemetry-erase', applyEveryMs, ({ signal }) =>
		applyErasures(erasures, signal, (id) => follower?.carriesOut(id)),
	)
	const operations = bind(erasureOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await listErasures(store.db, principalIn(context).workspaceId, query)
			return { erasures: rows.map(presentErasure), pagination: paginate(query, total) }
		},
		create: ({ body, context }) => requestErasure(erasures, context, body),
	})
	return { operations, close: async () => follower?.close() }
}

/** SQLite has one program; a worker's log is emptied by its primary's question. */
function followerOf({
	processes,
	dataDir,
	...context
}: ErasureContext & SharedStores): ErasureFollower | null {
	if (!isPostgres(context.store.db) || processes.number !== primary) return null
	return new ErasureFollower({ ...context, markFile: join(dataDir, 'erasures.json') })
}

async function requestErasure(
	{ mutate, audit, clock }: ErasureContext,
	request: RequestContext,
	wanted: BodyOf<(typeof erasureOperations)['create']>,
): Promise<ErasureView> {
	const { session_id, user_id } = { session_id: null, user_id: null, ...wanted }
	if ((session_id === null) === (user_id === null)) throw needsOne()
	const principal = principalIn(request)
	const nowMs = clock.nowMs()
	const row: ErasureRow = {
		id: newId(nowMs),
		workspace_id: principal.workspaceId,
		session_id,
		user_id,
		created_at: nowMs,
		erased_at: null,
	}
	return mutate(async (tx) => {
		await insertErasure(tx, row)
		await appendChange(tx, 'erasure', row.id, clock)
		await audit.record(tx, {
			workspaceId: row.workspace_id,
			actor: actorOf(principal),
			action: 'telemetry-erasures.create',
			// Not whom: the audit log outlives what was erased.
			target: { kind: session_id === null ? 'user' : 'session', id: row.id, name: '' },
			requestId: request.requestId,
		})
		return presentErasure(row)
	})
}

function presentErasure({ id, session_id, user_id, created_at, erased_at }: ErasureRow): ErasureView {
	return {
		id,
		session_id,
		user_id,
		status: erased_at === null ? 'pending' : 'done',
		created_at: toIso(created_at),
		erased_at: erased_at === null ? null : toIso(erased_at),
	}
}

function needsOne(): Problem {
	const detail = 'session_id or user_id, one of them, says whose telemetry it is'
	return new Problem('invalid_request', `body: ${detail}.`, {
		errors: [{ pointer: '', code: 'erasure', detail }],
	})
}
