import { Problem } from '../../platform/errors.ts'
import { LiveRequests } from '../../platform/http/live-requests.ts'

interface Unattended {
	cut(problem: Problem): void
}

/** Calls that continue after their client has disconnected. No response keeps the program running for them. */
export class UnattendedCalls {
	readonly #running = new Map<Unattended, Promise<void>>()
	readonly #checks = new WeakMap<Unattended, () => Problem | null>()
	readonly #live = new LiveRequests()

	/** Sets how a call is checked should it go on alone, because the ingress checks only requests whose client is there. */
	checkBy(call: Unattended, check: () => Problem | null): void {
		this.#checks.set(call, check)
	}

	/** `recorded` resolves when the call's outcome is on disk. */
	add(call: Unattended, recorded: Promise<void>): void {
		this.#running.set(call, recorded)
		const check = this.#checks.get(call) ?? (() => null)
		const leave = this.#live.add({ check, abort: (problem) => call.cut(problem) })
		void recorded.then(() => {
			this.#running.delete(call)
			leave()
		})
	}

	/** Ends those whose callers may no longer make them. */
	recheck(): void {
		this.#live.recheck()
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
