import { decodeHeaderText, errorMessage, type RawRequest, RpcFailure } from '../../mcp-client/index.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { toProblem } from '../../platform/http/refusals.ts'
import type { RequestContext } from '../../platform/http/route.ts'
import { cachedByHead } from '../../platform/http1/lane-request.ts'
import { Slots } from '../../platform/slots.ts'
import type { TraceContext } from '../../platform/trace/current-trace.ts'
import {
	operationInSession,
	runningKey,
	runSessionOperation,
	speaksLegacy,
} from '../eras/legacy/handle-message.ts'
import type { ClientSession } from '../eras/legacy/session-store.ts'
import { claimsModern, clientIn, runModernOperation } from '../eras/modern/handle-post.ts'
import type { Gateway, PlainCallsOfGateway } from '../gateway.ts'
import { type McpHttpRequest, newOperation } from '../mcp-http-request.ts'
import type { Caller, ClientProgram, Operation } from '../operation.ts'
import type { StartedOperation } from '../perform/run-recorded.ts'
import { refuseMcp } from '../refuse.ts'
import { HttpReply } from '../reply.ts'
import { argumentsOf, type PlainCallParts, type PlainEra, PlainToolCall } from './plain-tool-call.ts'
import { PreparedTools } from './prepared-tools.ts'

/** Larger arguments are recorded differently. */
const maxRequestBytes = 64 * 1024
/** Callers kept for one credential. Bounded, because a caller may name servers that do not exist. */
const maxEndpoints = 1000

/** The plain tool calls of the process: those that are running, and what they share. */
export class PlainCalls implements PlainCallsOfGateway {
	#gateway!: Gateway
	#tools!: PreparedTools
	#callers = new WeakMap<Principal, Map<string, Caller>>()
	readonly #running = new Slots<PlainToolCall>()

	/** Must be called before the first request. */
	open(gateway: Gateway): void {
		this.#gateway = gateway
		this.#tools = new PreparedTools(gateway)
	}

	callerOf(
		{ principal, params }: Pick<RequestContext, 'principal' | 'params'>,
		identify: () => Caller,
	): Caller {
		// Only the key of an agent names the agent by itself.
		if (principal?.kind !== 'agent_key') return identify()
		let callers = this.#callers.get(principal)
		if (!callers) {
			callers = new Map()
			this.#callers.set(principal, callers)
		}
		const endpoint = params.server ?? ''
		let caller = callers.get(endpoint)
		if (!caller) {
			caller = identify()
			if (callers.size >= maxEndpoints) callers.clear()
			callers.set(endpoint, caller)
		}
		return caller
	}

