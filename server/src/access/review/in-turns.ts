import { setImmediate } from 'node:timers/promises'

const perTurn = 500

/** The same items; between some of them other work may run: a company's worth of grants must not hold up calls. */
export async function* inTurns<T>(items: readonly T[]): AsyncGenerator<T> {
	for (const [index, item] of items.entries()) {
		if (index % perTurn === perTurn - 1) await setImmediate()
		yield item
	}
}
