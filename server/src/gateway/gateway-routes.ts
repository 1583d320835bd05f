import type { IncomingMessage } from 'node:http'
import type { Access } from '@signalbox/contract'
import type { AgentView } from '../access/agents/agents.ts'
import {
	type ClientBody,
	errorMessage,
	idOf,
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
import type { Principal } from '../platform/http/principal.ts'
import { readBody, takeBody } from '../platform/http/read-body.ts'
import { principalIn, type RequestContext, type Route } from '../platform/http/route.ts'
import { cachedByHead } from '../platform/http1/lane-request.ts'
import type { ServerView } from '../servers/servers.ts'
import { endSession, handleLegacyPost, openStream } from './eras/legacy/handle-post.ts'
import { sseSessionIn } from './eras/legacy/sse-2024/sse-stream.ts'
import { claimsModern, handleModernPost } from './eras/modern/handle-post.ts'
import type { Gateway } from './gateway.ts'
import { McpHttpRequest } from './mcp-http-request.ts'
import type { Caller } from './operation.ts'

/** Equals no server's id. */
const unknownServer = ''

/** Identifies the caller and the endpoint. Throws `agent_required` (403) without an agent. */
export function identifyCaller(
	request: IncomingMessage,
	context: RequestContext,
	agents: AgentView,
	servers: ServerView,
): Caller {
	const principal = principalIn(context)
	if (principal.kind !== 'agent_key' && principal.kind !== 'platform_key') throw new Problem('agent_required')
	const { workspaceId, keyId } = principal
	const agentId = agentOf(request, principal, agents)
	const userId = principal.kind === 'agent_key' ? (principal.delegatedBy?.userId ?? null) : null
	const who = { principal, credentialId: keyId, workspaceId, agentId, userId }
	const name = context.params.server
	if (name === undefined) return { ...who, serverId: null }
	const server = servers.find(workspaceId, name)
	// An unknown server must be refused in the same place and words as one on which the agent has no grant.
	return { ...who, serverId: server?.id ?? unknownServer }
}

/** The agent that a key acts as: an agent key acts as its own agent; any other key names an agent of its workspace. */
function agentOf(request: IncomingMessage, principal: Principal, agents: AgentView): string {
	const named = request.headers['x-signalbox-agent']
	const agentId =
		principal.kind === 'agent_key' ? principal.agentId : typeof named === 'string' ? named.trim() : ''
	const agent = agents.get(agentId)
	if (agent && agent.workspaceId === principal.workspaceId) return agentId
	throw new Problem(
		'agent_required',
		agentId
			? 'The header x-signalbox-agent names no agent of this workspace.'
			: 'This endpoint needs an agent: use an agent key, or send the id of an agent in the header x-signalbox-agent.',
	)
}

type Handle = (gateway: Gateway, httpRequest: McpHttpRequest) => void | Promise<void>

const access: Access = { kinds: ['agent_key', 'platform_key'], scope: 'mcp:invoke' }
const methods: readonly [string, string, Handle][] = [
	['POST', 'post', handlePost],
	['GET', 'stream', openStream],
	['DELETE', 'end', endSession],
]
/** `/mcp-key` is the same endpoint, for clients that ignore a static key as soon as they find OAuth metadata. */
const paths: readonly [string, string][] = [
	['/mcp', 'mcp.all'],
	['/mcp/{server}', 'mcp.one'],
	['/mcp-key', 'mcp-key.all'],
	['/mcp-key/{server}', 'mcp-key.one'],
]

export function gatewayRoutes(gateway: Gateway, views: { agents: AgentView; servers: ServerView }): Route[] {
	return paths.flatMap(([path, prefix]) =>
		methods.map(([method, name, handle]) =>
			newRoute(gateway, views, { id: `${prefix}.${name}`, method, path }, handle),
		),
	)
}

function newRoute(
	gateway: Gateway,
	views: { agents: AgentView; servers: ServerView },
	line: Pick<Route, 'id' | 'method' | 'path'>,
	handle: Handle,
): Route {
	return {
		...line,
		slash: true,
		access,
		family: 'mcp',
		lane: true,
		...(line.id.startsWith('mcp.') && { oauth: true }),
		handle: (request, response, context) => {
			if (gateway.isStale()) throw new Problem('stale_permissions', undefined, { retryAfterS: 1 })
			const caller = gateway.plainCalls.callerOf(context, () =>
				identifyCaller(request, context, views.agents, views.servers),
			)
			const httpRequest = new McpHttpRequest(request, response, caller, context)
			try {
				return handle(gateway, httpRequest)?.catch((error) => refuse(httpRequest, error))
			} catch (error) {
				refuse(httpRequest, error)
			}
		},
	}
}

function refuse(httpRequest: McpHttpRequest, error: unknown): void {
	if (!(error instanceof RpcFailure) || httpRequest.response.headersSent) throw error
	httpRequest.answer(errorMessage(null, error), error.httpStatus)
}

/** POST: messages of either era, distinguished by each request itself. */
function handlePost(gateway: Gateway, httpRequest: McpHttpRequest): void | Promise<void> {
	const { request, response, caller } = httpRequest
	const fault = faultOfMedia(request)
	if (fault) throw new Problem('unsupported_media_type', fault)
	const { bodyBytes } = gateway.limits
	const holder = { response, owner: caller.credentialId }
	const bytes = takeBody(request, bodyBytes, holder)
	if (bytes) return handleBody(gateway, httpRequest, bytes)
	httpRequest.context.waited = true
	return readBody(request, bodyBytes, holder).then((read) => {
		const refused = httpRequest.context.refusal()
		if (refused) throw refused
		return handleBody(gateway, httpRequest, read)
	})
}

/** A plain call has been started when this returns; everything else continues in a promise. */
function handleBody(gateway: Gateway, httpRequest: McpHttpRequest, bytes: Buffer): void | Promise<void> {
	httpRequest.bodyBytes = bytes.length
	try {
		const body = readFromClient(bytes)
		if (body instanceof RawRequest && gateway.plainCalls.begin(httpRequest, body)) return
		return handleMessages(gateway, httpRequest, body).catch((error) =>
			answerFailure(httpRequest, bytes, error),
		)
	} catch (error) {
		answerFailure(httpRequest, bytes, refusalOfFault(error))
	}
}

function answerFailure(httpRequest: McpHttpRequest, bytes: Buffer, error: unknown): void {
	if (!(error instanceof RpcFailure)) throw error
	httpRequest.answer(errorMessage(idIn(bytes), error), error.httpStatus)
}

async function handleMessages(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	parsed: ClientBody | Promise<ClientBody>,
): Promise<void> {
	const body =
		parsed instanceof Promise ? await parsed.catch((error) => Promise.reject(refusalOfFault(error))) : parsed
	// The 2024 transport belongs to the legacy era, even if a client asks there for the modern one.
	const isModern = sseSessionIn(httpRequest) === null && claimsModern(httpRequest.request, metaIn(body))
	if (!isModern) return handleLegacyPost(gateway, httpRequest, body)
	refuseHandshake(body)
	return handleModernPost(gateway, httpRequest, body)
}

function metaIn(body: ClientBody): JsonObject {
	if (Array.isArray(body) || body.kind === 'response') return {}
	return body.kind === 'request' ? metaOfRequest(body) : metaOf(body.params)
}

/** Why the body cannot be read as JSON, or null. */
const faultOfMedia = cachedByHead(({ headers }): string | null => {
	if (!/^\s*application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
		return 'Send `Content-Type: application/json`.'
	const coding = headers['content-encoding']?.trim() ?? ''
	return /^(identity)?$/i.test(coding) ? null : 'Send the body as it is, without Content-Encoding.'
})

/** A fault of the body as JSON-RPC reports it; any other error unchanged. */
function refusalOfFault(error: unknown): unknown {
	if (!(error instanceof JsonFault)) return error
	const code = error.kind === 'syntax' ? rpcCodes.parseError : rpcCodes.invalidRequest
	return new RpcFailure(code, error.message, { httpStatus: 400 })
}

/** Refuses a handshake that carries the header of the modern era, which has no such method. */
function refuseHandshake(body: ClientBody): void {
	if (!Array.isArray(body) && body.kind !== 'response' && body.method === 'initialize')
		throw new RpcFailure(rpcCodes.methodNotFound, '`initialize` belongs to older protocol versions.', {
			httpStatus: 404,
		})
}

/** The id in a body that has one but is not a valid message. */
function idIn(bytes: Buffer): RequestId | null {
	try {
		return idOf(parseJsonText(bytes.toString('utf8')))
	} catch {
		return null
	}
}
