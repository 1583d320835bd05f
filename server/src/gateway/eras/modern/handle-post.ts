import type { IncomingMessage } from 'node:http'
import {
	batchVersion,
	type ClientBody,
	decodeHeaderText,
	envelope,
	eraOf,
	invalidRequest,
	isObject,
	type JsonObject,
	metaOf,
	metaOfRequest,
	modernVersions,
	namedFailure,
	nameHeaderOf,
	RpcFailure,
	type RpcRequest,
	resultMessage,
	rpcCodes,
} from '../../../mcp-client/index.ts'
import { cachedByHead } from '../../../platform/http1/lane-request.ts'
import type { Gateway, ListName, ResourceSubscriptions } from '../../gateway.ts'
import { eventStream } from '../../listening/client-streams.ts'
import { allLists, listeningCheck } from '../../listening/client-subscription.ts'
import { type McpHttpRequest, newOperation } from '../../mcp-http-request.ts'
import type { Caller, ClientProgram, Operation, Retry } from '../../operation.ts'
import { introduce } from '../../perform/introduce.ts'
import { askForResource } from '../../perform/parts/use-parts.ts'
import { answerWith, type Plan, refuseWith } from '../../perform/plan.ts'
import { planOperation } from '../../perform/plan-operation.ts'
import { runRecorded, type StartedOperation } from '../../perform/run-recorded.ts'
import { isLogLevel } from '../../protocol/log-levels.ts'
import { paramHeaders } from '../../protocol/param-headers.ts'
import { refusalOfEndpoint } from '../../refuse.ts'
import { HttpReply, toEvent } from '../../reply.ts'
import { invalidState, type RequestStates } from '../../request-states.ts'
import { listenToTasks, readTaskIds } from '../../tasks/plan-task-request.ts'
import { modernTaskCapability } from '../../tasks/task.ts'

/** Whether a request uses the modern era: by its own `_meta`, or by a header with such a version. */
export function claimsModern(request: IncomingMessage, meta: JsonObject): boolean {
	return meta[envelope.protocolVersion] !== undefined || namesModern(request)
}

const namesModern = cachedByHead(({ headers }) => {
	const named = headers['mcp-protocol-version']
	return (
		typeof named === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(named.trim()) && eraOf(named.trim()) === 'modern'
	)
})

/** What a modern request declares about its client, checked against its headers. Throws -32602, -32020 or -32022 (HTTP 400). */
export function readEnvelope(carrier: IncomingMessage, request: RpcRequest): ClientProgram {
	const meta = metaOfRequest(request)
	const version = meta[envelope.protocolVersion]
	if (typeof version !== 'string') throw missing(envelope.protocolVersion, 'text')
	compare('MCP-Protocol-Version', carrier.headers['mcp-protocol-version'], version)
	const fault = clients.has(meta) ? null : faultIn(meta, version)
	if (fault) throw fault
	checkHeaders(carrier, request)
	return clientIn(meta) as ClientProgram
}

const clients = new WeakMap<JsonObject, ClientProgram>()

/** The client described in the `_meta` of a request, or null if that is malformed. */
export function clientIn(meta: JsonObject): ClientProgram | null {
	const known = clients.get(meta)
	if (known) return known
	const protocolVersion = meta[envelope.protocolVersion]
	if (typeof protocolVersion !== 'string' || faultIn(meta, protocolVersion)) return null
	const level = meta[envelope.logLevel]
	const client: ClientProgram = {
		era: 'modern',
		protocolVersion,
		info: (meta[envelope.clientInfo] as ClientProgram['info'] | undefined) ?? {},
		capabilities: meta[envelope.clientCapabilities] as ClientProgram['capabilities'],
		logLevel: isLogLevel(level) ? level : null,
		sessionLabel: '',
	}
	clients.set(meta, client)
	return client
}

function faultIn(meta: JsonObject, version: string): RpcFailure | null {
	if (!modernVersions.includes(version)) return unsupported(version)
	if (!isObject(meta[envelope.clientCapabilities])) return missing(envelope.clientCapabilities, 'an object')
	const info = meta[envelope.clientInfo]
	return info === undefined || isObject(info) ? null : missing(envelope.clientInfo, 'an object')
}

export function headerMismatch(text: string): RpcFailure {
	return namedFailure(rpcCodes.headerMismatch, 'header_mismatch', text, { httpStatus: 400 })
}

function checkHeaders(carrier: IncomingMessage, { method, params }: RpcRequest): void {
	compare('Mcp-Method', carrier.headers['mcp-method'], method)
	const name = nameHeaderOf(method, params)
	if (name === undefined) return
	const given = carrier.headers['mcp-name']
	const decoded = typeof given === 'string' ? decodeHeaderText(given) : given
	if (decoded === null) throw headerMismatch('The header Mcp-Name is badly encoded.')
	compare('Mcp-Name', decoded, name)
}

