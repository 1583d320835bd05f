import { isObject, type JsonObject } from '../mcp-client/index.ts'
import { uiExtension } from '../servers/servers.ts'

/** What a server, or the gateway itself, requests from the client. The form is the same in both protocol eras. */
export interface InputRequest {
	method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
	params: JsonObject
}

/** For callers behind whom nobody can answer. */
export const askUnsupported = async () => 'unsupported' as const

const askable = ['elicitation/create', 'sampling/createMessage', 'roots/list']

export function isAskable(method: string): method is InputRequest['method'] {
	return askable.includes(method)
}

/**
 * Whether a client with these capabilities understands an input request. An empty `elicitation` means forms, as before 2025-11-25.
 * Null counts as absent.
 */
export function understands(capabilities: JsonObject, { method, params }: InputRequest): boolean {
	if (method === 'roots/list') return isObject(capabilities.roots)
	if (method === 'sampling/createMessage')
		return (
			isObject(capabilities.sampling) &&
			((params.tools ?? null) === null || isObject(capabilities.sampling.tools))
		)
	const { elicitation } = capabilities
	if (!isObject(elicitation)) return false
	if (params.mode === 'url') return isObject(elicitation.url)
	return isObject(elicitation.form) || (elicitation.url ?? null) === null
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
