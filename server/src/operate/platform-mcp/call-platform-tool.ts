import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../../platform/http/index.ts'
import { fitAnswer } from './fit-answer.ts'
import { BadArguments, requestOfCall } from './request-of-call.ts'
import { type ApiAnswer, type Ingress, sendThroughIngress } from './send-through-ingress.ts'
import type { PlatformTool } from './tool-of-operation.ts'

/** The result of `tools/call`. */
export interface CallResult {
	// The SDK's results may have further fields.
	[field: string]: unknown
	content: { type: 'text'; text: string }[]
	isError?: boolean
}

/** Who calls, as the request to `/mcp/platform` says. */
export interface PlatformCaller {
	request: IncomingMessage
	context: RequestContext
}

/** Runs the operation of a tool as its caller. What the platform refuses is a result that says so, never an exception. */
export async function callPlatformTool(
	ingress: Ingress,
	tool: PlatformTool,
	values: Readonly<Record<string, unknown>>,
	{ request, context }: PlatformCaller,
): Promise<CallResult> {
	try {
		return toResult(await sendThroughIngress(ingress, requestOfCall(tool, values), request, context))
	} catch (error) {
		if (error instanceof BadArguments)
			return failed(JSON.stringify({ code: 'invalid_request', detail: error.message }))
		throw error
	}
}

function toResult({ status, text }: ApiAnswer): CallResult {
	if (status >= 400) return failed(problemText(text))
	return { content: texts(text === '' ? '{"done":true}' : text) }
}

/** The code, which is stable, and what a person would be told; not the address of its documentation. */
function problemText(text: string): string {
	const { type: _, ...problem } = JSON.parse(text) as Record<string, unknown>
	return JSON.stringify(problem)
}

function failed(text: string): CallResult {
	return { content: [{ type: 'text', text }], isError: true }
}

function texts(json: string): CallResult['content'] {
	return fitAnswer(json).map((text) => ({ type: 'text', text }))
}