function compare(header: string, given: string | string[] | undefined, body: string): void {
	if (given === undefined) throw headerMismatch(`The header ${header} is missing.`)
	if (typeof given !== 'string' || given.trim() !== body.trim())
		throw headerMismatch(`The header ${header} differs from the body.`)
}

function missing(key: string, kind: string): RpcFailure {
	return namedFailure(rpcCodes.invalidParams, 'missing_meta', `\`_meta\` needs \`${key}\` as ${kind}.`, {
		httpStatus: 400,
	})
}

function unsupported(requested: string): RpcFailure {
	return namedFailure(
		rpcCodes.unsupportedVersion,
		'unsupported_version',
		'The protocol version is not supported.',
		{
			httpStatus: 400,
			data: { supported: modernVersions, requested: requested.slice(0, 64) },
		},
	)
}

/**
 * Takes the retry's state and answers out of the request, so that the server gets only its own part. Null for a first try. Throws
 * `invalid_request_state`.
 */
export function readRetry(states: RequestStates, operation: Operation): Retry | null {
	const { requestState: state, inputResponses: answers } = operation.request.params
	if (state === undefined && answers === undefined) return null
	const { requestState, ...params } = operation.request.params
	const responses = isObject(params.inputResponses) ? params.inputResponses : {}
	operation.isRetry = true
	if (requestState === undefined) return null
	if (typeof requestState !== 'string') throw invalidState('must be text')
	const opened = states.open(operation, requestState)
	if (opened.kind === 'server') {
		const { kind, ...serverState } = opened
		operation.serverState = serverState
		operation.request = { ...operation.request, params }
		return null
	}
	operation.sending.isSent = opened.isSent
	const { inputResponses, ...plain } = params
	operation.request = { ...operation.request, params: plain }
	const { id: heldId, isSent, stateId, digests = {} } = opened
	return { heldId, isSent, stateId, digests, responses }
}

/** Checks that each routing header equals its argument. Only for tools that the agent may call, so that no schema is revealed. */
export function checkParamHeaders(
	gateway: Gateway,
	carrier: IncomingMessage,
	{ caller, request }: Operation,
): void {
	const { name, arguments: values } = request.params
	if (
		typeof name !== 'string' ||
		!gateway.enforcement.mirrorsArguments(caller.agentId, caller.serverId, name)
	)
		return
	const { tool, refusal } = gateway.enforcement.choose(caller.agentId, caller.serverId, name)
	if (!tool || refusal) return
	for (const [header, expected] of Object.entries(paramHeaders(tool, values))) {
		const given = carrier.headers[header]
		if (typeof given !== 'string') throw headerMismatch(`The header ${header} is missing.`)
		if (decodeHeaderText(given) !== decodeHeaderText(expected))
			throw headerMismatch(`The header ${header} differs from the arguments.`)
	}
}

/** `server/discover`: the introduction of the endpoint, without a handshake. */
export function planDiscover(gateway: Gateway, { caller }: Operation): Plan {
	const answer = async () => {
		const { capabilities, serverInfo, instructions } = introduce(gateway, caller)
		return {
			supportedVersions: modernVersions,
			capabilities: {
				...{ ...capabilities, tools: { listChanged: true } },
				extensions: { ...(capabilities.extensions as object), ...modernTaskCapability.extensions },
			},
			...(instructions && { instructions }),
			resultType: 'complete',
			ttlMs: 0,
			cacheScope: 'private',
			_meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
		}
	}
	return answerWith(() => refusalOfEndpoint(gateway, caller), answer)
}

/** A POST of protocol 2026-07-28, in which each request names its client and version. */
export async function handleModernPost(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	message: ClientBody,
): Promise<void> {
	if (Array.isArray(message)) throw invalidRequest(`Batches exist in protocol ${batchVersion} only.`)
	if (message.kind === 'response')
		throw invalidRequest('Responses cannot be posted in this protocol version.')
	if (message.kind === 'notification') return httpRequest.accept()
	const client = readEnvelope(httpRequest.request, message)
	if (message.method === 'subscriptions/listen') return openListen(gateway, httpRequest, client, message)
	const reply = new HttpReply(httpRequest.response, httpRequest.request.headers.accept)
	await runModernOperation(gateway, httpRequest, newOperation(httpRequest, client, message, reply))
}

