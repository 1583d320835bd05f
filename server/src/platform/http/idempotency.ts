import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { SealContext, Sealer } from '../crypto/seal.ts'
import type { ControlStore, DatabaseTransaction, Queryable } from '../database/database.ts'
import type { ControlSchema } from '../database/schema.ts'
import { Problem } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Principal } from './principal.ts'

const keptMs = 24 * 60 * 60 * 1000
/** A request counts as dead when its program has not renewed its claim for so long. */
const claimMs = 60_000
const renewEveryMs = 20_000
const releaseEveryMs = 1000
const pruneEveryMs = 10 * 60 * 1000
const retryAfterS = 1

interface KeyedRequest {
	principal: Principal
	operationId: string
	/** The value of the Idempotency-Key header. */
	key: string
	/** The request's identity: path, query and body as text. */
	content: string
	/** Returns the part of a response that may be stored and replayed. */
	kept?(answer: string): string
}

export interface Idempotency {
	/**
	 * Runs `create` once for a key and stores its response for 24 h. Each transaction of `create` must begin with `onTransaction`.
	 * Throws `idempotency_in_progress`, `_mismatch` or `_answer_lost`. If `create` throws before a commit, the key is released.
	 */
	once(
		request: KeyedRequest,
		create: (onTransaction: (tx: DatabaseTransaction) => Promise<void>) => Promise<string>,
	): Promise<{ answer: string; replayed: boolean }>
}

interface IdempotencyDependencies {
	store: ControlStore
	sealer: Sealer
	clock: Clock
	log: Log
	/** Shorter in tests. */
	renewMs?: number
}

export function createIdempotency(dependencies: IdempotencyDependencies): Idempotency {
	const { store, sealer, clock, log } = dependencies
	let prunedAtMs = 0
	const prune = async (nowMs: number) => {
		if (Math.abs(nowMs - prunedAtMs) < pruneEveryMs) return
		prunedAtMs = nowMs
		await deleteExpired(store.db, clock.deletionMs())
	}
	return {
		once: async (request, create) => {
			await prune(clock.nowMs())
			const row = newClaim(dependencies, request)
			const known = await claim(store, row, clock)
			if (known) return { answer: replay(dependencies, known, request.content), replayed: true }
			const endRenewal = renew(dependencies, row)
			const answer = await create((tx) => markChanged(tx, row))
				.catch(async (error: unknown) => {
					await release(store, row)
					throw error
				})
				.finally(endRenewal)
			const sealed_answer = sealer.seal(request.kept?.(answer) ?? answer, sealContext(row))
			await updateClaim(store.db, row, { state: 'answered', sealed_answer }).catch((error: unknown) =>
				log.error({ err: error }, 'idempotency: a response could not be stored'),
			)
			return { answer, replayed: false }
		},
	}
}

/** However long a request waits for other servers or for locks: until it ends, a repeated one is told that it is in progress. */
function renew({ store, clock, renewMs = renewEveryMs }: IdempotencyDependencies, row: IdempotencyRow) {
	const timer = setInterval(() => {
		updateClaim(store.db, row, { claimed_at: clock.nowMs() }).catch(() => {})
	}, renewMs).unref()
	return () => clearInterval(timer)
}

/** A store that is down also failed the request; its key is freed once the store is back. */
async function release(store: ControlStore, row: IdempotencyRow): Promise<void> {
	const again = async () => {
		for (let waitedMs = 0; waitedMs < claimMs; waitedMs += releaseEveryMs) {
			await sleep(releaseEveryMs, undefined, { ref: false })
			if (await deleteClaim(store.db, row).then(...outcome)) return
		}
	}
	if (!(await deleteClaim(store.db, row).then(...outcome))) void again()
}

const outcome = [() => true, () => false] as const

function newClaim(
	{ sealer, clock }: IdempotencyDependencies,
	{ principal, operationId, key, content }: KeyedRequest,
): IdempotencyRow {
	const nowMs = clock.nowMs()
	const who = principal.kind === 'user' ? principal.userId : principal.keyId
	const row: IdempotencyRow = {
		id: hash('sha256', JSON.stringify([principal.workspaceId, principal.kind, who, operationId, key])),
		workspace_id: principal.workspaceId,
		claim_id: newId(nowMs),
		state: 'running',
		sealed_request: '',
		sealed_answer: null,
		claimed_at: nowMs,
		expires_at: nowMs + keptMs,
	}
	return { ...row, sealed_request: sealer.seal(hash('sha256', content), sealContext(row)) }
}

