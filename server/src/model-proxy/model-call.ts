import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Hold, Spending } from '../budgets/index.ts'
import type { PriceCall } from '../ledger/index.ts'
import { nowNs } from '../platform/clock.ts'
import { Problem } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Intent, Recorder, SpanRow } from '../telemetry/index.ts'
import { type CallFacts, draftRow, type Ending, outcomeRow } from './call-record.ts'
import { requestHeaders, responseHeaders } from './forwarded-headers.ts'
import { callToPay, outcomeToPay, outputLimitFields } from './pay-call.ts'
import type { ModelProvider, ResponseReader } from './providers/provider.ts'
import { sendRefusal } from './refuse-model.ts'
import type { Target } from './target.ts'
import { fieldsOf } from './tee/json-fields.ts'
import { ResponseTee, type TeeListener } from './tee/response-tee.ts'
import { describeFailure } from './upstream-failure.ts'

export interface ModelCallDependencies {
	dispatcher: Dispatcher
	recorder: Pick<Recorder, 'begin' | 'finish'>
	log: Log
	priceCall: PriceCall
	/** Budgets hold what a call may cost before it is made. */
	spending: Pick<Spending, 'hold'>
}

/** Reasoning models can think for long before the first byte; between two bytes of an answer less is normal. */
const headersTimeoutMs = 600_000
const idleTimeoutMs = 300_000

const requestFields: ReadonlySet<string> = new Set([
	'model',
	'stream',
	'metadata',
	'user',
	'safety_identifier',
	...outputLimitFields,
])

/**
 * One call: bytes go from the client to the provider and back unchanged, a tee reads along, and exactly one outcome
 * is recorded, before the response ends. Serves as the handler of its own upstream request.
 */
export class ModelCall implements Dispatcher.DispatchHandler, TeeListener {
	readonly #deps: ModelCallDependencies
	readonly #facts: CallFacts
	readonly #provider: ModelProvider
	readonly #request: IncomingMessage
	readonly #response: ServerResponse
	#target: Target | null = null
	#draft: SpanRow | null = null
	/** The draft before it is announced. */
	#planned: SpanRow | null = null
	#intent: Intent | null = null
	/** Set once; whatever happens afterwards changes nothing. */
	#ending: Ending | null = null
	#controller: Dispatcher.DispatchController | null = null
	#reader: ResponseReader | null = null
	#tee: ResponseTee | null = null
	#streamed = false
	#httpStatus: number | null = null
	#providerRequestId = ''
	#firstContentNs: bigint | null = null
	#responseBytes = 0
	/** Of the response as announced; -1 when it is not. */
	#contentLength = -1
	/** The last piece of a response of known length: with it the client would see the end. */
	#held: Buffer | null = null
	/** Why the provider must wait: the client reads slowly, a budget is asked for more. */
	#waits = 0
	#awaitingDrain = false
	/** What budgets hold for this call. */
	#hold: Hold | null = null
	#askingForMore = false

