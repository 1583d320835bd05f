import { createHash, type Hash, hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from '@signalbox/contract'
import type { Dispatcher } from 'undici'
import type { Problem } from '../../platform/errors.ts'
import { sendJson } from '../../platform/http/refusals.ts'
import type { RefusalWriter } from '../../platform/http/route.ts'
import { flushHead } from '../../platform/node-http.ts'
import type { Attempt } from './attempt.ts'
import { responseHeaders } from './forwarded-headers.ts'
import { type CallHooks, isPlain } from './hooks/call-hooks.ts'
import { type AnswerGuard, guardAnswer } from './hooks/guard-answer.ts'
import { providers } from './providers/index.ts'
import type { ModelProvider } from './providers/provider.ts'
import { UsageStrip } from './usage-injection/ask-for-usage.ts'

/** Refuses a call before its connection is known, in the error format that the caller's client most likely parses. */
export const refuseModel: RefusalWriter = (request, response, problem, requestId) =>
	sendRefusal(response, providerByPath(request), problem, requestId)

/** Answers a problem in the provider's own error format. */
function sendRefusal(
	response: ServerResponse,
	provider: ModelProvider,
	problem: Problem,
	requestId: string,
): void {
	for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value)
	// Anthropic's and OpenAI's clients obey this. Without it, Claude Code repeats a 401 for minutes before it shows the refusal.
	if (problem.status < 500 && !problem.headers['retry-after']) response.setHeader('x-should-retry', 'false')
	// OpenAI's clients read `x-request-id`, which every answer has.
	if (provider.requestIdHeader) response.setHeader(provider.requestIdHeader, requestId)
	sendJson(response, problem.status, provider.errorBody(problem, requestId))
}

/** Patterns by which a path reveals its API dialect, in the order in which they are tried. */
const signs: [RegExp, Provider][] = [
	[/\/projects\/[^/]+\/locations\//, 'vertex'],
	[/\/model\/[^/]+\/(converse|invoke)/, 'bedrock'],
	[/\/messages(?:\/|$)/, 'anthropic'],
	[/\/v1beta\/|\/models\/[^/]+:\w+$/, 'gemini'],
]

/** The API dialect of a path and its headers, used when there is no connection. */
export function providerByPath(request: IncomingMessage): ModelProvider {
	if (request.headers['anthropic-version'] !== undefined) return providers.anthropic
	const path = request.url?.split('?')[0] ?? ''
	const shown = signs.find(([sign]) => sign.test(path))?.[1]
	const named = /^\/(?:proxy|spotlight)\/([^/]+)/.exec(path)?.[1] ?? ''
	return providers[shown ?? (Object.hasOwn(providers, named) ? (named as Provider) : 'openai')]
}

interface Checked {
	guard: AnswerGuard | null
	lengthBytes: number | null
	isRewritten: boolean
}

/**
 * LangChain4j and langchaingo ignore error events, and take an answer that ends in order for a whole one. So the connection is cut
 * after such an event. Clients that obey it close the connection themselves in that time; without it, the cut could reach those on
 * `fetch` before they have read the event, which would then be lost.
 */
const readEventMs = 500

const unchecked = { guard: null, lengthBytes: null, isRewritten: false }

/** The answer to the client: the provider's bytes, and an end that never claims more than the provider's own. */
export class ClientAnswer {
	readonly #response: ServerResponse
	readonly #requestId: string
	/** The hash of the bytes sent to the client, if these are not the kept bytes of the provider. */
	#hash: Hash | null = null
	/** The attempt whose bytes are sent. */
	#attempt: Attempt | null = null
	/** The guard that checks them on their way. */
	#guard: AnswerGuard | null = null
	/** The announced length of the body, or -1. */
	#lengthBytes = -1
	#passedBytes = 0
	/** Whether bytes other than the provider's are sent. */
	isRewritten = false
	/** The last chunk of a response of known length: with it the client would see the end. */
	#held: Buffer | null = null

	constructor(response: ServerResponse, requestId: string) {
		this.#response = response
		this.#requestId = requestId
	}

	/**
	 * `added` are Signalbox's headers, name and value alternating. The last parameter: the guard for the hooks, the length of a
	 * body that they have changed, and whether it is changed on its way.
	 */
	begin(
		attempt: Attempt,
		added: readonly string[],
		{ guard, lengthBytes, isRewritten }: Checked = unchecked,
	): void {
		this.#attempt = attempt
		this.#guard = guard
		this.isRewritten = isRewritten
		if (isRewritten) this.#hash = createHash('sha256')
		this.#lengthBytes = lengthBytes ?? attempt.contentLength
		if (this.#response.destroyed) return
		const { httpStatus, statusText, rawHeaders, headers } = attempt
		const forwarded = responseHeaders(rawHeaders, headers, this.#requestId, lengthBytes)
		// Otherwise nginx holds a stream back until a buffer is full or the stream ends.
		if (this.#lengthBytes < 0 && headers['x-accel-buffering'] === undefined)
			forwarded.push('x-accel-buffering', 'no')
		this.#response.writeHead(httpStatus as number, statusText, [...forwarded, ...added])
		// Sends a first chunk that arrived together with the headers in the same packet.
		process.nextTick(ClientAnswer.#flushHead, this)
	}

	/** A whole response that arrived in one chunk, or that has no body, is sent in one chunk, once it is recorded. */
	static #flushHead(answer: ClientAnswer): void {
		const response = answer.#response
		const isEnd = answer.#lengthBytes === 0 || isBodiless(answer.#attempt?.httpStatus)
		if (answer.#passedBytes > 0 || isEnd || response.destroyed || response.writableEnded) return
		flushHead(response)
	}

	/** Passes a chunk on. False: the client reads slowly, and `onDrain` is called when it has caught up. */
	write(chunk: Buffer, onDrain: () => void): boolean {
		const response = this.#response
		if (response.destroyed) return true
		this.#noteHash(chunk)
		this.#passedBytes += chunk.length
		if (this.#passedBytes === this.#lengthBytes) this.#held = chunk
		else if (!response.write(chunk)) {
			response.once('drain', onDrain)
			return false
		}
		return true
	}

	get passedBytes(): number {
		return this.#passedBytes
	}

	/** While all bytes are kept, their hash can be computed at the end. */
	#noteHash(chunk: Buffer): void {
		const kept = this.#attempt?.kept
		if (!this.#hash && kept?.overflows)
			this.#hash = createHash('sha256').update(kept.bytes.subarray(0, this.#passedBytes))
		this.#hash?.update(chunk)
	}

	/**
	 * The hash of the bytes sent to the client; can be called once. `ofAnswer`: the hash of everything that the provider sent.
	 */
	hashOfPassed(ofAnswer: string): string {
		if (this.#passedBytes === 0) return ''
		if (this.#hash) return this.#hash.digest('hex')
		if (this.#passedBytes === this.#attempt?.responseBytes) return ofAnswer
		const passed = this.#attempt?.kept.bytes.subarray(0, this.#passedBytes) ?? Buffer.alloc(0)
		return hash('sha256', passed, 'hex')
	}

	complete(): void {
		if (!this.#response.destroyed) this.#response.end(this.#held ?? undefined)
	}

	/** Sends a refusal if nothing was sent yet, otherwise an end that every client takes for an error. */
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
		if (ending === null) return void response.destroy()
		response.write(ending, () => setTimeout(() => response.destroy(), readEventMs))
	}

	destroy(): void {
		this.#response.destroy()
	}
}

/** Whether answers of a status end with their head. */
function isBodiless(status: number | null | undefined): boolean {
	return status === 204 || status === 304
}

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
