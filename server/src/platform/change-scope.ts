import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import { type DatabaseTransaction, isPostgres } from './database/index.ts'

/** What a request of the platform API brings into the transactions that it leads to. */
export interface ChangeScope {
	/** Names what the request changes, or null for something new: changes of one thing run one after the other. */
	lock: string | null
	/** Judges `If-Match`: throws `precondition_failed` when the present document is another. */
	requireUnchanged(current: object): void
	/** Runs first in each transaction; what it throws undoes the transaction. */
	onTransaction?(tx: DatabaseTransaction): Promise<void>
}

const scopes = new AsyncLocalStorage<ChangeScope>()

/** Runs a handler; every transaction of `mutate` inside it, however deep, belongs to the request. */
export function inChangeScope<T>(scope: ChangeScope, handle: () => T): T {
	return scopes.run(scope, handle)
}

/**
 * Judges the `If-Match` of the request, if it has one, against the object as GET would show it now. Call it inside the
 * change's transaction with what was read there: throws `precondition_failed` (412) when the object has changed since.
 */
export function requireUnchanged(current: object): void {
	scopes.getStore()?.requireUnchanged(current)
}

/** The beginning of each transaction of `mutate`. */
export async function enterTransaction(tx: DatabaseTransaction): Promise<void> {
	const scope = scopes.getStore()
	if (!scope) return
	// Else two requests could both read the object before either has changed it; SQLite has one writer anyway.
	if (scope.lock !== null && isPostgres(tx))
		await sql`select pg_advisory_xact_lock(7314002, hashtext(${scope.lock}))`.execute(tx)
	await scope.onTransaction?.(tx)
}

/** By which other ingress than the platform API a request came in. */
type Channel = 'mcp'

const channels = new AsyncLocalStorage<Channel>()

/** Runs a request; whatever it changes, however deep, is marked with the channel in the audit log. */
export function throughChannel<T>(channel: Channel, run: () => T): T {
	return channels.run(channel, run)
}

/** Null for requests that came by the platform API itself. */
export function currentChannel(): Channel | null {
	return channels.getStore() ?? null
}
