import type { Clock } from '../../../platform/clock.ts'
import type { ControlStore, DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { newId } from '../../../platform/ids.ts'
import type { Jobs } from '../../../platform/jobs/job.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import type { Reading, ReadResult } from '../providers/provider.ts'
import type { DeferredCall, Step } from '../reliability/call-plan.ts'
import type { Target } from '../target.ts'
import { recordJob, resultKey, toReported } from './record-results.ts'

/** The number of results settled in one transaction. */
const resultsAtOnce = 100

/** The results in one answer. They are settled as they are read, before the answer ends. */
export class ResultsOfCall {
	readonly #deferred: Pick<DeferredCalls, 'settle'>
	#waiting: ReadResult[] = []
	#settling: Promise<void> | null = null
	#failure: { error: unknown } | null = null

	constructor(deferred: Pick<DeferredCalls, 'settle'>) {
		this.#deferred = deferred
	}

	observe({ deferred }: Step, { results }: Reading): void {
		if (!deferred || results.length === 0) return
		this.#waiting.push(...results.splice(0))
		this.#settling ??= this.#settle(deferred).catch((error: unknown) => {
			this.#failure = { error }
		})
	}

	async #settle(call: NonNullable<Step['deferred']>): Promise<void> {
		while (this.#waiting.length > 0) await this.#deferred.settle(call, this.#waiting.splice(0, resultsAtOnce))
		this.#settling = null
	}

	/**
	 * Resolves when all are settled, with the error that prevented it or null. After an error, the next reader of the results has
	 * them settled.
	 */
	async settled(): Promise<{ error: unknown } | null> {
		await this.#settling
		return this.#failure
	}
}

interface DeferredContext {
	store: ControlStore
	mutate: Mutate
	clock: Clock
	jobs: Jobs
}

const dayMs = 86_400_000
/**
 * Providers keep results for a month. A result read after this time is not settled, because it could no longer be recognised as
 * settled before.
 */
const lifeMs = 93 * dayMs
const cleanEveryMs = dayMs / 24

/** Work that providers do later, with exactly one settlement of each result, by whichever process reads it. */
export class DeferredCalls {
	readonly #context: DeferredContext
	#cleanedMs = 0

	constructor(context: DeferredContext) {
		this.#context = context
	}

	/** Stores to whom the results will belong. */
	async begin(call: DeferredCall): Promise<void> {
		const { store, clock } = this.#context
		await insertDeferredCall(store.db, { ...keysOf(call), call: JSON.stringify(call) })
		const nowMs = clock.nowMs()
		if (Math.abs(nowMs - this.#cleanedMs) < cleanEveryMs) return
		this.#cleanedMs = nowMs
		await deleteExpiredDeferred(store.db, clock.deletionMs())
	}

	/** The deferred call whose results the answer of this target contains, or null. */
	async find(workspaceId: string, { surface, connectionId }: Target): Promise<DeferredCall | null> {
		if (!surface?.results || surface.object === undefined || connectionId === null) return null
		const found = await findDeferredCall(this.#context.store.db, workspaceId, connectionId, surface.object)
		return found === undefined ? null : (JSON.parse(found) as DeferredCall)
	}

	/** Has new results recorded and paid for. Resolves when that is certain to happen. */
	async settle(call: DeferredCall, results: readonly ReadResult[]): Promise<void> {
		const { mutate, jobs } = this.#context
		const byKey = new Map(results.map((result) => [resultKey(call, result.key), result]))
		const rows = [...byKey.keys()].map((result_key) => ({ ...keysOf(call), result_key }))
		await mutate(async (tx) => {
			const taken = await takeResults(tx, rows)
			if (taken.length === 0) return
			const reported = taken.map((key) => toReported(key, byKey.get(key) as ReadResult))
			const { workspaceId } = call
			await jobs.enqueue(tx, {
				kind: recordJob,
				key: newId(),
				workspaceId,
				payload: { call, results: reported },
			})
		})
	}
}

function keysOf({ workspaceId, connectionId, objectId, startMs }: DeferredCall) {
	return {
		workspace_id: workspaceId,
		connection_id: connectionId,
		object_id: objectId,
		expires_at: startMs + lifeMs,
	}
}

type DeferredCallRow = ControlSchema['deferred_calls']
type DeferredResultRow = ControlSchema['deferred_results']

/** An existing row is left unchanged. */
async function insertDeferredCall(db: Queryable, row: DeferredCallRow): Promise<void> {
	await db
		.insertInto('deferred_calls')
		.values(row)
		.onConflict((conflict) => conflict.columns(['connection_id', 'object_id']).doNothing())
		.execute()
}

/** The call that began an object, or the object of which it is a part. */
async function findDeferredCall(
	db: Queryable,
	workspaceId: string,
	connectionId: string,
	objectId: string,
): Promise<string | undefined> {
	const row = await db
		.selectFrom('deferred_calls')
		.select('call')
		.where('workspace_id', '=', workspaceId)
		.where('connection_id', '=', connectionId)
		.where((eb) => {
			const whole = eb
				.selectFrom('provider_objects')
				.select('part_of')
				.where('connection_id', '=', connectionId)
				.where('object_id', '=', objectId)
			return eb.or([eb('object_id', '=', objectId), eb('object_id', '=', whole)])
		})
		.executeTakeFirst()
	return row?.call
}

/** Claims results that have not been claimed. Resolves with their keys. */
async function takeResults(tx: DatabaseTransaction, rows: readonly DeferredResultRow[]): Promise<string[]> {
	const taken = await tx
		.insertInto('deferred_results')
		.values([...rows])
		.onConflict((conflict) => conflict.columns(['connection_id', 'object_id', 'result_key']).doNothing())
		.returning('result_key')
		.execute()
	return taken.map(({ result_key }) => result_key)
}

/** Deletes the calls first: results without a call are never settled. */
async function deleteExpiredDeferred(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('deferred_calls').where('expires_at', '<', nowMs).execute()
	await db.deleteFrom('deferred_results').where('expires_at', '<', nowMs).execute()
}
