import { failureOf, type JsonObject, type RpcRequest } from '../../mcp-client/index.ts'
import type { Operation } from '../operation.ts'
import { type AskOptions, isAskable } from '../questions.ts'

type Answer = { result: JsonObject } | { error: { code: number; message: string; data?: unknown } }

/** Answers a request of a legacy server: by asking the client of the operation, or with a clear no, so that it does not wait. */
export async function answerServer(
	operation: Operation | null,
	{ method, params }: Pick<RpcRequest, 'method' | 'params'>,
	options: AskOptions = {},
): Promise<Answer> {
	if (method === 'ping') return { result: {} }
	if (!operation || !isAskable(method)) return refused(method)
	try {
		const result = await operation.ask({ method, params }, options)
		return result === 'unsupported' ? refused(method) : { result }
	} catch (error) {
		const { code, message, data } = failureOf(error)
		return { error: { code, message, ...(data !== undefined && { data }) } }
	}
}

function refused(method: string): Answer {
	const message = `The client behind this gateway cannot be asked for ${method.slice(0, 64)}.`
	return { error: { code: -32601, message } }
}
