/** A submission so recently, of so many records, means that more are coming. */
const busyMs = 0.8
const busyRecords = 4

/**
 * Says when the records of a tick go to the log's thread. A message to a thread costs as much as dozens of records, so
 * under load one a millisecond takes them all; a lone call never waits.
 */
export class TickPace {
	#submittedAtMs = 0
	#records = 0

	schedule(submit: () => void): void {
		const busy = this.#records >= busyRecords && performance.now() - this.#submittedAtMs < busyMs
		if (busy) setTimeout(submit, 1)
		else setImmediate(submit)
	}

	noteSubmission(records: number): void {
		this.#submittedAtMs = performance.now()
		this.#records = records
	}
}
