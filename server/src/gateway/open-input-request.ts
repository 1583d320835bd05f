import { type JsonObject, namedFailure, RpcFailure, type RpcResponse, rpcCodes } from '../mcp-client/index.ts'
import type { Asking, AskOptions } from './operation.ts'

/** `isRead`: the client has read everything on the stream of the operation that has ended. */
type OnCut = (next: Asking | null, failure: unknown, isRead?: boolean) => void

/** An input request that waits for its answer. It settles once, with whichever event is first. */
export class OpenInputRequest {
	operation!: Asking
	readonly answered: Promise<JsonObject | 'unsupported'>
	readonly #onEnd: (takenBack: boolean) => void
	readonly #onCut: OnCut | undefined
	readonly #options: AskOptions
	#unwatch: (() => void) | undefined
	#resolve!: (result: JsonObject | 'unsupported') => void
	#reject!: (reason: unknown) => void
	#isOpen = true

	/**
	 * `onEnd(takenBack)`: true if the client still has the input request and must be told to drop it. `onCut(next)`: its operation has
	 * ended before the client answered, and it continues for another one; null if only another process may run that.
	 */
	constructor(operation: Asking, options: AskOptions, onEnd: (takenBack: boolean) => void, onCut?: OnCut) {
		const { signal } = options
		this.#onEnd = onEnd
		this.#onCut = onCut
		this.#options = options
		this.answered = new Promise((resolve, reject) => {
			this.#resolve = resolve
			this.#reject = reject
		})
		this.#belongTo(operation)
		signal?.addEventListener('abort', this.#onAbort, { once: true })
		if (signal?.aborted) this.#onAbort()
	}

	answer({ result, error }: Pick<RpcResponse, 'result' | 'error'>): void {
		if (!this.#end(false)) return
		if (error) this.#reject(refusedBy(error))
		else this.#resolve(result ?? {})
	}

	/** Its operation has an answer. */
	endOfOperation(): void {
		if (!this.#goElsewhere(operationEnded(), true)) this.#leave(operationEnded())
	}

	#cut(failure: unknown): void {
		const { operation } = this
		if (this.#goElsewhere(failure, false)) return
		this.#leave(failure)
		if (this.operation !== operation) this.#onCut?.(this.operation, failure)
	}

	#goElsewhere(failure: unknown, isRead: boolean): boolean {
		if (!this.#onCut || this.#options.successor?.(this.operation) !== 'elsewhere') return false
		this.#unwatch?.()
		this.#onCut(null, failure, isRead)
		return true
	}

	/** Its operation is over: continues for another one, whose server may be the one that waits for the answer, or is withdrawn. */
	#leave(reason: unknown): void {
		const next = this.#options.successor?.(this.operation)
		if (!next || next === 'elsewhere') {
			this.withdraw(reason)
			return
		}
		this.operation.asking -= 1
		this.#unwatch?.()
		this.#belongTo(next)
	}

	get isOpen(): boolean {
		return this.#isOpen
	}

	/** The client cannot be asked. */
	giveUp(): void {
		if (this.#end(true)) this.#resolve('unsupported')
	}

	withdraw(reason: unknown): void {
		if (this.#end(true)) this.#reject(reason)
	}

	#belongTo(operation: Asking): void {
		this.operation = operation
		operation.asking += 1
		if (this.#options.isBetweenCalls) return
		this.#unwatch = operation.cancellation.also((failure) => this.#cut(failure))
	}

	readonly #onAbort = () => this.withdraw(this.#options.signal?.reason)

	#end(takenBack: boolean): boolean {
		if (!this.#isOpen) return false
		this.#isOpen = false
		this.operation.asking -= 1
		this.#unwatch?.()
		this.#options.signal?.removeEventListener('abort', this.#onAbort)
		this.#onEnd(takenBack)
		return true
	}
}

/** Throws if the operation was cancelled, or the input request withdrawn, before the client was asked. */
export function refuseEnded({ cancellation }: Asking, { signal, isBetweenCalls }: AskOptions): void {
	if (cancellation.failure && !isBetweenCalls) throw cancellation.failure
	signal?.throwIfAborted()
}

/** The client's own error, passed on unchanged. */
function refusedBy({ code, message, data }: NonNullable<RpcResponse['error']>): RpcFailure {
	return new RpcFailure(code, message, { errorType: 'input_refused', ...(data !== undefined && { data }) })
}

export function inputTimeout(askMs: number): RpcFailure {
	const text = `The client gave no answer to an input request within ${askMs / 1000} s.`
	return namedFailure(rpcCodes.internal, 'input_timeout', text)
}

/** For an input request whose operation has ended. */
export function operationEnded(): RpcFailure {
	return namedFailure(rpcCodes.internal, 'cancelled', 'The operation that asked has ended.')
}
