import {
	eraOf,
	failureOf,
	isObject,
	type JsonObject,
	RpcFailure,
	type RpcRequest,
	type RpcResponse,
	rpcCodes,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { type AskOptions, type InputRequest, isAskable } from '../input-requests.ts'
import type { Operation } from '../operation.ts'
import type { PlanResult } from '../perform/plan.ts'
import { legacyResult } from '../protocol/legacy-output.ts'
import type { RequestStates } from '../request-states.ts'
import { isOlderEntry } from './client-era.ts'
import type { Upstream, UpstreamCall } from './upstream.ts'

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

/** An error of a server in the client's era; `data` is passed on unchanged. */
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

const roundsMost = 16
const urlElicitationRequired = -32042

/**
 * Sends a request until the server has all the answers that it wants, as far as the client cannot do that by itself: a
 * legacy client is asked, one by one, what a modern server's result asks for; a modern client is led to the pages that a
 * legacy server refuses to work without.
 */
export async function requestInRounds(upstream: Upstream, call: UpstreamCall): Promise<JsonObject> {
	const { operation, server } = call
	let next = call
	for (let round = 0; round < roundsMost; round += 1) {
		const { result, error } = await upstream.request(next)
		if (error) {
			refuseOfHop(server, error)
			if (operation.client.era === 'legacy' || error.code !== urlElicitationRequired)
				throw errorToEra(operation, error)
			await visitPages(operation, error)
		} else if (retries(operation) || result?.resultType !== 'input_required') return result ?? {}
		else {
			const inputResponses = await answersTo(operation, server, result.inputRequests)
			const { requestState } = result
			const params = { ...call.params, inputResponses, ...(requestState !== undefined && { requestState }) }
			next = { ...call, params }
		}
	}
	throw upstreamFailure(server, 'input_required', 'asks for input again and again.')
}

/** What a modern server says of our headers and our version is nothing to the client, who sent others. */
function refuseOfHop(server: ServerEntry, { code, message }: RpcError): void {
	const isOfHop = code === rpcCodes.headerMismatch || code === rpcCodes.unsupportedVersion
	if (isOfHop && eraOf(server.protocolVersion ?? '') === 'modern')
		throw upstreamFailure(
			server,
			'upstream_handshake_failed',
			`refused our request: ${message.slice(0, 200)}`,
		)
}

/** A modern client tries again by itself, but for what runs as a task. */
function retries({ client, task }: Operation): boolean {
	return client.era === 'modern' && !task
}

async function answersTo(operation: Operation, server: ServerEntry, asked: unknown): Promise<JsonObject> {
	const entries = Object.entries(isObject(asked) ? asked : {})
	const answers = await Promise.all(
		entries.map(async ([key, one]) => [key, await answerTo(operation, server, one)] as const),
	)
	return Object.fromEntries(answers)
}

/** What the client's side answers to an input request of a modern server; throws where it cannot be asked. */
export async function answerTo(
	operation: Operation,
	server: ServerEntry,
	asked: unknown,
): Promise<JsonObject> {
	const inputRequest = readElicitation(asked)
	const answer = inputRequest ? await askOrCancel(operation, inputRequest) : 'unsupported'
	if (answer !== 'unsupported') return answer
	throw upstreamFailure(server, 'input_required', 'asks for something that this client cannot answer.')
}

/** A client that answers a form with an error did not fill it in, which modern servers hear as a word. */
async function askOrCancel(
	operation: Operation,
	inputRequest: InputRequest,
): Promise<JsonObject | 'unsupported'> {
	try {
		return await operation.ask(inputRequest)
	} catch (error) {
		const isRefusal = error instanceof RpcFailure && error.errorType === 'input_refused'
		if (isRefusal && inputRequest.method === 'elicitation/create') return { action: 'cancel' }
		throw error
	}
}

function readElicitation(asked: unknown): InputRequest | null {
	if (!isObject(asked) || typeof asked.method !== 'string' || !isAskable(asked.method)) return null
	return { method: asked.method, params: isObject(asked.params) ? asked.params : {} }
}

/** The refused call ran nowhere; it is sent again when its user went to every page. */
async function visitPages(operation: Operation, error: NonNullable<RpcError>): Promise<void> {
	const pages = isObject(error.data) && Array.isArray(error.data.elicitations) ? error.data.elicitations : []
	const answers = await Promise.all(
		pages
			.filter(isObject)
			.map((params) => operation.ask({ method: 'elicitation/create', params: { mode: 'url', ...params } })),
	)
	const isDone =
		answers.length > 0 && answers.every((answer) => answer !== 'unsupported' && answer.action === 'accept')
	if (!isDone) throw errorToEra(operation, error)
}

type RpcError = { code: number; message: string; data?: unknown }
