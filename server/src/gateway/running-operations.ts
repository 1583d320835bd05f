import { namedFailure, rpcCodes } from '../mcp-client/index.ts'
import type { Clock } from '../platform/clock.ts'
import { Slots, type Slotted } from '../platform/slots.ts'
import type { Limits } from './limits.ts'
import type { Operation } from './operation.ts'

interface Running extends Slotted {
	operation: Operation
	startedMs: number
	lastHeartbeatMs: number
}

/** The operations that run now; one timer serves all of them. */
export class RunningOperations {
	readonly #running = new Slots<Running>()
	readonly #clock: Clock
	readonly #limits: Limits
	#tickedMs: number

	constructor(clock: Clock, limits: Limits) {
		this.#clock = clock
		this.#limits = limits
		this.#tickedMs = clock.nowMs()
	}

	add(operation: Operation, startedMs = this.#clock.nowMs()): Running {
		const running = { operation, startedMs, lastHeartbeatMs: startedMs, slot: -1 }
		this.#running.add(running)
		return running
	}

	remove(running: Running): void {
		this.#running.delete(running)
	}

	/** Ends operations that run too long, and sends keep-alive messages to the clients and proxies of waiting calls. */
	tick(): void {
		const nowMs = this.#clock.nowMs()
		const elapsedMs = nowMs - this.#tickedMs
		this.#tickedMs = nowMs
		for (const running of this.#running) {
			// The time in which the user considers an answer does not count. Input requests and tasks have limits of their own.
			if (elapsedMs < 0 || running.operation.asking > 0 || running.operation.task)
				running.startedMs += elapsedMs
			// The clock was set back.
			if (elapsedMs < 0) running.lastHeartbeatMs += elapsedMs
			if (nowMs - running.startedMs > this.#limits.totalMs)
				running.operation.cancellation.cancel(this.#tooLong())
			else if (nowMs - running.lastHeartbeatMs >= this.#limits.heartbeatMs) {
				running.lastHeartbeatMs = nowMs
				running.operation.reply.heartbeat()
			}
		}
	}

	#tooLong() {
		const text = `The operation took longer than ${this.#limits.totalMs / 1000} s and was ended.`
		return namedFailure(rpcCodes.internal, 'timeout', text)
	}
}
