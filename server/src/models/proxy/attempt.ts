import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Dispatcher } from 'undici'
import { betweenNs, nowNs, systemClock } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import { KeptAnswer, StreamGaps } from './contents/answer.ts'
import { limitHeadersIn, moveUploads, providerRequestIdIn, requestHeaders } from './forwarded-headers.ts'
import { costHeader, providers } from './providers/index.ts'
import { type CredentialTools, type HeaderList, isWhole, type ResponseReader } from './providers/provider.ts'
import type { CallTimeouts, Step } from './reliability/call-plan.ts'
import {
	decisionOnFailure,
	decisionOnStatus,
	decisionOnStreamError,
	type RetryDecision,
	requestedWaitMs,
} from './reliability/target-health.ts'
import { authorizationOf } from './target.ts'
import { ResponseTee, type TeeListener, typeToRead } from './tee/response-tee.ts'
import { describeFailure, type UpstreamFailure } from './upstream-failure.ts'

export interface SendDependencies {
	dispatcher: Dispatcher
	credentials: CredentialTools
}

export interface AttemptListener {
	/** This answer is chosen for the client: `head` first, then each chunk. */
	onAnswer(attempt: Attempt): void
	onPiece(chunk: Buffer, controller: Dispatcher.DispatchController): void
	/** Called after text was read. */
	onReading(controller: Dispatcher.DispatchController): void
	/** The attempt is over; called once. Null if the provider's answer is complete. */
	onOver(attempt: Attempt, failure: UpstreamFailure | null): void
}

/**
 * The states of an attempt: made, sent to the provider (again on another connection if one was closed before it accepted
 * anything), being answered, and over for whichever reason is first.
 */
const transitions = {
	made: { sent: 'sent', end: 'over' },
	sent: { sent: 'sent', head: 'answering', end: 'over' },
	answering: { end: 'over' },
	over: {},
} as const satisfies Record<string, Partial<Record<AttemptEvent, string>>>

type AttemptState = keyof typeof transitions
type AttemptEvent = 'sent' | 'head' | 'end'

/** Reasoning models can think for long before the first byte. */
const maxThinkingMs = 600_000
const nothing = Buffer.alloc(0)
/** A larger answer is read as it arrives. */
const readLaterBytes = 1024 * 1024

/** The most bytes of an answer that are held back: the frames before the first content, or a small JSON body. */
const heldLimitBytes = 256 * 1024

/** One request to one target, and what was read of its answer. While another attempt could follow, the client sees nothing. */
export class Attempt implements Dispatcher.DispatchHandler, TeeListener {
	readonly step: Step
	/** When the attempt began. */
	startNs = nowNs()
	readonly #listener: AttemptListener
	/** Chunks held back before the first content; null once the answer is chosen for the client. */
	#held: Buffer[] | null
	#state: AttemptState = 'made'
	/** Whether its first bytes were sent. */
	#sent = false
	#firstToken: NodeJS.Timeout | null = null
	controller: Dispatcher.DispatchController | null = null
	#tee: ResponseTee | null = null
	#readAll: Promise<void> | null = null
	reader: ResponseReader | null = null
	httpStatus: number | null = null
	statusText = ''
	headers: IncomingHttpHeaders = {}
	rawHeaders: unknown = null
	streamed = false
	firstContentNs: bigint | null = null
	/** When its answer began. */
	answeredNs = 0n
	kept = new KeptAnswer()
	/** Whether the answer is read only for the record, in its thread. */
	readonly #readsLater: boolean
	/** Whether its answer is kept for its record. */
	#keeps = false
	/** See `ResponseReader`. */
	listed = false
	/** Set for a stream. */
	gaps: StreamGaps | null = null
	#contentBytes = 0
	responseBytes = 0
	/** By the response's header; -1 if it has none. */
	contentLength = -1

	constructor(
		step: Step,
		{ mayBeFollowed, readsLater }: { mayBeFollowed: boolean; readsLater: boolean },
		listener: AttemptListener,
	) {
		this.step = step
		this.#readsLater = readsLater
		this.#held = mayBeFollowed ? [] : null
		this.#listener = listener
	}

	/** Sends the client's request with the target's credential instead of the client's. */
	send(deps: SendDependencies, request: IncomingMessage, { firstTokenMs, idleMs }: CallTimeouts): void {
		this.step.health?.begin()
		if (firstTokenMs !== null) this.#firstToken = setTimeout(() => this.#tooSlow(), firstTokenMs)
		const method = (request.method ?? 'GET') as Dispatcher.HttpMethod
		const { target, body, plainAnswer } = this.step
		const dispatch = (key: HeaderList) => {
			const headers = requestHeaders(request.rawHeaders, key, { plainAnswer, plainBody: body.isDecoded })
			const { origin, path } = target
			const timeouts = { headersTimeout: maxThinkingMs, bodyTimeout: idleMs }
			const sent = body.bytes.length > 0 ? body.bytes : null
			deps.dispatcher.dispatch({ origin, path, headers, method, ...timeouts, body: sent }, this)
		}
		const key = authorizationOf(target, { method, body: body.bytes }, deps.credentials)
		if (key instanceof Promise) key.then(dispatch).catch((error: Error) => this.onResponseError(null, error))
		else dispatch(key)
	}

