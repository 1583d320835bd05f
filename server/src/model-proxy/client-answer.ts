import type { ServerResponse } from 'node:http'
import type { Problem } from '../platform/errors.ts'
import type { Attempt } from './attempt.ts'
import { responseHeaders } from './forwarded-headers.ts'
import type { ModelProvider } from './providers/provider.ts'
import { sendRefusal } from './refuse-model.ts'

/** The answer as the client gets it: the provider's bytes, and an end that never tells more than the provider's own. */
export class ClientAnswer {
	readonly #response: ServerResponse
	readonly #requestId: string
	/** Whose bytes they are. */
	#attempt: Attempt | null = null
	#passedBytes = 0
	/** The last piece of a response of known length: with it the client would see the end. */
	#held: Buffer | null = null

	constructor(response: ServerResponse, requestId: string) {
		this.#response = response
		this.#requestId = requestId
	}

	/** `added` are headers of ours, name and value in turn. */
	begin(attempt: Attempt, added: readonly string[]): void {
		this.#attempt = attempt
		if (this.#response.destroyed) return
		const { httpStatus, statusText, rawHeaders, headers } = attempt
		const forwarded = responseHeaders(rawHeaders, headers, this.#requestId)
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
		if (this.#passedBytes === this.#attempt?.contentLength) this.#held = chunk
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
		const { tee, contentLength = -1, step } = this.#attempt ?? {}
		const surface = step?.target.surface
		const event = surface && provider.errorEvent(problem, this.#requestId, surface)
		const ending = event && contentLength < 0 ? (tee?.ending(event) ?? null) : null
		if (ending === null) response.destroy()
		else response.end(ending)
	}

	destroy(): void {
		this.#response.destroy()
	}
}
