import type { IncomingMessage, ServerResponse } from 'node:http'
import {
	Cancellation,
	type JsonObject,
	metaOf,
	namedFailure,
	type RpcFailure,
	type RpcRequest,
	rpcCodes,
} from '../mcp-client/index.ts'
import type { RequestContext } from '../platform/http/index.ts'
import { beginTrace, readTrace, type TraceContext } from '../platform/trace/index.ts'
import type { Caller, ClientProgram, Operation } from './operation.ts'
import { askNobody } from './questions.ts'
import type { Reply } from './reply.ts'

/** Continues the trace that `params._meta` names, else the one of the HTTP headers, else begins one (W3C Trace Context). */
export function continueTrace(request: IncomingMessage, params: JsonObject): TraceContext {
	const meta = metaOf(params)
	return (
		readTrace(meta.traceparent, meta.tracestate) ??
		readTrace(request.headers.traceparent, request.headers.tracestate) ??
		beginTrace()
	)
}

/** One HTTP request to an MCP endpoint. */
export interface McpHttpRequest {
	request: IncomingMessage
	response: ServerResponse
	caller: Caller
	guard: RequestContext['guard']
	clientAddress: string
	/** The query string without `?`, or ''. */
	search: string
	bodyBytes: number
	/** 202: taken, nothing to answer. */
	accept(): void
	answer(message: string, httpStatus: number): void
	/** Calls back when the client goes away before it has its answer. */
	onGone(cancel: (failure: RpcFailure) => void): void
}

export function newMcpHttpRequest(
	request: IncomingMessage,
	response: ServerResponse,
	caller: Caller,
	{ guard, clientAddress, search }: Pick<RequestContext, 'guard' | 'clientAddress' | 'search'>,
): McpHttpRequest {
	return {
		request,
		response,
		caller,
		...{ guard, clientAddress, search },
		bodyBytes: 0,
		accept: () => void response.writeHead(202).end(),
		answer: (message, httpStatus) => {
			const bytes = Buffer.from(message)
			response.writeHead(httpStatus, {
				'content-type': 'application/json',
				'content-length': bytes.length,
				'cache-control': 'no-store',
			})
			response.end(bytes)
		},
		onGone: (cancel) => {
			response.once('close', () => {
				if (!response.writableFinished) cancel(gone())
			})
		},
	}
}

function gone(): RpcFailure {
	return namedFailure(rpcCodes.internal, 'cancelled', 'The client went away.', { status: 'interrupted' })
}

/** A request as an operation; it is cancelled when its client goes away. */
export function newOperation(
	visit: McpHttpRequest,
	client: ClientProgram,
	request: RpcRequest,
	reply: Reply,
): Operation {
	const cancellation = new Cancellation()
	visit.onGone((failure) => cancellation.cancel(failure))
	return {
		caller: visit.caller,
		client,
		request,
		trace: continueTrace(visit.request, request.params),
		requestBytes: visit.bodyBytes,
		clientAddress: visit.clientAddress,
		reply,
		cancellation,
		ask: askNobody,
		asking: 0,
		sending: { isSent: false },
		isRetry: false,
	}
}
