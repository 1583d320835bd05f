import type { Reading, ReadResult } from '../providers/provider.ts'
import type { Step } from '../reliability/call-plan.ts'
import type { DeferredCalls } from './deferred-calls.ts'

/** Of one transaction. */
const resultsAtOnce = 100

/** The results that one answer holds: settled as they are read, before the answer ends. */
export class ResultsOfCall {
	readonly #deferred: Pick<DeferredCalls, 'settle'>
	#waiting: ReadResult[] = []
	#settling: Promise<void> | null = null
	#failure: { error: unknown } | null = null

	constructor(deferred: Pick<DeferredCalls, 'settle'>) {
		this.#deferred = deferred
	}

	see({ deferred }: Step, { results }: Reading): void {
		if (!deferred || results.length === 0) return
		this.#waiting.push(...results.splice(0))
		this.#settling ??= this.#settle(deferred).catch((error: unknown) => {
			this.#failure = { error }
		})
	}

	async #settle(call: NonNullable<Step['deferred']>): Promise<void> {
		while (this.#waiting.length > 0) await this.#deferred.settle(call, this.#waiting.splice(0, resultsAtOnce))
		this.#settling = null
	}

	/** Until all are settled; what kept one from it, else null. Whoever reads again has it settled then. */
	async settled(): Promise<{ error: unknown } | null> {
		await this.#settling
		return this.#failure
	}
}
