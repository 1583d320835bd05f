import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

const maxHeld = 16 * 1024 * 1024

/** Interval of the check for silent exchanges. */
const lookEveryMs = 100
/** Exchanges with a limit on silence. They share one timer, because a timer for each would cost every call. */
const limited = new Set<PipeExchange>()
let looking: NodeJS.Timeout | null = null

function endTheSilent(): void {
	const nowMs = performance.now()
	for (const exchange of limited) exchange.endIfSilent(nowMs)
	if (limited.size > 0 || looking === null) return
	clearInterval(looking)
	looking = null
}

/**
 * One HTTP exchange with a program, as its caller sees it: a plain answer, or an event stream if anything precedes the answer.
 * There is no socket behind it, so paused data is buffered here.
 */
export class PipeExchange implements Dispatcher.DispatchController {
	readonly #handler: Dispatcher.DispatchHandler
	readonly #onAbort: () => void
	readonly #idleMs: number
	#lastMs = 0
	#isStream = false
	#isDone = false
	#held: Buffer[] = []
	#heldBytes = 0
	#isEnding = false
	#headers: IncomingHttpHeaders = {}
	#onAnswer: ((message: string) => void) | null = null
	paused = false
	aborted = false
	reason: Error | null = null

	/** `onAbort` is called when the exchange ends early: by the caller, or after a silence of `idleMs` (0: no limit). */
	constructor(handler: Dispatcher.DispatchHandler, idleMs: number, onAbort: () => void) {
		this.#handler = handler
		this.#idleMs = idleMs
		this.#onAbort = onAbort
		handler.onRequestStart?.(this, null)
		if (idleMs === 0 || this.#isDone) return
		this.#lastMs = performance.now()
		limited.add(this)
		looking ??= setInterval(endTheSilent, lookEveryMs).unref()
	}

	get isDone(): boolean {
		return this.#isDone
	}

	/** Sets the headers of the coming answer, and the callback for it. */
	expect(headers: IncomingHttpHeaders, onAnswer: (message: string) => void): this {
		this.#headers = headers
		this.#onAnswer = onAnswer
		return this
	}

	/** Delivers a message that precedes the answer. */
	tell(message: string): void {
		if (this.#isDone) return
		this.openStream()
		this.#lastMs = performance.now()
		this.#send(event(message))
	}

	openStream(): void {
		if (this.#isStream || this.#isDone) return
		this.#isStream = true
		this.#handler.onResponseStart?.(
			this,
			200,
			{ 'content-type': 'text/event-stream', ...this.#headers },
			'OK',
		)
	}

	/** Delivers the answer, which ends the exchange. */
	answer(message: string, headers: IncomingHttpHeaders = {}, status = 200): void {
		if (this.#isDone) return
		this.#onAnswer?.(message)
		if (this.#isStream) this.#send(event(message))
		else {
			this.#handler.onResponseStart?.(
				this,
				status,
				{ 'content-type': 'application/json', ...this.#headers, ...headers },
				'',
			)
			this.#send(Buffer.from(message))
		}
		this.#end()
	}

	/** Delivers an answer without a body. */
	status(status: number): void {
		if (this.#isDone) return
		this.#handler.onResponseStart?.(this, status, {}, '')
		this.#end()
	}

	fail(error: Error): void {
		if (this.#isDone) return
		this.#finish()
		this.#handler.onResponseError?.(this, error)
	}

	abort(reason: Error): void {
		if (this.#isDone) return
		this.aborted = true
		this.reason = reason
		this.fail(reason)
		this.#onAbort()
	}

	pause(): void {
		this.paused = true
	}

	resume(): void {
		this.paused = false
		while (!this.paused && this.#held.length > 0) {
			const chunk = this.#held.shift() as Buffer
			this.#heldBytes -= chunk.length
			this.#handler.onResponseData?.(this, chunk)
		}
		if (!this.paused && this.#isEnding) this.#complete()
	}

	#send(chunk: Buffer): void {
		if (!this.paused) return void this.#handler.onResponseData?.(this, chunk)
		this.#held.push(chunk)
		this.#heldBytes += chunk.length
		if (this.#heldBytes > maxHeld) this.abort(new Error('The client does not read what the program sends.'))
	}

	#end(): void {
		this.#isEnding = true
		limited.delete(this)
		if (!this.paused) this.#complete()
	}

	#complete(): void {
		if (this.#isDone) return
		this.#finish()
		this.#handler.onResponseEnd?.(this, {})
	}

	#finish(): void {
		this.#isDone = true
		this.#held = []
		limited.delete(this)
	}

	/** Ends the exchange if it has been silent for too long. */
	endIfSilent(nowMs: number): void {
		if (nowMs - this.#lastMs < this.#idleMs) return
		const code = this.#isStream ? 'UND_ERR_BODY_TIMEOUT' : 'UND_ERR_HEADERS_TIMEOUT'
		this.abort(Object.assign(new Error('The program did not answer in time.'), { code }))
	}
}

function event(message: string): Buffer {
	return Buffer.from(`event: message\ndata: ${message}\n\n`)
}
