export type JsonObject = Record<string, unknown>

/** A JSON-RPC message in the form that the MCP SDKs exchange with a transport; nothing in it is trusted. */
export interface Message {
	id?: string | number
	method?: string
	params?: JsonObject
	result?: JsonObject
	error?: { code?: number; message?: string }
}

export type Request = Message & { id: string | number; method: string }

export function isRequest(message: Message): message is Request {
	return message.method !== undefined && message.id !== undefined
}

export function isAnswer(message: Message): message is Message & { id: string | number } {
	return message.method === undefined && message.id !== undefined
}

export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The `_meta` of a request; empty if there is none. */
export function metaOf(params: JsonObject | undefined): JsonObject {
	return isObject(params?._meta) ? params._meta : {}
}

/** A text of at most `maxLength` characters, or null for anything else. */
export function shortText(value: unknown, maxLength = 256): string | null {
	if (typeof value !== 'string' || value === '') return null
	return value.length > maxLength ? value.slice(0, maxLength).toWellFormed() : value
}
