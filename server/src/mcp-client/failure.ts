import { callCutText, type ProblemCode, type SpanStatus } from '@signalbox/contract'
import { ExpectedFailure, Problem } from '../platform/errors.ts'

/** Codes of JSON-RPC 2.0 and of MCP. */
export const rpcCodes = {
	parseError: -32700,
	invalidRequest: -32600,
	methodNotFound: -32601,
	invalidParams: -32602,
	internal: -32603,
	sessionNotFound: -32001,
	// Ours. Go's SDK reads -32003 and -32004 as the end of its connection.
	accessDenied: -32010,
	callCut: -32011,
	headerMismatch: -32020,
	missingCapability: -32021,
	unsupportedVersion: -32022,
} as const

/** How a failed operation is classified in telemetry. */
export type FailureStatus = Exclude<SpanStatus, 'ok' | 'unset'>

export interface FailureOptions {
	/** HTTP status of the answer. The default is 200: the message arrived, but the operation failed. */
	httpStatus?: number
	/** The status in telemetry; `error` by default. */
	status?: FailureStatus
	/** `error.type` in telemetry; the code by default. */
	errorType?: string
	/** `error.data`. An upstream's is passed on unchanged. */
	data?: unknown
	cause?: unknown
}

/** A failure as a JSON-RPC error: what the client gets and how it is recorded. */
export class RpcFailure extends ExpectedFailure {
	readonly code: number
	readonly data: unknown
	readonly httpStatus: number
	readonly status: FailureStatus
	readonly errorType: string

	constructor(code: number, message: string, options: FailureOptions = {}) {
		super(message, options.cause, code === rpcCodes.internal)
		this.code = code
		this.data = options.data
		this.httpStatus = options.httpStatus ?? 200
		this.status = options.status ?? 'error'
		this.errorType = options.errorType ?? String(code)
	}
}

/** Whether it is an error that a server answered with, not the lack of its answer. */
export function isServersOwn(error: unknown): boolean {
	return error instanceof RpcFailure && error.errorType === String(error.code)
}

/** A failure with a stable text code in `error.data.code`, which is also its `error.type`. */
export function namedFailure(
	code: number,
	name: string,
	message: string,
	options: FailureOptions & { facts?: Record<string, unknown> } = {},
): RpcFailure {
	const { facts, ...rest } = options
	return new RpcFailure(code, message, { errorType: name, data: { code: name, ...facts }, ...rest })
}

export function invalidParams(message: string): RpcFailure {
	return new RpcFailure(rpcCodes.invalidParams, message)
}

export function invalidRequest(message: string): RpcFailure {
	return new RpcFailure(rpcCodes.invalidRequest, message, { httpStatus: 400 })
}

export function methodNotFound(method: string): RpcFailure {
	return new RpcFailure(rpcCodes.methodNotFound, `The method ${method.slice(0, 128)} does not exist here.`)
}

const codesOfProblems: Partial<Record<ProblemCode, number>> = {
	invalid_json: rpcCodes.parseError,
	unauthenticated: rpcCodes.accessDenied,
	forbidden: rpcCodes.accessDenied,
	address_not_allowed: rpcCodes.accessDenied,
	agent_required: rpcCodes.accessDenied,
	agent_not_active: rpcCodes.accessDenied,
	internal: rpcCodes.internal,
}

/** Converts a `Problem` to a JSON-RPC error, with the catalogue's code in `error.data.code`. */
export function toFailure(problem: Problem, requestId?: string): RpcFailure {
	const code =
		codesOfProblems[problem.code] ?? (problem.status >= 500 ? rpcCodes.internal : rpcCodes.invalidRequest)
	return namedFailure(code, problem.code, problem.message, {
		httpStatus: problem.status,
		status: problem.status === 401 || problem.status === 403 ? 'denied' : 'error',
		...(requestId !== undefined && { facts: { request_id: requestId } }),
		cause: problem,
	})
}

/** Failures without an answer of the server. If there is an answer, it says itself what happened. */
const unanswered: ReadonlySet<string> = new Set([
	...['timeout', 'input_timeout', 'upstream_unreachable', 'upstream_disconnected'],
	...['upstream_invalid_answer', 'upstream_http_error'],
])
const cutByUs: ReadonlySet<string> = new Set(['timeout', 'input_timeout'])

/**
 * The failure of an operation that had been sent. A refusal would claim that it did not run, so it becomes `call_cut`; failures
 * without an answer say that it may have taken effect. A client that cancels a call need not be told.
 */
export function afterSending(failure: RpcFailure): RpcFailure {
	const { code, message, errorType, data, status, httpStatus } = failure
	const isRefusal = status === 'denied'
	if (!isRefusal && !unanswered.has(errorType)) return failure
	return new RpcFailure(isRefusal ? rpcCodes.callCut : code, callCutText(message), {
		errorType,
		data: {
			...(data as object | undefined),
			...(isRefusal && { code: 'call_cut', reason: reasonIn(data) ?? errorType }),
			may_have_taken_effect: true,
		},
		status: isRefusal || cutByUs.has(errorType) ? 'cut' : status,
		httpStatus,
		cause: failure,
	})
}

/** The reason of a refusal, if it is more specific than the code. */
function reasonIn(data: unknown): unknown {
	return (data as { reason?: unknown } | undefined)?.reason
}

/** Converts anything thrown to a failure. Only the text of unexpected errors is hidden. */
export function failureOf(error: unknown): RpcFailure {
	if (error instanceof RpcFailure) return error
	if (error instanceof Problem) return toFailure(error)
	return namedFailure(rpcCodes.internal, 'internal', 'Something broke on our side; the log has the cause.', {
		cause: error,
	})
}
