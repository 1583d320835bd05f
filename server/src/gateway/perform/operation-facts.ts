import {
	idText,
	isObject,
	type JsonObject,
	metaOfRequest,
	RawRequest,
	type RpcFailure,
	rpcCodes,
} from '../../mcp-client/index.ts'
import { betweenNs } from '../../platform/clock.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import type { AttributeValue } from '../../telemetry/index.ts'
import type { Gateway } from '../gateway.ts'
import type { ClientProgram, Operation } from '../operation.ts'
import {
	type AboutCall,
	type AboutClient,
	type AboutPlan,
	type EndedFacts,
	type FailureFacts,
	partsOf,
	recordedMaxChars,
	statusMaxChars,
} from './operation-rows.ts'
import type { Plan, PlanResult } from './plan.ts'

/** Extra characters for redaction, so that a secret across the limit is recognised and no part of it remains. */
const beyondChars = 1024
/** Hashing larger arguments takes too long, and longer error answers contain more than the error. */
const maxRead = 64 * 1024
const maxNames = 1000

type AnnouncedCall = Pick<
	Operation,
	'caller' | 'client' | 'request' | 'trace' | 'requestBytes' | 'clientAddress'
>

/** What is logged about an operation before it runs: its plan, its client, itself and its arguments. */
export function announcedFacts(
	gateway: Pick<Gateway, 'enforcement' | 'recordsToolContent' | 'version'>,
	operation: AnnouncedCall,
	plan: Pick<Plan, 'server' | 'tool' | 'arguments' | 'target' | 'facts'>,
	startNs: bigint,
): Buffer {
	const about = plan.facts ?? encode(aboutPlan(gateway, operation, plan))
	const values = plan.tool === '' ? null : argumentsText(operation, plan)
	return joined(
		about,
		clientFacts(operation.client),
		JSON.stringify(aboutCall(operation, startNs, values, plan.target)),
		values ?? '',
	)
}

/** What all calls of one caller under one plan share. */
export function aboutPlan(
	gateway: Pick<Gateway, 'enforcement' | 'recordsToolContent' | 'version'>,
	{ caller, request }: { caller: Operation['caller']; request: Pick<Operation['request'], 'method'> },
	{ server, tool }: Pick<Plan, 'server' | 'tool'>,
): AboutPlan {
	const isTool = request.method === 'tools/call'
	// What an endpoint of one server answers by itself is about that server too.
	const ownServer = caller.serverId === null ? null : (gateway.enforcement.server(caller.serverId) ?? null)
	const about = tool === '' ? (server ?? ownServer) : server
	return {
		method: request.method.slice(0, 128).toWellFormed(),
		tool: isTool ? tool.slice(0, 256).toWellFormed() : '',
		isTool,
		agentId: caller.agentId,
		agentName: gateway.enforcement.agent(caller.agentId)?.name ?? '',
		serverId: about?.id ?? '',
		serverName: about?.name ?? '',
		address: about && addressOf(about),
		release: releaseOf(about),
		credentialId: caller.credentialId,
		userId: userOf(caller.principal),
		version: gateway.version,
		capturesArguments: server?.capturesArguments ?? gateway.recordsToolContent(caller.workspaceId),
	}
}

const clients = new WeakMap<ClientProgram, Buffer>()

function clientFacts(client: ClientProgram): Buffer {
	let known = clients.get(client)
	if (!known) {
		const { protocolVersion, sessionLabel, info } = client
		known = encode({ protocolVersion, sessionLabel, client: clientName(info) } satisfies AboutClient)
		clients.set(client, known)
	}
	return known
}

function aboutCall(
	{ request, trace, clientAddress, requestBytes }: AnnouncedCall,
	startNs: bigint,
	values: Buffer | string | null,
	target: string | undefined,
): AboutCall {
	const meta = metaOfRequest(request)
	const isTool = request.method === 'tools/call'
	return [
		trace.traceId,
		trace.spanId,
		trace.parentSpanId,
		trace.traceState,
		trace.flags,
		String(startNs),
		requestBytes,
		clientAddress,
		idText(request.id).slice(0, 128).toWellFormed(),
		textIn(meta, toolUseKeys),
		textIn(meta, conversationKeys),
		isTool ? '' : targetOf(request.method, request.params, target),
		isTool && values === null ? whyNoArguments(request.params.arguments) : '',
		false,
	]
}