	begin(httpRequest: McpHttpRequest, request: RawRequest): boolean {
		if (
			request.method !== 'tools/call' ||
			httpRequest.bodyBytes > maxRequestBytes ||
			httpRequest.search !== ''
		)
			return false
		const gateway = this.#gateway
		const name = nameIn(request)
		const prepared = name === null ? null : this.#tools.of(httpRequest.caller, name)
		if (name === null || !prepared) return false
		const clientAndEra = clientAndEraOf(gateway, httpRequest, request, name)
		const sender = clientAndEra && this.#tools.senderOf(prepared, clientAndEra.client)
		if (!sender || (httpRequest.context.waited && this.#isOverdue(httpRequest))) return false
		if (prepared.decidesByArguments) {
			const { agentId, serverId } = httpRequest.caller
			const { refusal, approval } = gateway.enforcement.choose(agentId, serverId, name, argumentsOf(request))
			if (refusal || approval) return false
		}
		const running = this.#running
		new PlainToolCall({ gateway, running, httpRequest, request, ...clientAndEra, prepared, sender }).begin()
		return true
	}

	/** Whether a call that waited for its body must be refused, or has lost its client. */
	#isOverdue({ caller, response }: McpHttpRequest): boolean {
		const gateway = this.#gateway
		return response.destroyed || gateway.isStale() || gateway.stillValid(caller.principal) !== null
	}

	changed(): void {
		this.#callers = new WeakMap()
		this.#tools.clear()
		this.check()
	}

	/** Only operations send keep-alive messages and time out, so a plain call that lasts becomes one. */
	check(): void {
		const { clock, limits } = this.#gateway
		const nowMs = clock.nowMs()
		const oldestMs = Math.min(limits.heartbeatMs, limits.totalMs)
		for (const call of this.#running) call.check(nowMs, oldestMs)
	}
}

/** The tool's name; null if the call has parameters that a plain call cannot have. */
function nameIn({ raw }: RawRequest): string | null {
	let name: string | null = null
	for (const member of raw.members)
		if (member.name === 'name') {
			const text = raw.textAt(member)
			if (text.startsWith('"') && !text.includes('\\')) name = text.slice(1, -1)
		} else if (member.name === 'arguments') {
			if (!raw.isObjectAt(member)) return null
		} else if (member.name !== '_meta') return null
	return name === '' ? null : name
}

/** Null if the call must be handled as an operation. */
function clientAndEraOf(
	gateway: Gateway,
	httpRequest: McpHttpRequest,
	request: RawRequest,
	name: string,
): { client: ClientProgram; era: PlainEra } | null {
	const { meta } = request
	if (claimsModern(httpRequest.request, meta)) {
		const client = clientIn(meta)
		const announced = announcedCall(httpRequest.request)
		const isAlike = client && announced?.version === client.protocolVersion && announced.tool === name
		return isAlike ? { client, era: modernEra } : null
	}
	const id = httpRequest.request.headers['mcp-session-id']
	if (typeof id !== 'string' || !speaksLegacy(httpRequest.request)) return null
	const session = gateway.sessions.find(id, httpRequest.caller)
	if (!session || session instanceof Promise || session.isLine) return null
	return { client: session.client, era: new SessionOfPlainCall(session, request) }
}

/** The headers of a modern call that repeat its body, or null if they are not those of a tool call. */
const announcedCall = cachedByHead(({ headers }) => {
	const { 'mcp-method': method, 'mcp-name': named, 'mcp-protocol-version': version } = headers
	if (method !== 'tools/call' || typeof named !== 'string') return null
	return { version, tool: decodeHeaderText(named) }
})

const modernEra: PlainEra = {
	toOperation: ({ client, request, httpRequest }, trace) =>
		newOperation(httpRequest, client, request, replyTo(httpRequest), trace),
	continueOperation: ({ gateway, httpRequest }, operation, begun) =>
		runModernOperation(gateway, httpRequest, operation, begun).catch((error) =>
			refuse(httpRequest, operation, error),
		),
}

/** The legacy era: a plain call in the session of its client. */
class SessionOfPlainCall implements PlainEra {
	readonly #session: ClientSession
	readonly #id: RawRequest['id']
	#key = ''

	constructor(session: ClientSession, { id }: RawRequest) {
		this.#session = session
		this.#id = id
	}

	begin(call: PlainToolCall): void {
		this.#key = runningKey(this.#session, this.#id)
		this.#session.running.set(this.#key, call)
	}

	end(): void {
		this.#session.running.delete(this.#key)
	}

	toOperation({ gateway, httpRequest, request }: PlainCallParts, trace: TraceContext): Operation {
		return operationInSession(gateway, httpRequest, this.#session, request, replyTo(httpRequest), trace)
	}

	async continueOperation(
		{ gateway, httpRequest }: PlainCallParts,
		operation: Operation,
		begun: StartedOperation,
	): Promise<void> {
		const going = runSessionOperation(gateway, httpRequest, this.#session, operation, begun)
		await going.catch((error) => refuse(httpRequest, operation, error))
	}
}

function replyTo({ request, response }: McpHttpRequest): HttpReply {
	return new HttpReply(response, request.headers.accept)
}

/** Refuses in the same form as the ingress. */
function refuse(httpRequest: McpHttpRequest, { request }: Operation, error: unknown): void {
	const { response } = httpRequest
	if (response.headersSent) return void response.destroy()
	if (error instanceof RpcFailure)
		return void httpRequest.answer(errorMessage(request.id, error), error.httpStatus)
	const problem = toProblem(error)
	for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value)
	refuseMcp(httpRequest.request, response, problem, httpRequest.context.requestId)
}
