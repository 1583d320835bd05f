import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import {
	type Cancellation,
	errorMessage,
	failureOf,
	type PlainAnswer,
	type RawRequest,
	type RpcFailure,
	readEventAnswer,
	readJsonAnswer,
	StartedExchange,
} from '../../mcp-client/index.ts'
import { betweenNs, nowNs } from '../../platform/clock.ts'
import type { Slots } from '../../platform/slots.ts'
import type { TraceContext } from '../../platform/trace/current-trace.ts'
import type { AnnounceListener, ConcludeListener, Intent } from '../../telemetry/index.ts'
import type { Gateway } from '../gateway.ts'
import { continueTrace, gone, type McpHttpRequest } from '../mcp-http-request.ts'
import type { AskableCall, Caller, ClientProgram, Operation } from '../operation.ts'
import { chooseAgain } from '../perform/call-tool.ts'
import { announcedFacts, endedPlainFacts } from '../perform/operation-facts.ts'
import { notRecorded, refusalNow, type StartedOperation } from '../perform/run-recorded.ts'
import type { PlainCallSender } from '../upstreams/plain-call-sender.ts'
import type { PreparedTool } from './prepared-tools.ts'

/** What depends on the protocol era of a plain call's client. */
export interface PlainEra {
	/** Registers the running call so that the client can cancel it. Absent in the modern era, which has no cancellation. */
	begin?(call: PlainToolCall): void
	end?(): void
	/** The same call as an operation that has not started. */
	toOperation(parts: PlainCallParts, trace: TraceContext): Operation
	/** Runs that operation from the call's current state. */
	continueOperation(parts: PlainCallParts, operation: Operation, begun: StartedOperation): Promise<void>
}

/** Larger answers are read as an operation, which enforces its own limits. */
const maxAnswerBytes = 64 * 1024
/** For how long a decision is valid, in milliseconds; see `runRecorded`. */
const decisionValidMs = 1000

export interface PlainCallParts {
	gateway: Gateway
	/** All plain calls that run. */
	running: Slots<PlainToolCall>
	httpRequest: McpHttpRequest
	request: RawRequest
	client: ClientProgram
	era: PlainEra
	prepared: PreparedTool
	sender: PlainCallSender
}

/**
 * The usual tool call: its tool is prepared, and its answer is one small result. One object takes it through announcement, sending, recording
 * and answering. When anything unusual happens (a message from the server before its answer, a failure, a client that disconnects, a
 * permission that ends), the call continues as an operation from its current state.
 */
