/** Lets one at a time go on, in the order in which they asked. */
export class Turns {
	#last: Promise<void> = Promise.resolve()

	/** Resolves when all before have ended their turns, with what ends this one; ending it twice does nothing. */
	async take(): Promise<() => void> {
		const before = this.#last
		const { promise, resolve } = Promise.withResolvers<void>()
		this.#last = promise
		await before
		return resolve
	}
}
