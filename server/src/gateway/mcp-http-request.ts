import type { IncomingMessage, ServerResponse } from 'node:http'
import {
	Cancellation,
	type JsonObject,
	metaOfRequest,
	namedFailure,
	type RpcFailure,
	type RpcRequest,
	rpcCodes,
} from '../mcp-client/index.ts'
import type { RequestContext } from '../platform/http/route.ts'
import { beginTrace, readTrace, type TraceContext } from '../platform/trace/current-trace.ts'
import { askUnsupported } from './input-requests.ts'
import type { Caller, ClientProgram, Operation } from './operation.ts'
import type { Reply } from './reply.ts'

/**
 * Continues the trace named in a request's `_meta`, otherwise the one in the HTTP headers; without either, starts one (W3C Trace
 * Context).
 */
export function continueTrace(request: IncomingMessage, meta: JsonObject): TraceContext {
	return (
		readTrace(meta.traceparent, meta.tracestate) ??
		readTrace(request.headers.traceparent, request.headers.tracestate) ??
		beginTrace()
	)
}

/** One HTTP request to an MCP endpoint. */
export class McpHttpRequest {
	readonly request: IncomingMessage
	readonly response: ServerResponse
	readonly caller: Caller
	readonly guard: RequestContext['guard']
	readonly clientAddress: string
	/** The query string without `?`, or ''. */
	readonly search: string
	bodyBytes = 0
	/** From the ingress. */
	readonly context: Pick<RequestContext, 'refusal' | 'requestId' | 'waited'>

	constructor(request: IncomingMessage, response: ServerResponse, caller: Caller, context: RequestContext) {
		this.request = request
		this.response = response
		this.caller = caller
		this.guard = context.guard
		this.clientAddress = context.clientAddress
		this.search = context.search
		this.context = context
	}

	/** The same request with some properties replaced. */
	with(changes: Partial<Pick<McpHttpRequest, 'accept' | 'bodyBytes' | 'onGone' | 'guard'>>): McpHttpRequest {
		return Object.assign(Object.create(this) as McpHttpRequest, changes)
	}

	/** Sends 202: accepted, no answer follows. */
	accept(): void {
		this.response.writeHead(202).end()
	}

	answer(message: string, httpStatus: number): void {
		const bytes = Buffer.from(message)
		this.response.writeHead(httpStatus, {
			'content-type': 'application/json',
			'content-length': bytes.length,
			'cache-control': 'no-store',
		})
		this.response.end(bytes)
	}

	/** Calls `cancel` when the client disconnects before it has its answer. */
	onGone(cancel: (failure: RpcFailure) => void): void {
		// Nobody listened while a long body was scanned or a session read. A call that is at its server is taken over first.
		if (this.response.destroyed) return void queueMicrotask(() => cancel(gone()))
		this.response.once('close', () => {
			if (!this.response.writableFinished) cancel(gone())
		})
	}
}

export function gone(): RpcFailure {
	return namedFailure(rpcCodes.internal, 'cancelled', 'The client went away.', { status: 'interrupted' })
}

/** Creates the operation of a request. It is cancelled when its client disconnects. */
export function newOperation(
	httpRequest: McpHttpRequest,
	client: ClientProgram,
	request: RpcRequest,
	reply: Reply,
	trace: TraceContext = continueTrace(httpRequest.request, metaOfRequest(request)),
): Operation {
	const cancellation = new Cancellation()
	httpRequest.onGone((failure) => cancellation.cancel(failure))
	return {
		caller: httpRequest.caller,
		client,
		request,
		trace,
		requestBytes: httpRequest.bodyBytes,
		clientAddress: httpRequest.clientAddress,
		reply,
		cancellation,
		ask: askUnsupported,
		asking: 0,
		sending: { isSent: false },
		isRetry: false,
	}
}