/** Claims the key for a request, or returns the row of the request that holds it. */
async function claim(store: ControlStore, row: IdempotencyRow, clock: Clock): Promise<IdempotencyRow | null> {
	if (await insertClaim(store.db, row)) return null
	const known = await findClaim(store.db, row)
	if (!known) return claim(store, row, clock)
	const free = known.state === 'running' && isDead(known, clock.nowMs())
	if (!free && known.expires_at > clock.deletionMs()) return known
	return (await replaceClaim(store.db, known, row)) ? null : claim(store, row, clock)
}

/** A claim as far in the future is from before the clock was set back. */
function isDead({ claimed_at }: IdempotencyRow, nowMs: number): boolean {
	return Math.abs(nowMs - claimed_at) >= claimMs
}

/** Committed together with the change: from then on it cannot be repeated. A request that lost its claim changes nothing. */
async function markChanged(tx: DatabaseTransaction, row: IdempotencyRow): Promise<void> {
	if (!(await updateClaim(tx, row, { state: 'changed' }))) throw inProgress()
}

function replay({ sealer, clock }: IdempotencyDependencies, known: IdempotencyRow, content: string): string {
	const open = (sealed: string) => openOrNull(sealer, sealed, sealContext(known))
	const before = open(known.sealed_request)
	if (before !== null && before !== hash('sha256', content)) throw new Problem('idempotency_mismatch')
	if (known.state !== 'answered' && !isDead(known, clock.nowMs())) throw inProgress()
	const answer = known.sealed_answer === null ? null : open(known.sealed_answer)
	if (answer !== null) return answer
	throw new Problem('idempotency_answer_lost')
}

/** Null if it was sealed by a master key that no longer exists. */
function openOrNull(sealer: Sealer, sealed: string, context: SealContext): string | null {
	try {
		return sealer.open(sealed, context)
	} catch {
		return null
	}
}

function sealContext({ workspace_id, id }: IdempotencyRow): SealContext {
	return { workspaceId: workspace_id, kind: 'idempotent_answer', origin: '', id }
}

function inProgress(): Problem {
	return new Problem('idempotency_in_progress', undefined, { retryAfterS })
}

type IdempotencyRow = ControlSchema['idempotency_keys']

/** Inserts a row if its key is free; returns whether it was. */
async function insertClaim(db: Queryable, row: IdempotencyRow): Promise<boolean> {
	const inserted = await db
		.insertInto('idempotency_keys')
		.values(row)
		.onConflict((conflict) => conflict.column('id').doNothing())
		.executeTakeFirst()
	return inserted.numInsertedOrUpdatedRows === 1n
}

function findClaim(
	db: Queryable,
	{ workspace_id, id }: Pick<IdempotencyRow, 'workspace_id' | 'id'>,
): Promise<IdempotencyRow | undefined> {
	return claimOf(db, workspace_id, id).selectAll().executeTakeFirst()
}

function claimOf(db: Queryable, workspaceId: string, id: string) {
	return db.selectFrom('idempotency_keys').where('workspace_id', '=', workspaceId).where('id', '=', id)
}

/** Takes over a key unless another request was faster; returns whether it did. */
async function replaceClaim(db: Queryable, before: IdempotencyRow, row: IdempotencyRow): Promise<boolean> {
	const { id, workspace_id, ...values } = row
	const replaced = await db
		.updateTable('idempotency_keys')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('claim_id', '=', before.claim_id)
		.where('state', '=', before.state)
		.executeTakeFirst()
	return replaced.numUpdatedRows === 1n
}

/** Updates the claim of a request; returns whether the request still held it. */
async function updateClaim(
	db: DatabaseTransaction | Queryable,
	{ workspace_id, id, claim_id }: IdempotencyRow,
	values: Partial<Pick<IdempotencyRow, 'state' | 'sealed_answer' | 'claimed_at'>>,
): Promise<boolean> {
	const updated = await db
		.updateTable('idempotency_keys')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('claim_id', '=', claim_id)
		.executeTakeFirst()
	return updated.numUpdatedRows === 1n
}

/** Releases the key of a request that changed nothing. */
async function deleteClaim(db: Queryable, { workspace_id, id, claim_id }: IdempotencyRow): Promise<void> {
	await db
		.deleteFrom('idempotency_keys')
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('claim_id', '=', claim_id)
		.where('state', '=', 'running')
		.execute()
}

/** Deletes expired keys of all workspaces. */
async function deleteExpired(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('idempotency_keys').where('expires_at', '<', nowMs).execute()
}
