import type { ServerResponse } from 'node:http'
import type { Problem } from '../../platform/errors.ts'
import type { Attempt } from './attempt.ts'
import { BodyHash } from './body-hash.ts'
import { responseHeaders } from './forwarded-headers.ts'
import type { AnswerGuard } from './hooks/guard-answer.ts'
import type { ModelProvider } from './providers/provider.ts'
import { sendRefusal } from './refuse-model.ts'

const unjudged = { guard: null, lengthBytes: null }

/** The answer as the client gets it: the provider's bytes, and an end that never tells more than the provider's own. */
export class ClientAnswer {
	readonly #response: ServerResponse
	readonly #requestId: string
	/** Of the bytes that went to the client. */
	readonly hash = new BodyHash()
	/** Whose bytes they are. */
	#attempt: Attempt | null = null
	/** What judges them on their way. */
	#guard: AnswerGuard | null = null
	/** Of the body, where it is announced; else -1. */
	#lengthBytes = -1
	#passedBytes = 0
	/** The last piece of a response of known length: with it the client would see the end. */
	#held: Buffer | null = null

	constructor(response: ServerResponse, requestId: string) {
		this.#response = response
		this.#requestId = requestId
	}

	/**
	 * `added` are headers of ours, name and value in turn. `judged`: by what hooks judge it, and how long its body is
	 * where they have changed it.
	 */
	begin(
		attempt: Attempt,
		added: readonly string[],
		{ guard, lengthBytes }: { guard: AnswerGuard | null; lengthBytes: number | null } = unjudged,
	): void {
		this.#attempt = attempt
		this.#guard = guard
		this.#lengthBytes = lengthBytes ?? attempt.contentLength
		if (this.#response.destroyed) return
		const { httpStatus, statusText, rawHeaders, headers } = attempt
		const forwarded = responseHeaders(rawHeaders, headers, this.#requestId, lengthBytes)
		this.#response.writeHead(httpStatus as number, statusText, [...forwarded, ...added])
		// A first piece that arrived together with the headers goes in the same packet.
		process.nextTick(ClientAnswer.#flushHeaders, this)
	}

	/** A whole response that came in one piece goes out in one piece, once it is recorded. */
	static #flushHeaders(answer: ClientAnswer): void {
		const response = answer.#response
		if (answer.#passedBytes === 0 && !response.destroyed && !response.writableEnded) response.flushHeaders()
	}

	/** Passes a piece on; false: the client reads slowly, and `onDrain` is called when it has caught up. */
	write(chunk: Buffer, onDrain: () => void): boolean {
		const response = this.#response
		if (response.destroyed) return true
		this.#passedBytes += chunk.length
		this.hash.add(chunk)
		if (this.#passedBytes === this.#lengthBytes) this.#held = chunk
		else if (!response.write(chunk)) {
			response.once('drain', onDrain)
			return false
		}
		return true
	}

	complete(): void {
		if (!this.#response.destroyed) this.#response.end(this.#held ?? undefined)
	}

	/** A refusal where nothing was sent yet, else an end that every client takes for an error. */
	fail(problem: Problem, provider: ModelProvider): void {
		const response = this.#response
		if (response.destroyed) return
		if (response.headersSent) this.#breakOff(problem, provider)
		else sendRefusal(response, provider, problem, this.#requestId)
	}

	#breakOff(problem: Problem, provider: ModelProvider): void {
		const response = this.#response
		const { tee, step } = this.#attempt ?? {}
		const surface = step?.target.surface
		const event = surface && provider.errorEvent(problem, this.#requestId, surface)
		const passed = this.#guard ?? tee
		const ending = event && this.#lengthBytes < 0 ? (passed?.ending(event) ?? null) : null
		if (ending === null) response.destroy()
		else response.end(ending)
	}

	destroy(): void {
		this.#response.destroy()
	}
}
