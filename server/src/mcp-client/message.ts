import { isSourceNumber, numberOf } from '../platform/json/parse-json.ts'
import { invalidRequest, type RpcFailure } from './failure.ts'

export type JsonObject = Record<string, unknown>
/** Text or number; a number beyond JavaScript's precision is kept as it was written. */
export type RequestId = string | number | object

export interface RpcRequest {
	kind: 'request'
	id: RequestId
	method: string
	params: JsonObject
}
export interface RpcNotification {
	kind: 'notification'
	method: string
	params: JsonObject
}
export interface RpcResponse {
	kind: 'response'
	id: RequestId | null
	result: JsonObject | null
	error: { code: number; message: string; data?: unknown } | null
}
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse

/** In this version clients and servers may send batches, and must accept them. */
export const batchVersion = '2025-03-26'

const envelopeKeys = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']
const decisiveKeys = ['name', 'arguments', 'uri', 'cursor', '_meta']

/** Reads a parsed value as one JSON-RPC 2.0 message, or throws an `RpcFailure` (-32600, HTTP 400). */
export function readMessage(value: unknown): RpcMessage {
	if (!isObject(value) || value.jsonrpc !== '2.0')
		throw invalidRequest('A message is an object with "jsonrpc": "2.0".')
	refuseOtherCase(value, envelopeKeys)
	if (value.method === undefined) return readResponse(value)
	if (typeof value.method !== 'string' || value.method === '') throw invalidRequest('`method` must be text.')
	const params = readParams(value.params)
	if (value.id === undefined) return { kind: 'notification', method: value.method, params }
	return { kind: 'request', id: readId(value.id), method: value.method, params }
}

/** The id of a parsed value that may be no valid message; null if it has none. */
export function idOf(value: unknown): RequestId | null {
	const id = isObject(value) ? value.id : null
	return typeof id === 'string' || typeof id === 'number' || isSourceNumber(id) ? (id as RequestId) : null
}

export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value) && !isSourceNumber(value)
}

/** The `_meta` of params or of a result; an empty object when absent. */
export function metaOf(params: JsonObject): JsonObject {
	return isObject(params._meta) ? params._meta : {}
}

/** The progress token of params; undefined if there is none. Some serialisers write null for that. */
export function progressTokenOf(params: JsonObject): unknown {
	return metaOf(params).progressToken ?? undefined
}

/** The id as text, for telemetry and as a map key. */
export function idText(id: RequestId): string {
	return typeof id === 'string' ? id : JSON.stringify(id)
}

/** Wraps the JSON of a result in a message. */
export function resultMessage(id: RequestId, resultJson: string): string {
	return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`
}

export function errorMessage(id: RequestId | null, failure: RpcFailure): string {
	const { code, message, data } = failure
	return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } })
}

/** Some serialisers write absent members as null, including the other one of `result` and `error`. */
function readResponse(value: JsonObject): RpcResponse {
	const id = value.id === null || value.id === undefined ? null : readId(value.id)
	const result = value.result ?? undefined
	const error = value.error ?? undefined
	if (isObject(result) && error === undefined) return { kind: 'response', id, result, error: null }
	const code = isObject(error) ? numberOf(error.code) : null
	if (
		result !== undefined ||
		!isObject(error) ||
		!Number.isInteger(code) ||
		typeof error.message !== 'string'
	) {
		throw invalidRequest('A message has a `method`, or exactly one of `result` and `error`.')
	}
	return { kind: 'response', id, result: null, error: { ...error, code } as RpcResponse['error'] & object }
}

function readId(id: unknown): RequestId {
	if (typeof id === 'string' || typeof id === 'number' || isSourceNumber(id)) return id as RequestId
	throw invalidRequest('`id` must be text or a number.')
}

/** Null counts as absent: some serialisers write out every empty member. */
function readParams(params: unknown): JsonObject {
	if (params === undefined || params === null) return {}
	if (!isObject(params)) throw invalidRequest('`params` must be an object.')
	refuseOtherCase(params, decisiveKeys)
	if (params._meta === undefined || isObject(params._meta)) return params
	const { _meta: meta, ...rest } = params
	if (meta !== null) throw invalidRequest('`params._meta` must be an object.')
	return rest
}

/**
 * A server that ignores the case of keys would read `Name` where the gateway checked `name`. Some map `ſ` to `s`, as upper-casing
 * does.
 */
function refuseOtherCase(value: JsonObject, known: readonly string[]): void {
	for (const key in value) requireCase(key, known)
}

/** The same check for a message of which only the member names are read. */
export function requireKnownCase(
	envelope: readonly { name: string }[],
	params: readonly { name: string }[],
): void {
	for (const { name } of envelope) if (!envelopeKeys.includes(name)) requireCase(name, envelopeKeys)
	for (const { name } of params) if (!decisiveKeys.includes(name)) requireCase(name, decisiveKeys)
}

function requireCase(key: string, known: readonly string[]): void {
	if (known.includes(key)) return
	const lower = key.toUpperCase().toLowerCase()
	if (known.includes(lower)) throw invalidRequest(`Write the key ${JSON.stringify(key)} as \`${lower}\`.`)
}
