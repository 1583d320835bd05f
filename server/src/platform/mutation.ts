import { runAfterCommit } from './after-commit.ts'
import { enterTransaction } from './change-scope.ts'
import type { ChangeFeed } from './changes.ts'
import type { ControlStore, DatabaseTransaction } from './database/index.ts'

/** Runs a change in one transaction; when it resolves, the change is on disk and in this process's views. */
export type Mutate = <T>(work: (tx: DatabaseTransaction) => Promise<T>) => Promise<T>

/** `announce` tells other processes that there is something to catch up with. */
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
