import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from '@signalbox/contract'
import type { Problem } from '../../platform/errors.ts'
import { type RefusalWriter, sendJson } from '../../platform/http/index.ts'
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

/** How each dialect shows in a path, in the order in which they are looked for. */
const signs: [RegExp, Provider][] = [
	[/\/projects\/[^/]+\/locations\//, 'vertex'],
	[/\/model\/[^/]+\/(converse|invoke)/, 'bedrock'],
	[/\/messages(?:\/|$)/, 'anthropic'],
	[/\/v1beta\/|\/models\/[^/]+:\w+$/, 'gemini'],
]

/** The dialect that a path and its headers speak, for want of a connection. */
export function providerByPath(request: IncomingMessage): ModelProvider {
	if (request.headers['anthropic-version'] !== undefined) return providers.anthropic
	const path = request.url?.split('?')[0] ?? ''
	const shown = signs.find(([sign]) => sign.test(path))?.[1]
	const named = /^\/(?:proxy|spotlight)\/([^/]+)/.exec(path)?.[1] ?? ''
	return providers[shown ?? (Object.hasOwn(providers, named) ? (named as Provider) : 'openai')]
}
