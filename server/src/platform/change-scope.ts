import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import { type DatabaseTransaction, isPostgres } from './database/database.ts'
import type { Problem } from './errors.ts'

/** What a request of the platform API, or a job, adds to each transaction that it starts. */
export interface ChangeScope {
	/** The workspace of the caller; it is not deleted while a transaction of the request runs. */
	workspaceId: string
	/**
	 * Identifies the object of the workspace that the request changes, or null for a new one. Changes of the same object run one after the
	 * other.
	 */
	lock: string | null
	/** Checks `If-Match`: throws `precondition_failed` when the current document has another ETag. */
	requireUnchanged(current: object): void
	/** Why its caller may not change anything any more; null: it may. */
	refusal(): Problem | null
	/** Runs first in each transaction. If it throws, the transaction is rolled back. */
	onTransaction?(tx: DatabaseTransaction): Promise<void>
}

const scopes = new AsyncLocalStorage<ChangeScope>()
/** Requests of which a transaction was committed. */
const begun = new WeakSet<ChangeScope>()

/** Runs a handler. Every transaction of `mutate` that starts inside it, at any depth, belongs to the request. */
export function inChangeScope<T>(scope: ChangeScope, handle: () => T): T {
	return scopes.run(scope, handle)
}

/** The same for a change of an object that no request for a change carries out, such as a job; otherwise it belongs to the request. */
export function inChangeOf<T>(workspaceId: string, objectId: string, work: () => T): T {
	if (scopes.getStore()) return work()
	return scopes.run({ workspaceId, lock: objectId, requireUnchanged: () => {}, refusal: () => null }, work)
}

/**
 * Checks the request's `If-Match`, if it has one, against the object as GET would return it now. Call it inside the change's
 * transaction with the object read there. Throws `precondition_failed` (412) when the object has changed since.
 */
export function requireUnchanged(current: object): void {
	scopes.getStore()?.requireUnchanged(current)
}

/** Runs at the start of each transaction of `mutate`. */
export async function enterTransaction(tx: DatabaseTransaction): Promise<void> {
	const scope = scopes.getStore()
	if (!scope) return
	if (isPostgres(tx)) await lockScope(tx, scope)
	// A handler may wait long before its first transaction, for a lock or another server. Later ones complete what that one began,
	// even when it ended the caller's own rights.
	const refused = begun.has(scope) ? null : scope.refusal()
	if (refused) throw refused
	await scope.onTransaction?.(tx)
}

/** Runs after the commit of each transaction of `mutate`. */
export function noteCommit(): void {
	const scope = scopes.getStore()
	if (scope) begun.add(scope)
}

/** SQLite has one writer anyway. */
async function lockScope(tx: DatabaseTransaction, { workspaceId, lock }: ChangeScope): Promise<void> {
	// Without this lock two requests could both read the object before either changes it, and a job that holds its own row and needs one
	// of its object could be a deadlock with a request that enqueues it. It comes first: a deletion of the workspace holds it while it
	// waits for those that hold the other one.
	if (lock !== null)
		await sql`select pg_advisory_xact_lock(7314002, hashtext(${`${workspaceId}/${lock}`}))`.execute(tx)
	await sql`select pg_advisory_xact_lock_shared(7314012, hashtext(${workspaceId}))`.execute(tx)
}

/**
 * Waits for the requests and jobs that change something in a workspace, and lets no other one begin until the transaction ends. Its deletion
 * locks every row of the workspace, so together with theirs it would be a deadlock.
 */
export async function lockWorkspace(tx: DatabaseTransaction, workspaceId: string): Promise<void> {
	if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7314012, hashtext(${workspaceId}))`.execute(tx)
}

/** The ingress of a request that did not come through the platform API. */
type Channel = 'mcp'

const channels = new AsyncLocalStorage<Channel>()

/** Runs a request. The audit log marks all its changes, at any depth, with the channel. */
export function throughChannel<T>(channel: Channel, run: () => T): T {
	return channels.run(channel, run)
}

/** Null for requests that came through the platform API itself. */
export function currentChannel(): Channel | null {
	return channels.getStore() ?? null
}
