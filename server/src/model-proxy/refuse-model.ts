import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Problem } from '../platform/errors.ts'
import { type RefusalWriter, sendJson } from '../platform/http/index.ts'
import { providers } from './providers/index.ts'
import type { ModelProvider } from './providers/provider.ts'

/** Refuses a call before its connection is known, in the shape that the caller's client most likely parses. */
export const refuseModel: RefusalWriter = (request, response, problem, requestId) =>
	sendRefusal(response, providerByPath(request), problem, requestId)

/** Answers a problem in a provider's own shape. */
export function sendRefusal(
	response: ServerResponse,
	provider: ModelProvider,
	problem: Problem,
	requestId: string,
): void {
	for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value)
	sendJson(response, problem.status, provider.errorBody(problem, requestId))
}

/** The dialect that a path and its headers speak, for want of a connection. */
export function providerByPath(request: IncomingMessage): ModelProvider {
	const path = request.url?.split('?')[0] ?? ''
	const anthropic =
		request.headers['anthropic-version'] !== undefined ||
		/\/messages(?:\/|$)/.test(path) ||
		/^\/(?:proxy|spotlight)\/anthropic(?:\/|$)/.test(path)
	return anthropic ? providers.anthropic : providers.openai
}