	/** False if the event no longer has an effect. */
	#move(event: AttemptEvent): boolean {
		const next = (transitions[this.#state] as Partial<Record<AttemptEvent, AttemptState>>)[event]
		if (next === undefined) return false
		this.#state = next
		return true
	}

	/** Whether this answer goes to the client. */
	get answers(): boolean {
		return this.httpStatus !== null && this.#held === null
	}

	/** Whether the provider may have worked on it: it received the request and did not refuse it. */
	get mayHaveRun(): boolean {
		const status = this.httpStatus ?? 0
		return this.#sent && !(status >= 400 && status < 500)
	}

	get running(): boolean {
		return this.#state !== 'over'
	}

	get tee(): ResponseTee | null {
		return this.#tee
	}

	get providerRequestId(): string {
		return providerRequestIdIn(this.headers)
	}

	/** The whole answer if its record is made from it. Null if it is not kept, or is an error, which may quote a key. */
	keptAnswer(): Buffer | null {
		if (this.httpStatus === null) return nothing
		return this.#keeps && this.httpStatus < 400 && !this.kept.overflows ? this.kept.bytes : null
	}

	get contentType(): string {
		return typeToRead(this.headers['content-type'] ?? '', this.httpStatus ?? 0, this.step.body)
	}

	/** The provider's rate limit headers, name and value. */
	get limitHeaders(): [string, string][] {
		return limitHeadersIn(this.headers)
	}

	/** The retry delay that the provider asked for. */
	get askedMs(): number | null {
		return requestedWaitMs(this.headers, systemClock.nowMs())
	}

	/**
	 * Aborts without notifying the listener. What has arrived may decide about it, though its connection goes on: many clients leave at
	 * the last event.
	 */
	abort(): void {
		const reading = this.reader?.reading
		const isDecided = reading && (isWhole(reading) || reading.errorType !== '')
		this.#end(isDecided ? this.decision(null) : null)
		this.controller?.abort(new Error('The call has ended.'))
	}

	/** Chooses the answer for the client, including the part held back. */
	answer(): void {
		const held = this.#held
		if (held === null) return
		this.#held = null
		this.#listener.onAnswer(this)
		for (const chunk of held) this.#listener.onPiece(chunk, this.controller as Dispatcher.DispatchController)
	}

	/** Resolves when everything received has been read. Encodings are decoded in the background. */
	read(): Promise<void> {
		this.#readAll ??= Promise.resolve(this.#tee?.end())
		return this.#readAll
	}

	/** What its outcome means for a further attempt. */
	decision(failure: UpstreamFailure | null): RetryDecision {
		if (failure) return decisionOnFailure(failure.errorType)
		const ofStatus = decisionOnStatus(this.httpStatus ?? 0, this.headers)
		const errorType = this.reader?.reading.errorType
		return ofStatus === 'good' && errorType ? decisionOnStreamError(errorType) : ofStatus
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.controller = controller
		if (this.#move('sent')) this.#sent = true
		else controller.abort(new Error('The call has ended.'))
	}

	onResponseStart(
		controller: Dispatcher.DispatchController,
		status: number,
		headers: IncomingHttpHeaders,
		statusText?: string,
	): void {
		if (isRedirect(status)) return void this.#redirected(headers)
		const moved = moveUploads(this.step.target, controller.rawHeaders, headers)
		if (moved instanceof Problem) return void this.#stop(moved, 'upload_elsewhere')
		if (status < 200 || !this.#move('head')) return
		this.httpStatus = status
		this.answeredNs = nowNs()
		this.statusText = statusText ?? ''
		this.headers = headers
		this.rawHeaders = moved?.headers ?? controller.rawHeaders
		this.contentLength = Number(headers['content-length'] ?? -1)
		this.#startReading(headers)
		for (const id of moved?.objects ?? []) this.reader?.reading.objects.add(id)
		if (!this.streamed) this.#stopClock()
		if (this.#held === null) this.#listener.onAnswer(this)
		else if (!this.#worthHolding(status)) this.answer()
	}

	/** Whether to hold it back: an error that another attempt may avoid, or a model's answer without content yet. */
	#worthHolding(status: number): boolean {
		const decision = decisionOnStatus(status, this.headers)
		return decision === 'good' ? this.reader !== null : decision !== 'final'
	}

	#startReading(headers: IncomingHttpHeaders): void {
		const { target, deferred } = this.step
		const { provider, surface } = target
		if (!surface || !(surface.modelCall || surface.creates || deferred)) {
			this.kept = new KeptAnswer(0)
			return
		}
		const type = this.contentType
		const reader = providers[provider].newReader(surface)
		this.listed = reader.listed ?? false
		this.#keeps = true
		// The record's thread gets the body of the answer, without its headers.
		if (!reader.onHeaders?.(headers) && this.#canBeReadLater(type, headers)) return
		this.reader = reader
		this.#tee = new ResponseTee(type, headers['content-encoding'] ?? '', this.reader, this)
		this.streamed = this.#tee.streamed
	}

	/** True for small plain JSON from a successful model call, in which nothing is needed for a decision here. */
	#canBeReadLater(type: string, headers: IncomingHttpHeaders): boolean {
		const { target, deferred } = this.step
		const { modelCall, creates, results } = target.surface ?? {}
		if (!this.#readsLater || !modelCall || creates || results || deferred || target.ownKey) return false
		return !this.listed && isPlainAnswer(this.httpStatus ?? 0, type, headers, this.contentLength)
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (!this.running) return
		this.responseBytes += chunk.length
		this.kept.push(chunk)
		if (this.#held === null) this.#listener.onPiece(chunk, controller)
		else this.#held.push(chunk)
		this.#tee?.write(chunk)
		if (this.#held !== null && this.responseBytes > heldLimitBytes) this.answer()
		if (this.streamed && this.running) this.#listener.onReading(controller)
	}

	onProgress(): void {
		if (!this.reader?.reading.content) return
		const now = nowNs()
		this.#noteGap(this.reader.reading.generatedBytes, now)
		if (this.firstContentNs !== null) return
		this.firstContentNs = now
		this.#stopClock()
		if (this.streamed && this.running) this.answer()
	}

	#noteGap(generatedBytes: number, now: bigint): void {
		if (!this.streamed || generatedBytes === this.#contentBytes) return
		this.#contentBytes = generatedBytes
		this.gaps ??= new StreamGaps()
		this.gaps.note(now)
	}

	onResponseEnd(): void {
		void this.read().then(() => this.#conclude(this.#truncated ? truncated : null))
	}

	/** A stream without its last event. Passing on its end would make it look complete to the client. */
	get #truncated(): boolean {
		const status = this.httpStatus ?? 0
		// 204 and 304 say that nothing follows.
		if (!this.streamed || !this.reader || status >= 300 || status === 204) return false
		const { ended, finishReason, errorType, content, model, responseId } = this.reader.reading
		const understood = content || model !== '' || responseId !== '' || this.responseBytes === 0
		return understood && !ended && !finishReason && !errorType
	}

	onResponseError(_controller: unknown, error: Error): void {
		if (!this.running) return
		const { host } = new URL(this.step.target.origin)
		const progress = { sent: this.#sent, answering: this.httpStatus !== null }
		this.#conclude(describeFailure(error, host, progress))
	}

	/**
	 * Redirects are neither followed nor passed on: the client would send its prompt to the other address, bypassing Signalbox,
	 * and many clients would send their key too, because they drop only `authorization`.
	 */
	#redirected(headers: IncomingHttpHeaders): void {
		const { host } = new URL(this.step.target.origin)
		const to = URL.parse(String(headers.location), this.step.target.origin + this.step.target.path)
		const where = to === null ? 'elsewhere' : `to ${to.origin}${to.pathname}`
		const detail = `The provider at ${host} redirects ${where}. Redirects are not followed: set the base URL of the connection to the right address.`
		this.#stop(new Problem('upstream_unreachable', detail), 'redirected')
	}

	#tooSlow(): void {
		const { host } = new URL(this.step.target.origin)
		const detail = `The provider at ${host} did not begin its answer in time.`
		this.#stop(new Problem('upstream_timeout', detail), 'timeout')
	}

	/** Fails it for a reason found here. */
	#stop(problem: Problem, errorType: string): void {
		this.#conclude({ problem, errorType })
		this.controller?.abort(new Error(problem.message))
	}

	#conclude(failure: UpstreamFailure | null): void {
		if (this.#end(this.decision(failure))) this.#listener.onOver(this, failure)
	}

	/** False if it was already over. */
	#end(decision: RetryDecision | null): boolean {
		if (!this.#move('end')) return false
		this.#stopClock()
		if (!this.step.health) return true
		const latencyMs = Number(betweenNs(this.startNs, this.firstContentNs ?? nowNs())) / 1e6
		const { askedMs } = this
		this.step.health.end(decision, { nowMs: systemClock.nowMs(), latencyMs, askedMs })
		return true
	}

	#stopClock(): void {
		if (this.#firstToken === null) return
		clearTimeout(this.#firstToken)
		this.#firstToken = null
	}
}

/** 304 is an answer: nothing has changed. */
function isRedirect(status: number): boolean {
	return status >= 300 && status < 400 && status !== 304
}

/** Whether it is small JSON, complete and unencoded, from a successful provider. */
export function isPlainAnswer(
	status: number,
	type: string,
	headers: IncomingHttpHeaders,
	contentLength: number,
): boolean {
	if (status >= 300 || !type.startsWith('application/json') || headers[costHeader] !== undefined) return false
	const isSmall = contentLength >= 0 && contentLength <= readLaterBytes
	return isSmall && (headers['content-encoding'] ?? 'identity') === 'identity'
}

const truncated: UpstreamFailure = {
	problem: new Problem('upstream_unreachable', 'The provider ended its answer before its last event.'),
	errorType: 'truncated_stream',
}
