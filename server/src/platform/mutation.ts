import { enterTransaction } from './change-scope.ts'
import type { ChangeFeed } from './changes.ts'
import type { ControlStore, DatabaseTransaction } from './database/database.ts'

const waiting = new WeakMap<DatabaseTransaction, (() => void)[]>()

/** Runs a callback after the commit of a transaction that `mutate` began. Only for hints that may be lost. */
export function afterCommit(tx: DatabaseTransaction, run: () => void): void {
	const runs = waiting.get(tx)
	if (runs) runs.push(run)
	else waiting.set(tx, [run])
}

function runAfterCommit(tx: DatabaseTransaction): void {
	for (const run of waiting.get(tx) ?? []) run()
}

/** Runs a change in one transaction. When it resolves, the change is on disk and in this process's views. */
export type Mutate = <T>(work: (tx: DatabaseTransaction) => Promise<T>) => Promise<T>

/** `announce` tells other processes that there are changes to catch up with. */
export function createMutate(store: ControlStore, feed: ChangeFeed, announce = () => {}): Mutate {
	return async (work) => {
		const { result, tx } = await store.db.transaction().execute(async (tx) => {
			await enterTransaction(tx)
			return { result: await work(tx), tx }
		})
		runAfterCommit(tx)
		announce()
		await feed.catchUp()
		return result
	}
}