/** The `_meta` keys under which known clients name the tool use and the conversation of a call. The first present one is used. */
const toolUseKeys = [
	'claudecode/toolUseId',
	'callId',
	'redpanda.com/llm-tool-call-id',
	'copilot/toolCallId',
] as const
const conversationKeys = ['threadId', 'ai.opencode/sessionID', 'sessionID', 'openai/session'] as const

function textIn(meta: JsonObject, keys: readonly string[]): string {
	for (const key of keys) {
		const value = meta[key]
		if (typeof value === 'string' && value !== '') return value.slice(0, 256).toWellFormed()
	}
	return ''
}

/**
 * The prompt after which a span is named, or the resource, which no span name contains. `own` is the server's own name for it.
 */
function targetOf(method: string, { name, uri }: JsonObject, own: string | undefined): string {
	if (method === 'prompts/get' && typeof name === 'string') return (own ?? name).slice(0, 256).toWellFormed()
	if (method.startsWith('resources/') && typeof uri === 'string')
		return (own ?? uri).slice(0, 1024).toWellFormed()
	return ''
}

/** The arguments of a call as JSON text. Null if they are too long to be read, or have no form in JSON. */
function argumentsText(
	{ request, requestBytes }: AnnouncedCall,
	plan: Pick<Plan, 'arguments'>,
): Buffer | string | null {
	if (requestBytes > maxRead) return null
	if (request instanceof RawRequest && plan.arguments === undefined) {
		const member = request.raw.find('arguments')
		return member ? request.raw.bytesAt(member) : '{}'
	}
	return toJson(plan.arguments ?? request.params.arguments ?? {})
}

function whyNoArguments(values: unknown): '' | 'number' | 'size' {
	if (values !== undefined && !isObject(values)) return ''
	return toJson(values ?? {}) === null ? 'number' : 'size'
}

/** Null if a number cannot be represented in JSON (`1e999` is read as infinite), as it would be read back as another value. */
function toJson(values: unknown): string | null {
	const json = JSON.stringify(values)
	return json.includes('null') && hasInfinity(values) ? null : json
}

function hasInfinity(value: unknown): boolean {
	if (typeof value === 'number') return !Number.isFinite(value)
	return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinity)
}

/** What is logged about an operation when it ends. */
export function endedFacts(
	gateway: Pick<Gateway, 'recordsToolContent'>,
	operation: Operation,
	plan: Plan,
	startNs: bigint,
	outcome: PlanResult | RpcFailure,
	responseBytes: number,
): Buffer {
	const { facts, beganTask, sending } = operation
	const ended: EndedFacts = { durationNs: Number(betweenNs(startNs)), responseBytes, status: 'ok' }
	// The call itself is recorded when its task ends, so that it is counted once.
	if (beganTask) ended.beganTask = true
	if (facts) ended.facts = [...facts].map(([name, value]) => [name, packed(value)])
	const isFailure = outcome instanceof Error
	if ((isFailure || outcome.isError) && plan.server && plan.tool !== '' && sending.isSent)
		ended.names = namesOf(operation, plan)
	if (isFailure) {
		ended.status = outcome.status
		ended.failure = failureFacts(outcome)
		return joined(JSON.stringify(ended), '')
	}
	if (outcome.isError) ended.status = 'error'
	if (
		plan.tool !== '' &&
		(plan.server?.capturesResults ?? gateway.recordsToolContent(operation.caller.workspaceId))
	)
		ended.capturesResult = true
	const kept = ended.capturesResult || ended.names ? resultToKeep(ended, outcome) : ''
	return joined(JSON.stringify(ended), kept)
}

/** The same for a call whose tool succeeded with `result`. */
export function endedPlainFacts(
	durationNs: bigint,
	responseBytes: number,
	result: Buffer,
	capturesResult: boolean,
): Buffer {
	const ended: EndedFacts = { durationNs: Number(durationNs), responseBytes, status: 'ok' }
	if (!capturesResult) return joined(JSON.stringify(ended), '')
	ended.capturesResult = true
	if (result.length <= recordedMaxChars) return joined(JSON.stringify(ended), result)
	const kept = resultToKeep(ended, { json: result.toString(), isError: false, isRaw: true })
	return joined(JSON.stringify(ended), kept)
}

