import { isObject, type JsonObject } from '../mcp-client/index.ts'
import { uiExtension } from '../servers/servers.ts'
import type { Operation } from './operation.ts'

/** What a server, or the gateway itself, requests from the client. The form is the same in both protocol eras. */
export interface InputRequest {
	method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
	params: JsonObject
}

export interface AskOptions {
	/** Withdraws the input request; the client is notified, and the promise rejects with the signal's reason. */
	signal?: AbortSignal
	/** Called with the client's progress with an input request that carries `_meta.progressToken`. */
	onProgress?(params: JsonObject): void
	/**
	 * Another operation that the server may ask for: on a stream of many calls it is not known which of them it is. Called when the
	 * operation ends before the client has answered.
	 */
	successor?(): Operation | null
}

/**
 * Asks the client and resolves with its result: for an elicitation `{action, content?}`, for sampling the message, for roots
 * `{roots}`. Resolves with `unsupported` at once when this client can never be asked that. Rejects with an `RpcFailure`: the
 * client's own error, `input_timeout` when no answer arrived in time, or the failure that ended the operation. A modern client's
 * retry may reach a process that does not know the first try. `Plan.run` then starts again, and the same input requests in the
 * same order get the answers that the client sent.
 */
export type Ask = (inputRequest: InputRequest, options?: AskOptions) => Promise<JsonObject | 'unsupported'>

/** For callers behind whom nobody can answer. */
export const askUnsupported: Ask = async () => 'unsupported'

const askable = ['elicitation/create', 'sampling/createMessage', 'roots/list']

export function isAskable(method: string): method is InputRequest['method'] {
	return askable.includes(method)
}

/** Whether a client with these capabilities understands an input request. An empty `elicitation` means forms, as before 2025-11-25. */
export function understands(capabilities: JsonObject, { method, params }: InputRequest): boolean {
	if (method === 'roots/list') return isObject(capabilities.roots)
	if (method === 'sampling/createMessage')
		return (
			isObject(capabilities.sampling) && (params.tools === undefined || isObject(capabilities.sampling.tools))
		)
	const { elicitation } = capabilities
	if (!isObject(elicitation)) return false
	if (params.mode === 'url') return isObject(elicitation.url)
	return isObject(elicitation.form) || elicitation.url === undefined
}

/** The part of a client's capabilities that a server may see: what it can be asked for, and whether it shows pages (MCP Apps). */
export function forwardedCapabilities(capabilities: JsonObject): JsonObject {
	const { extensions } = capabilities
	const pages = isObject(extensions) && isObject(extensions[uiExtension]) ? extensions[uiExtension] : null
	return { ...askableCapabilities(capabilities), ...(pages && { extensions: { [uiExtension]: pages } }) }
}

/** What a client can be asked for. `listChanged` of roots is not passed on. */
export function askableCapabilities(capabilities: JsonObject): JsonObject {
	const offered: JsonObject = {}
	if (isObject(capabilities.roots)) offered.roots = {}
	if (isObject(capabilities.sampling)) offered.sampling = capabilities.sampling
	if (isObject(capabilities.elicitation)) offered.elicitation = capabilities.elicitation
	return offered
}