export class PlainToolCall
	implements Dispatcher.DispatchHandler, AnnounceListener, ConcludeListener, AskableCall
{
	/** Its entry in the list of running calls. */
	slot = -1
	readonly caller: Caller
	readonly request: RawRequest
	readonly client: ClientProgram
	readonly trace: TraceContext
	readonly requestBytes: number
	readonly clientAddress: string
	readonly beganMs: number
	readonly #parts: PlainCallParts
	readonly #startNs = nowNs()
	#state: 'announcing' | 'sent' | 'recording' | 'over' = 'announcing'
	#intent: Intent | null = null
	#id = 0
	#controller: Dispatcher.DispatchController | null = null
	/** Headers and bytes of the server's answer. */
	#headers: IncomingHttpHeaders | null = null
	/** Once the answer was read: what is sent to the client, with this status. */
	#body: Buffer = nothing
	#status = 200
	#isEnded = false
	#isStream = false
	#answer: PlainAnswer | null = null
	/** The operation that it has become, and the handler that then receives the server's events. */
	#operation: Operation | null = null
	#begun: StartedExchange | null = null

	constructor(parts: PlainCallParts) {
		const { gateway, httpRequest, request } = parts
		this.#parts = parts
		this.caller = parts.prepared.caller
		this.request = request
		this.client = parts.client
		this.trace = continueTrace(httpRequest.request, request.meta)
		this.requestBytes = httpRequest.bodyBytes
		this.clientAddress = httpRequest.clientAddress
		this.beganMs = gateway.clock.nowMs()
	}

	/** Checks a running call: its permissions may have changed, and a call that lasts becomes an operation. */
	check(nowMs: number, oldestMs: number): void {
		const isOld = this.#state === 'announcing' || nowMs - this.beganMs > oldestMs
		if (isOld || this.#parts.httpRequest.context.refusal() || this.#refusal()) this.becomeOperation()
	}

	/** Read when someone cancels the call, which then continues as an operation. */
	get cancellation(): Cancellation {
		return this.becomeOperation().cancellation
	}

	begin(): void {
		const { gateway, running, httpRequest, era, prepared } = this.#parts
		httpRequest.response.on('close', this.#onClose)
		running.add(this)
		era.begin?.(this)
		const facts = announcedFacts(gateway, this, prepared, this.#startNs)
		gateway.calls.announceTo(this, 'tool', this.caller.workspaceId, facts)
	}

	#refusal(): RpcFailure | null {
		const { gateway, prepared } = this.#parts
		const { caller, name } = prepared
		return refusalNow(gateway, this, {
			refusal: () => chooseAgain(gateway, caller, name, prepared, argumentsOf(this.request)).refusal,
		})
	}

	get sentAs(): number {
		return this.#id
	}

	/** Converts the call to an operation, because someone ends it, its client must be asked, or it takes too long. */
	becomeOperation(): Operation {
		if (this.#operation) return this.#operation
		const operation = this.#parts.era.toOperation(this.#parts, this.trace)
		this.#operation = operation
		if (this.#state === 'sent') this.#continueOperation()
		return operation
	}

	readonly #onClose = () => {
		const { running, httpRequest } = this.#parts
		running.delete(this)
		const isCut = this.#state === 'announcing' || this.#state === 'sent'
		if (isCut && !httpRequest.response.writableFinished) this.cancellation.cancel(gone())
	}

	onAnnounced(intent: Intent): void {
		this.#intent = intent
		this.#state = 'sent'
		const waitedMs = this.#parts.gateway.clock.nowMs() - this.beganMs
		if (this.#operation || waitedMs > decisionValidMs) this.#becomeOperation()
		else this.#send()
	}

	/** The operation handles the case that the log refuses the record. */
	onRefused(): void {
		this.#state = 'sent'
		this.#becomeOperation()
	}

	#becomeOperation(): void {
		if (this.#operation) this.#continueOperation()
		else this.becomeOperation()
	}

	#send(): void {
		const { request, client, trace } = this
		const { gateway, sender } = this.#parts
		sender.upstreamSession?.begin(this)
		this.#id = gateway.upstreams.nextId()
		const args = request.raw.textOf('arguments')
		try {
			sender.send({ client, meta: request.meta, trace, args }, this.#id, this)
		} catch (error) {
			this.becomeOperation().cancellation.cancel(failureOf(error))
		}
	}

	/** Continues as an operation and hands over what has arrived so far. */
	#continueOperation(): void {
		const { gateway, running, httpRequest, era, sender } = this.#parts
		const operation = this.#operation as Operation
		this.#state = 'over'
		running.delete(this)
		era.end?.()
		if (this.#id > 0) this.#handOver(operation)
		const begun = { intent: this.#intent, startNs: this.#startNs, beganMs: this.beganMs }
		era
			.continueOperation(this.#parts, operation, begun)
			.catch((error: unknown) => {
				gateway.log.error({ err: error }, 'gateway: a call could not be continued')
				httpRequest.response.destroy()
			})
			.finally(() => this.#begun?.abandon(new Error('Nobody waits for it.')))
		sender.upstreamSession?.end(this)
	}

	#handOver(operation: Operation): void {
		const { prepared } = this.#parts
		const controller = this.#controller
		const begun = new StartedExchange(this.#id)
		this.#begun = begun
		operation.begun = begun
		operation.sentTo = { server: prepared.server, tool: prepared.definition }
		operation.cancellation.also((failure) => begun.abandon(failure))
		if (!controller) return
		operation.sending.isSent = true
		begun.onRequestStart(controller)
		if (this.#headers) begun.onResponseStart(controller, 200, this.#headers)
		if (this.#body.length > 0) begun.onResponseData(controller, this.#body)
		if (this.#isEnded) begun.onResponseEnd(controller)
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		if (this.#begun) return void this.#begun.onRequestStart(controller)
		this.#controller = controller
	}

	onResponseStart(
		controller: Dispatcher.DispatchController,
		status: number,
		headers: IncomingHttpHeaders,
	): void {
		if (this.#begun) return void this.#begun.onResponseStart(controller, status, headers)
		if (status < 200) return
		const kind = status === 200 ? kindOfAnswer(headers) : null
		if (kind === null) {
			this.becomeOperation()
			const begun = this.#begun as StartedExchange | null
			return void begun?.onResponseStart(controller, status, headers)
		}
		this.#headers = headers
		this.#isStream = kind === 'stream'
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (this.#begun) return void this.#begun.onResponseData(controller, chunk)
		if (this.#answer) return
		this.#body = this.#body.length === 0 ? chunk : Buffer.concat([this.#body, chunk])
		if (this.#body.length > maxAnswerBytes) return void this.becomeOperation()
		if (!this.#isStream) return
		const read = readEventAnswer(this.#body, this.#id)
		if (read === 'other') this.becomeOperation()
		else if (read !== 'more') this.#take(read)
	}

	onResponseEnd(controller: Dispatcher.DispatchController): void {
		if (this.#begun) return void this.#begun.onResponseEnd(controller)
		this.#isEnded = true
		if (this.#answer) {
			// The stream went on after the answer.
			if (this.#state === 'over') this.#parts.gateway.upstreams.lingering.delete(this)
			return
		}
		const read = this.#isStream ? null : readJsonAnswer(this.#body, this.#id)
		if (read) this.#take(read)
		else this.becomeOperation()
	}

	onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
		if (this.#begun) return void this.#begun.onResponseError(controller, error)
		if (this.#answer) return void this.onResponseEnd(controller)
		this.becomeOperation()
		const begun = this.#begun as StartedExchange | null
		begun?.onResponseError(controller, error)
	}

	/** Ends a stream that continues after the answer. */
	abort(reason: Error): void {
		this.#controller?.abort(reason)
	}

	#take(answer: PlainAnswer): void {
		const { gateway, era, prepared, sender } = this.#parts
		const { maxResultBytes } = prepared.server
		const isModern = this.client.era === 'modern'
		if (!answer.isPlain || (maxResultBytes !== null && answer.result.length > maxResultBytes))
			return void this.becomeOperation()
		this.#answer = answer
		this.#state = 'recording'
		sender.upstreamSession?.end(this)
		era.end?.()
		const result = isModern ? inModernWords(answer) : answer.result
		const head = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(this.request.id)},"result":`)
		const message = Buffer.concat([head, result, closing])
		this.#body = message
		const facts = endedPlainFacts(betweenNs(this.#startNs), message.length, result, prepared.capturesResults)
		gateway.calls.concludeTo(this, this.#intent as Intent, facts)
	}

	onUnrecorded(error: unknown): void {
		const { calls, log } = this.#parts.gateway
		if (!calls.servesUnrecorded(this.caller.workspaceId, error)) {
			log.error({ err: error }, 'gateway: the outcome of a call could not be recorded')
			this.#status = 503
			this.#body = Buffer.from(errorMessage(this.request.id, notRecorded()))
		}
		this.onRecorded()
	}

	/** Sends the answer. */
	onRecorded(): void {
		const { gateway, httpRequest } = this.#parts
		this.#state = 'over'
		gateway.noteSeen(this.caller.agentId)
		if (!this.#isEnded) gateway.upstreams.lingering.add(this)
		const { response } = httpRequest
		if (response.destroyed) return
		response.writeHead(this.#status, {
			'content-type': 'application/json',
			'content-length': String(this.#body.length),
			'cache-control': 'no-store',
		})
		response.end(this.#body)
	}
}

const nothing = Buffer.alloc(0)

/** How to read the answer: JSON of a bounded length or an event stream; null for anything else. */
function kindOfAnswer(headers: IncomingHttpHeaders): 'json' | 'stream' | null {
	const encoding = headers['content-encoding']
	if (encoding !== undefined && encoding !== 'identity') return null
	if (Number(headers['content-length'] ?? 0) > maxAnswerBytes) return null
	const type = headers['content-type'] ?? ''
	if (type.startsWith('application/json')) return 'json'
	return type.startsWith('text/event-stream') ? 'stream' : null
}

export function argumentsOf({ raw }: RawRequest): unknown {
	const member = raw.find('arguments')
	return member ? raw.valueAt(member) : {}
}

const complete = Buffer.from('"resultType":"complete"}')
const comma = Buffer.from(',')
const closing = Buffer.from('}')

/** Completes a result for the modern era, in which it must say that it is complete. */
function inModernWords({ result, isEmpty, hasResultType }: PlainAnswer): Buffer {
	if (hasResultType) return result
	const open = result.subarray(0, result.lastIndexOf(closing))
	return Buffer.concat(isEmpty ? [open, complete] : [open, comma, complete])
}