	constructor(
		deps: ModelCallDependencies,
		facts: CallFacts,
		provider: ModelProvider,
		request: IncomingMessage,
		response: ServerResponse,
	) {
		this.#deps = deps
		this.#facts = facts
		this.#provider = provider
		this.#request = request
		this.#response = response
		response.once('close', () => this.#conclude({ kind: 'client_gone' }))
	}

	/** Announces the call and sends it to its target. */
	async forward(target: Target, body: Buffer): Promise<void> {
		if (this.#ending) return
		this.#target = target
		const encoded = this.#request.headers['content-encoding'] !== undefined
		const asked = encoded ? undefined : fieldsOf(body, requestFields)
		const draft = draftRow(this.#facts, target, asked, body.length)
		this.#planned = draft
		if (draft.kind === 'model_call') {
			const hold = this.#deps.spending.hold(callToPay(draft, asked))
			this.#hold = hold instanceof Promise ? await hold : hold
			if (this.#ending) return this.#hold?.release()
		}
		this.#draft = draft
		const intent = await this.#announce(draft)
		if (this.#ending) return void this.#finish(intent, this.#ending)
		const { origin, path, keyHeader } = target
		const headers = requestHeaders(this.#request.rawHeaders, keyHeader)
		const options = { origin, path, headers, method: this.#facts.method as Dispatcher.HttpMethod }
		const timeouts = { headersTimeout: headersTimeoutMs, bodyTimeout: idleTimeoutMs }
		this.#deps.dispatcher.dispatch({ ...options, ...timeouts, body: body.length > 0 ? body : null }, this)
	}

	async #announce(draft: SpanRow): Promise<Intent> {
		try {
			this.#intent = await this.#deps.recorder.begin(draft)
			return this.#intent
		} catch (error) {
			this.#draft = null
			this.#hold?.release()
			throw error
		}
	}

	/** Ends the call here: refuses it, or ends a running stream with the provider's error event. */
	cut(problem: Problem): void {
		this.#conclude({ kind: 'refused', problem })
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.#controller = controller
		if (this.#ending) controller.abort(new Error('The call has ended.'))
	}

	onResponseStart(
		controller: Dispatcher.DispatchController,
		status: number,
		headers: IncomingHttpHeaders,
		statusText?: string,
	): void {
		if (status < 200 || this.#ending) return
		this.#httpStatus = status
		this.#contentLength = Number(headers['content-length'] ?? -1)
		this.#providerRequestId = String(headers['x-request-id'] ?? headers['request-id'] ?? '')
		this.#startReading(headers)
		const forwarded = responseHeaders(controller.rawHeaders, headers, this.#facts.requestId)
		this.#response.writeHead(status, statusText ?? '', forwarded)
		// A first piece that arrived together with the headers goes in the same packet.
		process.nextTick(ModelCall.#flushHeaders, this)
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (this.#ending) return
		this.#responseBytes += chunk.length
		if (this.#responseBytes === this.#contentLength) this.#held = chunk
		else if (!this.#response.write(chunk)) this.#waitForDrain(controller)
		this.#tee?.write(chunk)
		if (this.#hold && this.#streamed) this.#payFor(this.#hold, controller)
	}

	/** Lets no more of an answer pass than its budgets hold money for. */
	#payFor(hold: Hold, controller: Dispatcher.DispatchController): void {
		if (this.#askingForMore || this.#ending) return
		const decision = hold.progress(this.#reader?.reading.generatedBytes ?? 0)
		if (decision === null) return
		this.#askingForMore = true
		this.#pause(controller)
		const refused = (problem: Problem | null) => {
			this.#askingForMore = false
			if (problem) this.cut(problem)
			this.#resume(controller)
		}
		decision.then(refused, () => refused(new Problem('store_unavailable')))
	}

	onResponseEnd(): void {
		this.#conclude({ kind: 'complete' })
	}

	onResponseError(_controller: unknown, error: Error): void {
		const host = new URL(this.#target?.origin ?? 'http://unknown').host
		this.#conclude({ kind: 'failed', ...describeFailure(error, host, this.#httpStatus !== null) })
	}

	#startReading(headers: IncomingHttpHeaders): void {
		const surface = this.#target?.surface
		if (!surface?.modelCall) return
		const type = headers['content-type'] ?? ''
		this.#streamed = type.startsWith('text/event-stream')
		this.#reader = this.#provider.newReader(surface.operation)
		this.#tee = new ResponseTee(type, headers['content-encoding'] ?? '', this.#reader, this)
	}

	onProgress(): void {
		if (this.#firstContentNs === null && this.#reader?.reading.content) this.#firstContentNs = nowNs()
	}

	/** A whole response that came in one piece goes out in one piece, once it is recorded. */
	static #flushHeaders(call: ModelCall): void {
		const response = call.#response
		if (call.#responseBytes === 0 && !response.destroyed && !response.writableEnded) response.flushHeaders()
	}

	#waitForDrain(controller: Dispatcher.DispatchController): void {
		if (this.#awaitingDrain) return
		this.#awaitingDrain = true
		this.#pause(controller)
		this.#response.once('drain', () => {
			this.#awaitingDrain = false
			this.#resume(controller)
		})
	}

	#pause(controller: Dispatcher.DispatchController): void {
		this.#waits += 1
		controller.pause()
	}

	#resume(controller: Dispatcher.DispatchController): void {
		this.#waits -= 1
		if (this.#waits === 0) controller.resume()
	}

	#conclude(ending: Ending): void {
		if (this.#ending) return
		this.#ending = ending
		if (ending.kind !== 'complete') this.#controller?.abort(new Error('The call has ended.'))
		// A call that is being announced right now is finished by `forward`.
		if (this.#intent) void this.#finish(this.#intent, ending)
		else if (!this.#draft) void this.#recordUnannounced(ending)
	}

	async #recordUnannounced(ending: Ending): Promise<void> {
		this.#draft = this.#planned ?? draftRow(this.#facts, this.#target)
		try {
			await this.#finish(await this.#deps.recorder.begin(this.#draft), ending)
		} catch (error) {
			// A full log must not keep a refusal from its caller: nothing went upstream.
			this.#deps.log.warn(
				{ err: error, request_id: this.#facts.requestId },
				'model call: refusal not recorded',
			)
			this.#answer(ending)
		}
	}

	async #finish(intent: Intent, ending: Ending): Promise<void> {
		const endNs = nowNs()
		try {
			await this.#tee?.end()
			const row = this.#outcome(ending, endNs)
			this.#hold?.settle(outcomeToPay(row))
			await this.#deps.recorder.finish(intent, row)
		} catch (error) {
			this.#deps.log.error(
				{ err: error, request_id: this.#facts.requestId },
				'model call: outcome not recorded',
			)
			return void this.#response.destroy()
		}
		this.#answer(ending)
	}

	#outcome(ending: Ending, endNs: bigint): SpanRow {
		const figures = {
			endNs,
			firstContentNs: this.#firstContentNs,
			httpStatus: this.#httpStatus ?? ('problem' in ending ? ending.problem.status : null),
			responseBytes: this.#responseBytes,
			providerRequestId: this.#providerRequestId,
			streamed: this.#streamed,
			secret: this.#target?.keyHeader[1].replace(/^Bearer /, '') ?? '',
		}
		const reading = this.#reader?.reading ?? null
		return outcomeRow(this.#draft as SpanRow, ending, reading, figures, this.#deps.priceCall)
	}

	/** What the client sees of the end, once it is recorded. */
	#answer(ending: Ending): void {
		const response = this.#response
		if (response.destroyed || ending.kind === 'client_gone') return
		if (ending.kind === 'complete') response.end(this.#held ?? undefined)
		else if (!response.headersSent) this.#refuse(ending.problem)
		else this.#breakOff(ending.problem)
	}

	/** A running event stream ends with the provider's error event, anything else with a cut: never as if it were whole. */
	#breakOff(problem: Problem): void {
		if (!this.#tee?.open || this.#contentLength >= 0) return void this.#response.destroy()
		const event = this.#provider.errorEvent(problem, this.#facts.requestId)
		this.#response.end(this.#tee.atBoundary ? event : `\n\n${event}`)
	}

	#refuse(problem: Problem): void {
		sendRefusal(this.#response, this.#provider, problem, this.#facts.requestId)
		// The rest of an unread body would otherwise hold the connection open.
		if (!this.#request.complete) this.#request.resume()
	}
}
