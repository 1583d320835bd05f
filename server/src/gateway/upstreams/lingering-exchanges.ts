import type { Exchange } from './exchange.ts'

/** Streams that go on after their answer came. Most end at once; the rest are ended at the second sweep that sees them. */
export class LingeringExchanges {
	#recent = new Set<Exchange>()
	#old = new Set<Exchange>()

	add(exchange: Exchange): void {
		this.#recent.add(exchange)
	}

	delete(exchange: Exchange): void {
		this.#recent.delete(exchange)
		this.#old.delete(exchange)
	}

	sweep(): void {
		const overdue = this.#old
		this.#old = this.#recent
		this.#recent = new Set()
		for (const exchange of overdue) exchange.abort(new Error('The stream went on after its answer.'))
	}
}
