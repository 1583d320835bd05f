import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import { betweenNs, nowNs } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import { bodyMemory } from '../../platform/http/read-body.ts'
import type { RequestContext } from '../../platform/http/route.ts'
import { LaneRequest } from '../../platform/http1/lane-request.ts'
import { beginTrace, readTrace, type TraceContext } from '../../platform/trace/current-trace.ts'
import type { AnnounceListener, ConcludeListener, Intent } from '../../telemetry/index.ts'
import type { CallToPay } from '../budgets/budgets.ts'
import { type Attempt, isPlainAnswer } from './attempt.ts'
import { billOf } from './bill-call.ts'
import { CallAllowance } from './call-allowance.ts'
import { CallBody } from './call-body.ts'
import type { ForwardDependencies } from './call-dependencies.ts'
import type { CallFacts } from './call-record.ts'
import { limitHeadersIn, providerRequestIdIn, requestHeaders, responseHeaders } from './forwarded-headers.ts'
import { ModelCall } from './model-call.ts'
import {
	endedCommon,
	mayNameObjects,
	modelsIn,
	type PreparedEndpoint,
	plainCallToPay,
	stepTo,
} from './prepared-endpoints.ts'
import { CallPlan, defaultTimeouts, direct, type Step } from './reliability/call-plan.ts'
import { encodeOwnFacts, headersForRecord, ownAnnouncement } from './rows/call-facts.ts'
import { announcedBodyBytes, serverTiming } from './rows/facts-of-call.ts'
import { readAnswer } from './tee/response-tee.ts'

/**
 * The usual model call: its endpoint is prepared, its small body has arrived, and its answer is small JSON in one piece. One object takes it
 * through admission by limits and budgets, announcement, sending, recording and answering. When anything unusual happens (a stream, an
 * error, a client that disconnects, a permission that ends), the call continues as a `ModelCall` from its current state.
 */
export class PlainCall implements Dispatcher.DispatchHandler, AnnounceListener, ConcludeListener {
	/** Its entry in the list of live requests. */
	slot = -1
	readonly #deps: ForwardDependencies
	readonly #endpoint: PreparedEndpoint
	readonly #request: LaneRequest
	readonly #response: ServerResponse
	readonly #context: RequestContext
	readonly #body: Buffer
	readonly #trace: TraceContext
	readonly #startNs = nowNs()
	/** `announcing`: being admitted, or being written to the log. */
	#state: 'announcing' | 'sent' | 'recording' | 'over' = 'announcing'
	/** Null if neither limits nor budgets count the call. */
	#allowance: CallAllowance | null = null
	/** What limits and budgets know about the call. */
	#toPay: CallToPay | null = null
	/** Response headers that tell the client about its limits. */
	#limitHeaders: readonly string[] = []
	#intent: Intent | null = null
	/** Null until the headers are known from an earlier call. */
	#usual: ReturnType<PreparedEndpoint['headerCache']['of']> = null
	/** Why the call must stop, if that was found before it was announced: a problem, or a client that has disconnected. */
	#end: Problem | 'client gone' | null = null
	#sentNs = 0n
	#controller: Dispatcher.DispatchController | null = null
	/** Of the provider's answer. */
	#status = 0
	#statusText = ''
	#headers: IncomingHttpHeaders = {}
	#answer: Buffer = nothing
	#timing = ''
	/** The `ModelCall` that has taken over, and the handler that then receives the provider's events. */
	#call: ModelCall | null = null
	#attempt: Attempt | null = null

	/**
	 * Whether a request may be handled as a plain call, by its head: on the fast lane, with a small, unencoded JSON body and no
	 * provider key of the caller's own.
	 */
	static mayBe(request: IncomingMessage, { search }: RequestContext): boolean {
		if (!((request as unknown) instanceof LaneRequest) || search !== '') return false
		const { headers } = request
		const length = Number(headers['content-length'])
		if (!(length > 0 && length <= announcedBodyBytes)) return false
		if (headers['content-encoding'] !== undefined || headers['x-service-api-key'] !== undefined) return false
		return headers['content-type']?.startsWith('application/json') ?? false
	}