function failureFacts({ code, message, errorType }: RpcFailure): FailureFacts {
	return {
		code: errorType === 'cancelled' ? null : code,
		errorType,
		message: message
			.slice(0, code === rpcCodes.invalidParams ? maxRead : statusMaxChars + beyondChars)
			.toWellFormed(),
	}
}

/** The result of a failed call is kept whole, up to the limit for reading. */
function resultToKeep(ended: EndedFacts, { json, isRaw, isError }: PlanResult): Buffer | string {
	if (json.length <= (isError ? maxRead : recordedMaxChars)) return json
	ended.resultChars = json.length
	// Escape sequences could hide text from the redaction rules, and a truncated document can no longer be parsed.
	const plain = isRaw && /\\[u/]/.test(json) ? JSON.stringify(JSON.parse(json)) : json
	return plain.slice(0, recordedMaxChars + beyondChars).toWellFormed()
}

/** The argument names that an error message of the server may mention. */
function namesOf({ request }: Operation, { server, tool, ...plan }: Plan): string[] {
	const schema = server?.tools.find(({ name }) => name === tool)?.inputSchema
	const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
	const given = plan.arguments ?? request.params.arguments
	return [...new Set([...Object.keys(properties), ...Object.keys(isObject(given) ? given : {})])].slice(
		0,
		maxNames,
	)
}

/** Bigints have no form in JSON. */
function packed(value: AttributeValue): unknown {
	return typeof value === 'bigint' ? { integer: String(value) } : value
}

interface Address {
	host: string
	port: number
}

const addresses = new WeakMap<ServerEntry, Address | null>()

/** The address of the upstream. A hosted program has none. */
function addressOf(server: ServerEntry): Address | null {
	let address = addresses.get(server)
	if (address === undefined) {
		const { protocol, hostname, port } = new URL(server.url)
		const isHttp = protocol === 'http:' || protocol === 'https:'
		address = isHttp ? { host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) } : null
		addresses.set(server, address)
	}
	return address
}

/** The version that the server reported when its tools were last listed. */
function releaseOf(server: ServerEntry | null): string {
	const version = server?.introduction?.serverInfo.version
	return typeof version === 'string' ? version.slice(0, 64).toWellFormed() : ''
}

/** The user for whom an OAuth client acts. */
function userOf(principal: Operation['caller']['principal']): string {
	return principal.kind === 'agent_key' ? (principal.delegatedBy?.email ?? '') : ''
}

function clientName({ name, version }: JsonObject): string {
	if (typeof name !== 'string') return ''
	return `${name}${typeof version === 'string' ? `/${version}` : ''}`.slice(0, 128).toWellFormed()
}

/** Moves the facts of a call to another time, for replayed calls. */
export const toolFactsInTime = {
	parentSpanOf: (announced: Uint8Array) => callIn(partsOf(announced, 4))[2],
	begunAt: (announced: Uint8Array, startNs: bigint) => {
		const parts = partsOf(announced, 4)
		const call = callIn(parts)
		call[5] = String(startNs)
		call[13] = true
		parts[2] = JSON.stringify(call)
		return joined(...parts)
	},
	endedAfter: (ended: Uint8Array, durationNs: bigint) => {
		const [facts = '', result = ''] = partsOf(ended, 2)
		return joined(JSON.stringify({ ...JSON.parse(facts), durationNs: Number(durationNs) }), result)
	},
}

function callIn(parts: readonly string[]): AboutCall {
	return JSON.parse(parts[2] as string) as AboutCall
}

export function encode(facts: object): Buffer {
	return Buffer.from(JSON.stringify(facts))
}

/** Joins parts: each but the last with its length as u32; the last extends to the end. */
function joined(...parts: readonly (Buffer | string)[]): Buffer {
	let size = 4 * (parts.length - 1)
	for (const part of parts) size += typeof part === 'string' ? Buffer.byteLength(part) : part.length
	const all = Buffer.allocUnsafe(size)
	let at = 0
	for (let index = 0; index < parts.length; index += 1) {
		const part = parts[index] as Buffer | string
		const from = index === parts.length - 1 ? at : at + 4
		at = from + (typeof part === 'string' ? all.write(part, from) : part.copy(all, from))
		if (index < parts.length - 1) all.writeUInt32LE(at - from, from - 4)
	}
	return all
}
