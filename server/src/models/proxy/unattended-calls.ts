import { Problem } from '../../platform/errors.ts'

interface Unattended {
	cut(problem: Problem): void
}

/** Calls that continue after their client has disconnected. No response keeps the program running for them. */
export class UnattendedCalls {
	readonly #running = new Map<Unattended, Promise<void>>()

	/** `recorded` resolves when the call's outcome is on disk. */
	add(call: Unattended, recorded: Promise<void>): void {
		this.#running.set(call, recorded)
		void recorded.then(() => this.#running.delete(call))
	}

	get size(): number {
		return this.#running.size
	}

	/** Ends all of them; each is recorded with what it has used. */
	async close(): Promise<void> {
		const running = [...this.#running]
		for (const [call] of running) call.cut(new Problem('shutting_down'))
		await Promise.all(running.map(([, recorded]) => recorded))
	}
}