	/** Starts the call; its body has arrived. Returns false, without any effect, if it cannot be handled as a plain call. */
	static begins(
		deps: ForwardDependencies,
		request: LaneRequest,
		response: ServerResponse,
		context: RequestContext,
		endpoint: PreparedEndpoint,
	): boolean {
		const body = request.whole
		if (body === null || mayNameObjects(endpoint, body)) return false
		// The ingress has just checked a request that did not wait.
		const { waited } = context
		if (waited && (deps.feed.isStale() || context.refusal() || deps.stillValid(endpoint.caller))) return false
		const read =
			endpoint.selectsModels || endpoint.isBounded ? CallBody.readAtOnce(request.headers, body) : null
		if (endpoint.selectsModels && deps.endpoints.refusal(endpoint, modelsIn(endpoint, read))) return false
		if (endpoint.isBounded && !read?.json) return false
		if (!bodyMemory.takes(endpoint.caller.keyId, body.length)) return false
		request.consumeBody()
		const call = new PlainCall(deps, request, response, context, endpoint, body)
		if (endpoint.isBounded) call.#admit(read as CallBody)
		else call.#announce()
		return true
	}

	private constructor(
		deps: ForwardDependencies,
		request: LaneRequest,
		response: ServerResponse,
		context: RequestContext,
		endpoint: PreparedEndpoint,
		body: Buffer,
	) {
		this.#deps = deps
		this.#endpoint = endpoint
		this.#request = request
		this.#response = response
		this.#context = context
		this.#body = body
		const { traceparent, tracestate } = request.headers
		this.#trace = readTrace(traceparent, tracestate) ?? beginTrace()
		response.once('close', this.#onClose)
		context.live.enter(this)
		if (endpoint.agentId !== '') deps.noteSeen(endpoint.agentId)
	}

	/** The call as a live request. */
	check(): Problem | null {
		const { caller } = this.#endpoint
		const models = this.#endpoint.selectsModels ? modelsIn(this.#endpoint, this.#readBody()) : undefined
		const { endpoints, stillValid } = this.#deps
		return this.#context.refusal() ?? stillValid(caller) ?? endpoints.refusal(this.#endpoint, models)
	}

	abort(problem: Problem): void {
		if (this.#call) this.#call.cut(problem)
		else if (this.#state === 'announcing') this.#end ??= problem
		else if (this.#state === 'sent') this.#takeOver().cut(problem)
	}

	/** The client has its answer, or has disconnected. */
	readonly #onClose = (): void => {
		bodyMemory.count(this.#endpoint.caller.keyId, -this.#body.length)
		this.#context.live.leave(this)
		if (this.#call) return
		if (this.#state === 'announcing') this.#end ??= 'client gone'
		else if (this.#state === 'sent') this.#takeOver().clientGone()
	}

	#readBody(): CallBody | null {
		return CallBody.readAtOnce(this.#request.headers, this.#body)
	}

	/** Asks limits and budgets, which usually answer synchronously. */
	#admit(body: CallBody): void {
		const allowance = new CallAllowance(this.#deps)
		this.#allowance = allowance
		this.#toPay = plainCallToPay(this.#endpoint, this.#request.headers, body, this.#startNs)
		allowance.planPlain(this.#toPay, body)
		try {
			const later = allowance.enter(this.#step(body))
			if (later !== undefined)
				later.then(() => this.#onAdmitted()).catch((error: unknown) => this.#refuse(error))
			else this.#announce()
		} catch (error) {
			this.#refuse(error)
		}
	}

	#onAdmitted(): void {
		if (this.#end === null)
			return void (this.#deps.endpoints.isCurrent(this.#endpoint) ? this.#announce() : this.onRefused())
		this.#allowance?.release()
		if (this.#end === 'client gone') this.#unannounced().clientGone()
		else this.#refuse(this.#end)
	}

	#refuse(error: unknown): void {
		if (!(error instanceof Problem))
			this.#deps.log.error(
				{ err: error, request_id: this.#context.requestId },
				'model call: it cannot be admitted',
			)
		this.#unannounced().cut(error instanceof Problem ? error : new Problem('internal'))
	}

	/** Continues as a `ModelCall`; nothing of the call is in the log yet. */
	#unannounced(): ModelCall {
		const call = this.#newCall()
		const step = this.#step()
		call.plan(new CallPlan([step], direct), step.body)
		return call
	}

	#announce(): void {
		const { requestId } = this.#context
		const { headers, rawHeaders } = this.#request
		const { announcedCommon, headerCache, caller } = this.#endpoint
		this.#usual = headerCache.of(rawHeaders)
		const own = this.#usual ? null : headersForRecord(headers)
		const text = ownAnnouncement(requestId, this.#trace, this.#startNs, own, this.#body.length)
		const facts = encodeOwnFacts(this.#usual?.announced ?? announcedCommon, text, this.#body, null)
		this.#deps.calls.announceTo(this, 'model', caller.workspaceId, facts)
	}

	onAnnounced(intent: Intent): void {
		this.#intent = intent
		this.#state = 'sent'
		try {
			if (this.#end === 'client gone') this.#takeOver().clientGone()
			else if (this.#end) this.#takeOver().cut(this.#end)
			else this.#send()
		} catch (error) {
			this.onResponseError(this.#controller, error as Error)
		}
	}

	/** `ModelCall` handles a log that refuses records, and an endpoint that is no longer what was prepared. */
	onRefused(): void {
		const call = this.#newCall()
		const step = this.#step()
		const plan = new CallPlan([step], direct)
		call.forward(plan, step.body, this.#allowance).catch((error: Problem) => call.cut(error))
	}

	#send(): void {
		const { target, connection, authorization } = this.#endpoint
		this.#deps.noteUse(connection.id, connection.workspaceId)
		const headers = this.#usual?.forProvider ?? requestHeaders(this.#request.rawHeaders, authorization)
		const { origin, path } = target
		const body = this.#body
		this.#sentNs = nowNs()
		this.#deps.dispatcher.dispatch(
			{ origin, path, method: 'POST', headers: headers as string[], body, ...timeouts },
			this,
		)
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.#controller = controller
		this.#attempt?.onRequestStart(controller)
	}

	onResponseStart(
		controller: Dispatcher.DispatchController,
		status: number,
		headers: IncomingHttpHeaders,
		statusText = '',
	): void {
		if (this.#attempt) return void this.#attempt.onResponseStart(controller, status, headers, statusText)
		const length = Number(headers['content-length'] ?? -1)
		if (!isPlainAnswer(status, headers['content-type'] ?? '', headers, length)) {
			this.#takeOver()
			return void this.onResponseStart(controller, status, headers, statusText)
		}
		this.#timing = serverTiming(betweenNs(this.#startNs, this.#sentNs), betweenNs(this.#sentNs))
		this.#status = status
		this.#statusText = statusText
		this.#headers = headers
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (this.#attempt) return void this.#attempt.onResponseData(controller, chunk)
		if (chunk.length === Number(this.#headers['content-length']) && !this.#quotesSecret(chunk))
			this.#answer = chunk
		else {
			this.#handHeadOver(controller)
			this.onResponseData(controller, chunk)
		}
	}

	#quotesSecret(answer: Buffer): boolean {
		for (const secret of this.#endpoint.secrets) if (answer.includes(secret)) return true
		return false
	}

	#handHeadOver(controller: Dispatcher.DispatchController): void {
		this.#takeOver()
		this.#attempt?.onResponseStart(controller, this.#status, this.#headers, this.#statusText)
	}

	onResponseEnd(): void {
		if (this.#attempt) return void this.#attempt.onResponseEnd()
		if (this.#state !== 'sent') return
		this.#state = 'recording'
		if (this.#allowance) this.#settle(this.#allowance)
		this.#deps.calls.concludeTo(this, this.#intent as Intent, this.#endedFacts())
	}

	onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void {
		if (!this.#call) this.#takeOver()
		this.#attempt?.onResponseError(controller, error)
	}

	/** Reports the call's usage and cost to limits and budgets. */
	#settle(allowance: CallAllowance): void {
		const { provider, target, step } = this.#endpoint
		const type = this.#headers['content-type'] ?? ''
		const reading = target.surface && readAnswer(provider.newReader(target.surface), type, this.#answer)
		const { workspaceId, connection, provider: name, model, startNs, requestBytes } = this.#toPay as CallToPay
		const asked = { kind: 'model_call', modelRequested: model, provider: name } as const
		const call = { ...asked, workspaceId, connection, startNs, requestBytes }
		const status = this.#status
		const answered = {
			ending: complete,
			sent: true,
			deferred: false,
			answered: status,
			httpStatus: status,
			step,
		}
		const errorType = reading?.errorType ?? ''
		this.#limitHeaders = allowance.headers
		allowance.settle(billOf(call, answered, errorType, reading, this.#deps.priceCall), errorType)
	}

	#endedFacts(): Buffer {
		const headers = this.#headers
		const limits = limitHeadersIn(headers)
		const requestId = JSON.stringify(providerRequestIdIn(headers))
		const { length } = this.#answer
		const end =
			`"durationNs":${betweenNs(this.#startNs)},"timing":"${this.#timing}","responseBytes":${length},` +
			`"providerRequestId":${requestId},"limitHeaders":${limits.length === 0 ? '[]' : JSON.stringify(limits)}`
		const common = endedCommon(this.#endpoint, this.#status, headers['content-type'] as string)
		return encodeOwnFacts(common, `{"end":{${end}},"passedBytes":${length}}`, null, this.#answer)
	}

	onRecorded(): void {
		this.#state = 'over'
		const response = this.#response
		if (response.destroyed) return
		const { requestId } = this.#context
		const raw = this.#controller?.rawHeaders
		try {
			const headers = responseHeaders(raw, this.#headers, requestId)
			headers.push(...this.#limitHeaders, 'server-timing', this.#timing)
			response.writeHead(this.#status, this.#statusText, headers)
			response.end(this.#answer)
		} catch (error) {
			this.#deps.log.error(
				{ err: error, request_id: requestId },
				'model call: its answer cannot be passed on',
			)
			response.destroy()
		}
	}

	onUnrecorded(error: unknown): void {
		if (this.#deps.calls.servesUnrecorded(this.#endpoint.caller.workspaceId, error))
			return void this.onRecorded()
		this.#state = 'over'
		const { requestId } = this.#context
		this.#deps.log.error({ err: error, request_id: requestId }, 'model call: the record is incomplete')
		this.#response.destroy()
	}

	#newCall(): ModelCall {
		const { provider } = this.#endpoint
		const request = this.#request as unknown as IncomingMessage
		this.#call = new ModelCall(this.#deps, this.#facts(), provider, request, this.#response)
		this.#deps.unattended.checkBy(this.#call, this.#context.live, () => this.check())
		return this.#call
	}

	/** Continues as a `ModelCall`, which was announced already. */
	#takeOver(): ModelCall {
		const call = this.#newCall()
		this.#attempt = call.continuePlainCall({
			...{ step: this.#step(), intent: this.#intent as Intent, readNs: this.#startNs },
			...{ sentNs: this.#sentNs, controller: this.#controller, allowance: this.#allowance },
		})
		return call
	}

	#step(body = this.#readBody() as CallBody): Step {
		return stepTo(this.#endpoint, body)
	}

	#facts(): CallFacts {
		const { caller, agentId, agentName, name, path, connection } = this.#endpoint
		const { headers } = this.#request
		return {
			...{ requestId: this.#context.requestId, trace: this.#trace, startNs: this.#startNs },
			...{ workspaceId: caller.workspaceId, credentialId: caller.keyId, agentId, agentName },
			...{ connection: name, provider: connection.provider, vendor: connection.vendor },
			...{ method: 'POST', path, headers },
			onDisconnect: caller.onDisconnect ?? 'abort',
		}
	}
}

const nothing = Buffer.alloc(0)
const complete = { kind: 'complete' } as const
const timeouts = { headersTimeout: 600_000, bodyTimeout: defaultTimeouts.idleMs }
