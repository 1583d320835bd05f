import {
	eraOf,
	isObject,
	type JsonObject,
	RpcFailure,
	type RpcResponse,
	rpcCodes,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import type { Operation } from '../operation.ts'
import type { PlanResult } from '../perform/plan.ts'
import { legacyResult } from '../protocol/legacy-output.ts'
import type { RequestStates } from '../request-states.ts'
import { isOlderEntry } from './client-era.ts'
import type { UpstreamCall } from './upstream.ts'

/** What legacy servers say of a resource that does not exist; modern ones say `invalidParams` and name it. */
const resourceNotFound = -32002
/** Their results say how long they hold and for whom. */
const cacheable = [
	'resources/read',
	'tools/list',
	'prompts/list',
	'resources/list',
	'resources/templates/list',
]

/** A result of either era as the client's era writes it: modern results say their type, legacy ones know none. */
export function toEra(call: UpstreamCall, states: RequestStates, result: JsonObject): PlanResult {
	const { client } = call.operation
	const written = client.era === 'modern' ? toModern(call, states, result) : toLegacy(call, result)
	return { json: JSON.stringify(written), isError: result.isError === true }
}

function toModern(
	{ operation, server }: UpstreamCall,
	states: RequestStates,
	result: JsonObject,
): JsonObject {
	const { resultType = 'complete', requestState } = result
	const isCached = resultType === 'complete' && cacheable.includes(operation.request.method)
	// What one agent may read is nobody else's, and a grant may end at any moment.
	const cache = isCached && { ttlMs: result.ttlMs ?? 0, cacheScope: 'private' }
	if (typeof requestState !== 'string')
		return cache || result.resultType === undefined ? { ...result, resultType, ...cache } : result
	const isApproved = operation.isApproved === true
	const kept = { kind: 'server', serverId: server.id, state: requestState, isApproved } as const
	const sealed = states.seal(operation, kept)
	return { ...result, resultType, requestState: sealed }
}

/** What its era does not know is left out; what a legacy server says by these names is its own. */
function toLegacy({ server, tool }: UpstreamCall, result: JsonObject): JsonObject {
	if (eraOf(server.protocolVersion ?? '') === 'legacy') {
		// Its tools were read in the modern era and are shown in words of ours, in which servers of both eras put it themselves.
		const { structuredContent } = result
		const isWritten = isObject(structuredContent) && Object.hasOwn(structuredContent, 'result')
		return tool && isOlderEntry(server) && !isWritten ? legacyResult(result, tool.outputSchema) : result
	}
	const { resultType = 'complete', ttlMs, cacheScope, ...plain } = result
	if (resultType === 'complete') return tool ? legacyResult(plain, tool.outputSchema) : plain
	throw upstreamFailure(server, 'upstream_invalid_answer', 'answered with a result of an unknown type.')
}

/** An error of a server in the client's era; `data` goes along as it came. */
export function errorToEra(
	{ client, request }: Operation,
	{ code, message, data }: NonNullable<RpcResponse['error']>,
): RpcFailure {
	const options = data === undefined ? {} : { data }
	const isRead = request.method === 'resources/read'
	if (client.era === 'modern' && isRead && code === resourceNotFound)
		return new RpcFailure(rpcCodes.invalidParams, message, { data: data ?? { uri: request.params.uri } })
	if (client.era === 'legacy' && isRead && code === rpcCodes.invalidParams && isObject(data) && data.uri)
		return new RpcFailure(resourceNotFound, message, options)
	return new RpcFailure(code, message, options)
}
