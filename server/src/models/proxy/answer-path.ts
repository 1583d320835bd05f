import type { Dispatcher } from 'undici'
import type { Attempt } from './attempt.ts'
import type { ClientAnswer } from './client-answer.ts'
import { type CallHooks, isPlain } from './hooks/call-hooks.ts'
import { type AnswerGuard, guardAnswer } from './hooks/guard-answer.ts'
import { UsageStrip } from './usage-injection/ask-for-usage.ts'

type Controller = Dispatcher.DispatchController
const nothing = Buffer.alloc(0)

/** The path of an answer to the client: direct, or through the hooks that check it. Pauses the provider where necessary. */
export class AnswerPath {
	readonly #answer: ClientAnswer
	/** Called with the reason when hooks end the call. */
	readonly #onRefused: (error: unknown) => void
	#guard: AnswerGuard | null = null
	/** Removes the usage that only Signalbox has requested. */
	#strip: UsageStrip | null = null
	#open = true
	#waits = 0
	#slowReader: Controller | null = null

	constructor(answer: ClientAnswer, onRefused: (error: unknown) => void) {
		this.#answer = answer
		this.#onRefused = onRefused
	}

	/** `added` are Signalbox's headers, name and value alternating. Nothing passes before `ready`, if there is such a promise. */
	begin(
		attempt: Attempt,
		added: readonly string[],
		hooks: CallHooks | null,
		ready: Promise<void> | null = null,
	): void {
		if (ready !== null) {
			const begun = ready.then(() => (this.#open ? this.begin(attempt, added, hooks) : undefined))
			return void this.holdUntil(begun.catch(this.#onRefused), attempt.controller as Controller)
		}
		if (attempt.step.usageInjected && attempt.streamed && isPlain(attempt.headers))
			this.#strip = new UsageStrip()
		if (hooks) this.#beginGuarded(attempt, added, hooks)
		else if (this.#strip)
			this.#answer.begin(attempt, added, { guard: null, lengthBytes: null, isRewritten: true })
		else this.#answer.begin(attempt, added)
	}

	#beginGuarded(attempt: Attempt, added: readonly string[], hooks: CallHooks): void {
		const begin = (lengthBytes: number | null) =>
			this.#answer.begin(attempt, added, { lengthBytes, guard: this.#guard, isRewritten: true })
		const write = (chunk: Buffer) => this.#write(chunk, attempt.controller)
		try {
			this.#guard = guardAnswer(hooks, attempt, { begin, write })
			if (!this.#guard?.holdsHead) begin(null)
		} catch (error) {
			this.#onRefused(error)
		}
	}

	piece(chunk: Buffer, controller: Controller): void {
		const left = this.#strip ? this.#strip.push(chunk) : chunk
		if (left.length === 0) return
		if (this.#guard) this.#holdForCheck(this.#guard.push(left), controller)
		else this.#write(left, controller)
	}

	#holdForCheck(check: Promise<void>, controller: Controller): void {
		this.holdUntil(check.catch(this.#onRefused), controller)
	}

	/** Pauses the provider until `decided` resolves. It must not reject. */
	holdUntil(decided: Promise<void>, controller: Controller): void {
		this.#wait(controller)
		void decided.then(() => this.#resume(controller))
	}

	/** The answer is complete. `complete` is called when all of it may have passed. */
	end(complete: () => void): void {
		const rest = this.#strip?.end() ?? nothing
		if (this.#guard) void this.#endGuarded(this.#guard, rest).then(complete, this.#onRefused)
		else {
			if (rest.length > 0) this.#write(rest, null)
			complete()
		}
	}

	async #endGuarded(guard: AnswerGuard, rest: Buffer): Promise<void> {
		if (rest.length > 0) await guard.push(rest)
		await guard.end()
	}

	/** Drops everything that follows. */
	close(): void {
		this.#open = false
	}

	/** Called when the client has caught up. */
	drained(): void {
		const waiting = this.#slowReader
		// Reset first, because more may arrive while it resumes.
		this.#slowReader = null
		if (waiting) this.#resume(waiting)
	}

	#wait(controller: Controller): void {
		this.#waits += 1
		controller.pause()
	}

	#resume(controller: Controller): void {
		this.#waits -= 1
		if (this.#waits === 0) controller.resume()
	}

	#write(chunk: Buffer, controller: Controller | null): void {
		if (!this.#open || this.#answer.write(chunk, () => this.drained())) return
		if (this.#slowReader || !controller) return
		this.#slowReader = controller
		this.#wait(controller)
	}
}
