import { Cancellation, parseJsonText, type RpcRequest } from '../../mcp-client/index.ts'
import type { AgentPrincipal } from '../../platform/http/index.ts'
import { readTrace, traceparentOf } from '../../platform/trace/index.ts'
import type { Caller, ClientProgram, Operation, TaskOfOperation } from '../operation.ts'
import { askNobody } from '../questions.ts'
import type { Reply } from '../reply.ts'

/** Who called what: enough to go on with it in another program, after a restart too. */
interface StoredCall {
	caller: Omit<Caller, 'principal'> & { principal: Omit<AgentPrincipal, 'scopes'> & { scopes: string[] } }
	client: ClientProgram
	sessionId: string | null
	request: RpcRequest
	traceparent: string
	traceState: string
	requestBytes: number
	clientAddress: string
}

export function writeCall(operation: Operation): string {
	const { caller, client, request, trace, requestBytes, clientAddress, sessionId = null } = operation
	const principal = caller.principal as AgentPrincipal
	const stored: StoredCall = {
		caller: { ...caller, principal: { ...principal, scopes: [...principal.scopes] } },
		...{ client, sessionId, request, requestBytes, clientAddress },
		traceparent: traceparentOf(trace),
		traceState: trace.traceState,
	}
	return JSON.stringify(stored)
}

/** The call as an operation of its own, a child of the request that began it. */
export function readCall(text: string, task: TaskOfOperation, reply: Reply): Operation {
	const { caller, sessionId, traceparent, traceState, ...kept } = parseJsonText(text) as StoredCall
	const { principal } = caller
	const trace = readTrace(traceparent, traceState || undefined)
	if (!trace) throw new Error('The trace of a stored call cannot be read.')
	return {
		...kept,
		caller: {
			...caller,
			// Programs of before wrote it with the principal only.
			userId: caller.userId ?? principal.delegatedBy?.userId ?? null,
			principal: { ...principal, scopes: new Set(principal.scopes) } as unknown as AgentPrincipal,
		},
		...(sessionId !== null && { sessionId }),
		...{ trace, reply, task, ask: askNobody, cancellation: new Cancellation() },
		...{ asking: 0, isRetry: false },
		// What is a task of its server already got there.
		sending: { isSent: task.upstreamTaskId !== null },
	}
}