/** Runs an operation, or continues one that began as a plain call (`begun`). */
export async function runModernOperation(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	operation: Operation,
	begun?: StartedOperation,
): Promise<void> {
	await runRecorded(
		gateway,
		operation,
		planWithRetry(gateway, httpRequest, operation, begun?.intent != null),
		httpRequest.guard,
		begun,
	)
}

/** A call that is announced in the log already must be recorded, whatever is wrong with it. */
function planWithRetry(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	operation: Operation,
	isAnnounced: boolean,
): Plan {
	try {
		const retry = readRetry(gateway.states, operation)
		return gateway.dialogues.around(operation, planModern(gateway, httpRequest, operation), retry)
	} catch (error) {
		if (error instanceof RpcFailure && (isAnnounced || error.errorType === 'invalid_request_state'))
			return refuseWith(error)
		throw error
	}
}

function planModern(gateway: Gateway, httpRequest: McpHttpRequest, operation: Operation): Plan {
	if (operation.request.method === 'server/discover') return planDiscover(gateway, operation)
	// A call that is already at its server was sent by the definition of that time.
	if (operation.request.method === 'tools/call' && !operation.begun)
		checkParamHeaders(gateway, httpRequest.request, operation)
	return planOperation(gateway, operation)
}

const subscriptionId = 'io.modelcontextprotocol/subscriptionId'
const maxUris = 1000

/**
 * `subscriptions/listen`: a stream of the notifications that the client chose. Its first message acknowledges which of them it
 * will get.
 */
async function openListen(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	client: ClientProgram,
	request: RpcRequest,
): Promise<void> {
	const { response, caller } = httpRequest
	const wish = readWish(request.params)
	const taskIds = readTaskIds(request.params, client)
	const check = listeningCheck(gateway, httpRequest)
	const problem = check()
	if (problem) throw problem
	const { capabilities } = introduce(gateway, caller)
	const lists = new Set(
		[...wish.lists].filter((name) => name === 'tools' || capabilities[name] !== undefined),
	)
	response.writeHead(200, eventStream)
	const write = (method: string, params: JsonObject) => {
		const _meta = { ...metaOf(params), [subscriptionId]: request.id }
		response.write(toEvent(JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } })))
	}
	// Nothing may be sent before the acknowledgement.
	let early: [string, JsonObject][] | null = []
	const notify = (method: string, params: JsonObject) =>
		early ? void early.push([method, params]) : write(method, params)
	const end = () => {
		const result = { resultType: 'complete', _meta: { [subscriptionId]: request.id } }
		response.end(toEvent(resultMessage(request.id, JSON.stringify(result))))
	}
	const subscriptions = gateway.streams.listen({ caller, client, lists, notify }, response, end)
	httpRequest.guard(check, end)
	const taken = await subscribeAll(gateway, caller, subscriptions, wish.uris)
	const tasks = await listenToTasks(gateway, caller, taskIds, notify, (endTask) =>
		response.once('close', endTask),
	)
	const notifications = { ...acknowledged(lists, taken), ...(tasks.length > 0 && { taskIds: tasks }) }
	write('notifications/subscriptions/acknowledged', { notifications })
	for (const [method, params] of early) write(method, params)
	early = null
}

interface Wish {
	lists: ReadonlySet<ListName>
	uris: readonly string[]
}

function readWish({ notifications }: JsonObject): Wish {
	const uris = isObject(notifications) ? (notifications.resourceSubscriptions ?? []) : null
	const isGood =
		isObject(notifications) && Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')
	if (!isGood || uris.length > maxUris)
		throw new RpcFailure(
			rpcCodes.invalidParams,
			`\`notifications\` must be a filter with at most ${maxUris} resources.`,
		)
	const lists = [...allLists].filter((name) => notifications[`${name}ListChanged`] === true)
	return { lists: new Set(lists), uris: [...new Set(uris)] }
}

/** Subscribes to the URIs that the caller may read; the acknowledgement leaves out the others. */
async function subscribeAll(
	gateway: Gateway,
	caller: Caller,
	subscriptions: ResourceSubscriptions,
	uris: readonly string[],
): Promise<string[]> {
	const outcomes = await Promise.allSettled(
		uris.map(async (uri) => {
			const choice = await askForResource(gateway, caller, uri)
			await subscriptions.subscribe(uri, choice)
		}),
	)
	return uris.filter((_, index) => outcomes[index]?.status === 'fulfilled')
}

function acknowledged(lists: ReadonlySet<ListName>, uris: readonly string[]): JsonObject {
	const names = [...lists].map((name) => [`${name}ListChanged`, true] as const)
	return { ...Object.fromEntries(names), ...(uris.length > 0 && { resourceSubscriptions: uris }) }
}
