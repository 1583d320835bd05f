import { Problem } from '../../platform/errors.ts'
import type { LiveRequests } from '../../platform/http/live-requests.ts'

interface Unattended {
	cut(problem: Problem): void
}

/** Calls that continue after their client has disconnected. No response keeps the program running for them. */
export class UnattendedCalls {
	readonly #running = new Map<Unattended, Promise<void>>()
	readonly #entries = new WeakMap<Unattended, () => () => void>()

	/** Sets how a call is checked should it go on alone. Its request leaves the list of live ones with its client. */
	checkBy(call: Unattended, live: Pick<LiveRequests, 'add'>, check: () => Problem | null): void {
		this.#entries.set(call, () => live.add({ check, abort: (problem) => call.cut(problem) }))
	}

	/** `recorded` resolves when the call's outcome is on disk. */
	add(call: Unattended, recorded: Promise<void>): void {
		this.#running.set(call, recorded)
		const leave = this.#entries.get(call)?.()
		void recorded.then(() => {
			this.#running.delete(call)
			leave?.()
		})
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
