import type { IncomingMessage } from 'node:http'
import {
	type ClientBody,
	errorMessage,
	isObject,
	isRawNumber,
	JsonFault,
	type JsonObject,
	metaOf,
	metaOfRequest,
	parseJsonText,
	RawRequest,
	type RequestId,
	RpcFailure,
	readFromClient,
	rpcCodes,
} from '../mcp-client/index.ts'
import { Problem } from '../platform/errors.ts'
import { readBody, takeBody } from '../platform/http/index.ts'
import { handleLegacyPost } from './eras/legacy/handle-post.ts'
import { lineIn } from './eras/legacy/sse-2024/line.ts'
import { claimsModern, handleModernPost } from './eras/modern/handle-post.ts'
import type { Gateway } from './gateway.ts'
import type { McpHttpRequest } from './mcp-http-request.ts'

/** POST: messages of either era, distinguished by each request itself. */
export function handlePost(gateway: Gateway, visit: McpHttpRequest): void | Promise<void> {
	requireJson(visit.request)
	const { request, response, caller } = visit
	const { bodyBytes } = gateway.limits
	const holder = { response, owner: caller.credentialId }
	const bytes = takeBody(request, bodyBytes, holder)
	if (bytes) return handleBody(gateway, visit, bytes)
	return readBody(request, bodyBytes, holder).then((read) => handleBody(gateway, visit, read))
}

/** A plain call has begun when this returns; everything else goes on in a promise. */
function handleBody(gateway: Gateway, visit: McpHttpRequest, bytes: Buffer): void | Promise<void> {
	visit.bodyBytes = bytes.length
	try {
		const body = parseBody(bytes)
		if (body instanceof RawRequest && gateway.plainCalls.begin(visit, body)) return
		return handleMessages(gateway, visit, body).catch((error) => answerFailure(visit, bytes, error))
	} catch (error) {
		answerFailure(visit, bytes, error)
	}
}

function answerFailure(visit: McpHttpRequest, bytes: Buffer, error: unknown): void {
	if (!(error instanceof RpcFailure)) throw error
	visit.answer(errorMessage(idIn(bytes), error), error.httpStatus)
}

async function handleMessages(
	gateway: Gateway,
	visit: McpHttpRequest,
	parsed: ClientBody | Promise<ClientBody>,
): Promise<void> {
	const body = parsed instanceof Promise ? await parsed : parsed
	// The transport of 2024 is of the legacy era, also for a client that asks there whether we are modern.
	const isModern = lineIn(visit) === null && claimsModern(visit.request, metaIn(body))
	if (!isModern) return handleLegacyPost(gateway, visit, body)
	refuseHandshake(body)
	return handleModernPost(gateway, visit, body)
}

function metaIn(body: ClientBody): JsonObject {
	if (Array.isArray(body) || body.kind === 'response') return {}
	return body.kind === 'request' ? metaOfRequest(body) : metaOf(body.params)
}

function requireJson({ headers }: IncomingMessage): void {
	if (!/^\s*application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
		throw new Problem('unsupported_media_type', 'Send `Content-Type: application/json`.')
	const coding = headers['content-encoding']?.trim() ?? ''
	if (!/^(identity)?$/i.test(coding))
		throw new Problem('unsupported_media_type', 'Send the body as it is, without Content-Encoding.')
}

function parseBody(bytes: Buffer): ClientBody | Promise<ClientBody> {
	try {
		const parsed = readFromClient(bytes)
		return parsed instanceof Promise ? parsed.catch(refuseBody) : parsed
	} catch (error) {
		return refuseBody(error)
	}
}

function refuseBody(error: unknown): never {
	if (!(error instanceof JsonFault)) throw error
	const code = error.kind === 'syntax' ? rpcCodes.parseError : rpcCodes.invalidRequest
	throw new RpcFailure(code, error.message, { httpStatus: 400 })
}

/** A handshake under a header of the era without handshakes: that era has no such method. */
function refuseHandshake(body: ClientBody): void {
	if (!Array.isArray(body) && body.kind !== 'response' && body.method === 'initialize')
		throw new RpcFailure(rpcCodes.methodNotFound, '`initialize` belongs to older protocol versions.', {
			httpStatus: 404,
		})
}

/** Of a body that is no message but has an id. */
function idIn(bytes: Buffer): RequestId | null {
	try {
		const body = parseJsonText(bytes.toString('utf8'))
		const id = isObject(body) ? body.id : null
		return typeof id === 'string' || typeof id === 'number' || isRawNumber(id) ? (id as RequestId) : null
	} catch {
		return null
	}
}
