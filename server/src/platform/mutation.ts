import { enterTransaction, noteCommit } from './change-scope.ts'
import type { ChangeFeed } from './changes.ts'
import {
	type ControlStore,
	type DatabaseTransaction,
	isLockTimeout,
	limitLockWait,
	transact,
} from './database/database.ts'

const waiting = new WeakMap<DatabaseTransaction, (() => void)[]>()

/** Runs a callback right after the commit of a transaction that `mutate` began. It is lost if the process ends there, and must not throw. */
export function afterCommit(tx: DatabaseTransaction, run: () => void): void {
	const runs = waiting.get(tx)
	if (runs) runs.push(run)
	else waiting.set(tx, [run])
}

function runAfterCommit(tx: DatabaseTransaction): void {
	for (const run of waiting.get(tx) ?? []) run()
}

/**
 * Runs a change in one transaction; `work` may run several times, see `transact`. When it resolves, the change is on disk and in this
 * process's views.
 */
export type Mutate = <T>(work: (tx: DatabaseTransaction) => Promise<T>) => Promise<T>

/** `announce` tells other processes that there are changes to catch up with. */
export function createMutate(store: ControlStore, feed: ChangeFeed, announce = () => {}): Mutate {
	return async (work) => {
		const { result, tx } = await transact(store.db, async (tx) => {
			await enterTransaction(tx)
			return { result: await work(tx), tx }
		})
		noteCommit()
		runAfterCommit(tx)
		announce()
		await feed.catchUp()
		return result
	}
}

const maxTries = 100

/**
 * A change that locks rows of many areas, such as the deletion of a workspace. Some transactions lock such rows before they number theirs,
 * and some number first, so no order prevents every deadlock. This one gives way instead: before the database would choose which of the two
 * fails, it lets the other one pass and begins again.
 */
export async function mutateGivingWay<T>(
	mutate: Mutate,
	work: (tx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
	for (let tries = 1; ; tries += 1) {
		try {
			return await mutate(async (tx) => {
				await limitLockWait(tx)
				return work(tx)
			})
		} catch (error) {
			if (!isLockTimeout(error) || tries === maxTries) throw error
		}
	}
}
