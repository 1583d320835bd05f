import { Problem } from '../../platform/errors.ts'

interface Unattended {
	cut(problem: Problem): void
}

/** Calls that go on though their client has left: nobody's response keeps the program waiting for them. */
export class UnattendedCalls {
	readonly #running = new Map<Unattended, Promise<void>>()

	/** `recorded` resolves when its outcome is on disk. */
	add(call: Unattended, recorded: Promise<void>): void {
		this.#running.set(call, recorded)
		void recorded.then(() => this.#running.delete(call))
	}

	get size(): number {
		return this.#running.size
	}

	/** Ends them; each is recorded with what it came to. */
	async close(): Promise<void> {
		const running = [...this.#running]
		for (const [call] of running) call.cut(new Problem('shutting_down'))
		await Promise.all(running.map(([, recorded]) => recorded))
	}
}
