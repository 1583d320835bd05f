import type { DatabaseTransaction } from './database/index.ts'

const waiting = new WeakMap<DatabaseTransaction, (() => void)[]>()

/** Calls back when the transaction has committed, if it was begun by `mutate`; for hints that may also be missed. */
export function afterCommit(tx: DatabaseTransaction, run: () => void): void {
	const runs = waiting.get(tx)
	if (runs) runs.push(run)
	else waiting.set(tx, [run])
}

export function runAfterCommit(tx: DatabaseTransaction): void {
	for (const run of waiting.get(tx) ?? []) run()
}
