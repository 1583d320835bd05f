import { Cancellation, type RpcRequest } from '../mcp-client/index.ts'
import type { McpHttpRequest } from './handle-post.ts'
import type { ClientProgram, Operation } from './operation.ts'
import { askNobody } from './questions.ts'
import type { Reply } from './reply.ts'
import { continueTrace } from './trace-context.ts'

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
