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
import { type InputRequest, isAskable } from '../input-requests.ts'
import type { Ask, AskOptions, Operation } from '../operation.ts'
import type { PlanResult } from '../perform/plan.ts'
import { legacyResult } from '../protocol/legacy-output.ts'
import type { RequestStates } from '../request-states.ts'
import { isOlderEntry } from './client-era.ts'
import type { Upstream, UpstreamCall } from './upstream.ts'

type Answer = { result: JsonObject } | { error: { code: number; message: string; data?: unknown } }

/** Answers a request of a legacy server by asking its client. Without one, answers with an error, so that the server does not wait. */
export async function answerServer(
	ask: Ask | null,
	{ method, params }: Pick<RpcRequest, 'method' | 'params'>,
	options: AskOptions = {},
): Promise<Answer> {
	if (method === 'ping') return { result: {} }
	if (!ask || !isAskable(method)) return refused(method)
	try {
		const result = await ask({ method, params }, options)
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

/** The code of legacy servers for an unknown resource. Modern ones use `invalidParams` and name the URI. */
const resourceNotFound = -32002
/** Methods whose modern results say how long they are valid and for whom. */
const cacheable = [
	'resources/read',
	'tools/list',
	'prompts/list',
	'resources/list',
	'resources/templates/list',
]

/** Converts a result to the client's era: modern results have a type, legacy ones do not. */
export function toEra(call: UpstreamCall, states: RequestStates, result: JsonObject): PlanResult {
	const { client } = call.operation
	const written = client.era === 'modern' ? toModern(call, states, result) : toLegacy(call, result)
	return { json: JSON.stringify(written), isError: result.isError === true }
}

function toModern(
	{ operation, server, tool }: UpstreamCall,
	states: RequestStates,
	result: JsonObject,
): JsonObject {
	const { resultType = 'complete', requestState } = result
	const isCached = resultType === 'complete' && cacheable.includes(operation.request.method)
	// A result belongs to one agent, and its grant may end at any moment.
	const cache = isCached && { ttlMs: result.ttlMs ?? 0, cacheScope: 'private' }
	const state = typeof requestState === 'string' ? requestState : null
	const isApproved = operation.isApproved === true
	// The reply to an approved call must carry a proof of the approval, also if the server keeps no state.
	if (state === null && !(isApproved && resultType === 'input_required'))
		return cache || result.resultType === undefined ? { ...result, resultType, ...cache } : result
	const about = { serverId: server.id, tool: tool?.name ?? null }
	const kept = { kind: 'server', ...about, state, isApproved } as const
	const sealed = states.seal(operation, kept)
	return { ...result, resultType, requestState: sealed }
}

/** Removes modern fields. In a legacy server's result, fields with these names are the server's own. */
function toLegacy({ server, tool }: UpstreamCall, result: JsonObject): JsonObject {
	if (eraOf(server.protocolVersion ?? '') === 'legacy') {
		// The tool was listed in the modern era with a wrapped output schema, so the result must be wrapped too, unless the
		// server already does that.
		const { structuredContent } = result
		// Some servers send here what only the modern era allows (aiomcp). The official clients refuse such a result.
		if (tool && structuredContent !== undefined && !isObject(structuredContent))
			return legacyResult(result, undefined)
		const isWritten = isObject(structuredContent) && Object.hasOwn(structuredContent, 'result')
		return tool && isOlderEntry(server) && !isWritten ? legacyResult(result, tool.outputSchema) : result
	}
	const { resultType = 'complete', ttlMs, cacheScope, ...plain } = result
	if (resultType === 'complete') return tool ? legacyResult(plain, tool.outputSchema) : plain
	throw upstreamFailure(server, 'upstream_invalid_answer', 'answered with a result of an unknown type.')
}

/** Converts a server's error to the client's era; `data` is passed on unchanged. */
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

const maxRounds = 16
const urlElicitationRequired = -32042

/**
 * Repeats a request until the server has all its answers, as far as the client cannot do that itself: a legacy client is asked
 * one by one what a modern server's result asks for; a modern client is sent to the pages that a legacy server requires.
 */
export async function requestInRounds(upstream: Upstream, call: UpstreamCall): Promise<JsonObject> {
	const { operation, server } = call
	let next = call
	for (let round = 0; round < maxRounds; round += 1) {
		const { result, error } = await upstream.request(next)
		if (error) {
			refuseOfHop(server, error)
			if (operation.client.era === 'legacy' || error.code !== urlElicitationRequired)
				throw errorToEra(operation, error)
			await visitPages(operation, error)
		} else if (result?.resultType !== 'input_required' || isAnswer(operation, server)) return result ?? {}
		else {
			const inputResponses = await answersTo(operation, server, result.inputRequests)
			const { requestState } = result
			const params = { ...call.params, inputResponses, ...(requestState !== undefined && { requestState }) }
			next = { ...call, params }
		}
	}
	throw upstreamFailure(server, 'input_required', 'asks for input again and again.')
}

/**
 * Errors of a modern server about headers or version concern the gateway's request. The client sent others, so it gets another
 * error.
 */
function refuseOfHop(server: ServerEntry, { code, message }: RpcError): void {
	const isOfHop = code === rpcCodes.headerMismatch || code === rpcCodes.unsupportedVersion
	if (isOfHop && eraOf(server.protocolVersion ?? '') === 'modern')
		throw upstreamFailure(
			server,
			'upstream_handshake_failed',
			`refused the request: ${message.slice(0, 200)}`,
		)
}

/**
 * Whether a result that asks for input goes to the client. Modern clients retry by themselves, except when the call runs as a task. In
 * a legacy server's result the field is the server's own, and the call has run.
 */
function isAnswer({ client, task }: Operation, { protocolVersion }: ServerEntry): boolean {
	return (client.era === 'modern' && !task) || eraOf(protocolVersion ?? '') === 'legacy'
}

async function answersTo(operation: Operation, server: ServerEntry, asked: unknown): Promise<JsonObject> {
	const entries = Object.entries(isObject(asked) ? asked : {})
	const answers = await Promise.all(
		entries.map(async ([key, one]) => [key, await answerTo(operation, server, one)] as const),
	)
	return Object.fromEntries(answers)
}

/** The client's answer to an input request of a modern server. Throws if the client cannot be asked. */
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

/** A client's error in answer to a form counts as cancelling it, which is what modern servers expect. */
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

/** Sends the user to every page that the server requires. The refused call did not run, so it can be sent again afterwards. */
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
