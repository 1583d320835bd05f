import { idText, isObject, type JsonObject, metaOf, type RpcFailure } from '../../mcp-client/index.ts'
import { hashOfArguments } from '../../platform/arguments-hash.ts'
import { nowNs } from '../../platform/clock.ts'
import { redact } from '../../platform/redaction/index.ts'
import type { ServerEntry } from '../../servers/index.ts'
import { type AttributeValue, newSpanRow, releaseAttribute, type SpanRow } from '../../telemetry/index.ts'
import type { Gateway } from '../gateway.ts'
import type { Operation } from '../operation.ts'
import type { Plan, PlanResult } from './plan.ts'

type Attributes = Map<string, AttributeValue>

/** Where known clients say which tool use of which conversation a call is; the first that is there counts. */
const toolUseKeys = [
	'claudecode/toolUseId',
	'callId',
	'redpanda.com/llm-tool-call-id',
	'copilot/toolCallId',
] as const
const conversationKeys = ['threadId', 'ai.opencode/sessionID', 'sessionID'] as const

/** The attributes of an operation's span, by the OpenTelemetry semantic conventions for MCP. */
export function attributesOf(
	operation: Operation,
	plan: Plan,
	{ method, tool, capturesArguments }: { method: string; tool: string; capturesArguments: boolean },
): Attributes {
	const { client, request, clientAddress } = operation
	const attributes: Attributes = new Map<string, AttributeValue>()
	attributes.set('mcp.method.name', method)
	attributes.set('mcp.protocol.version', client.protocolVersion)
	attributes.set('jsonrpc.request.id', idText(request.id).slice(0, 128).toWellFormed())
	attributes.set('network.transport', 'tcp').set('network.protocol.name', 'http')
	if (client.sessionLabel) attributes.set('mcp.session.id', client.sessionLabel)
	if (clientAddress) attributes.set('client.address', clientAddress)
	if (plan.server) addAddress(attributes, plan.server)
	if (plan.server) addRelease(attributes, plan.server)
	if (tool) attributes.set('gen_ai.tool.name', tool).set('gen_ai.operation.name', 'execute_tool')
	else addTarget(attributes, method, request.params)
	addOrigin(attributes, request.params)
	if (tool) addArgumentsHash(attributes, operation, plan)
	if (tool && capturesArguments)
		for (const [name, value] of capturedArguments(plan.arguments ?? request.params.arguments))
			attributes.set(name, value)
	return attributes
}

/** Larger arguments are not worth the time. */
const hashedBytes = 64 * 1024

/** By it a call is found again in what a model asked for. */
function addArgumentsHash(
	attributes: Attributes,
	{ caller, request, requestBytes }: Operation,
	plan: Plan,
): void {
	if (requestBytes > hashedBytes) return
	const hash = hashOfArguments(plan.arguments ?? request.params.arguments, caller.workspaceId)
	if (hash) attributes.set('signalbox.arguments_hash', hash)
}

/** The conversation that the client names, which its model calls name too. */
export function conversationOf({ request }: Operation): string {
	return textIn(metaOf(request.params), conversationKeys)
}

/** What a span of a prompt is named after, and the resource, which is in no name. */
function addTarget(attributes: Attributes, method: string, { name, uri }: JsonObject): void {
	if (method === 'prompts/get' && typeof name === 'string')
		attributes.set('gen_ai.prompt.name', name.slice(0, 256).toWellFormed())
	if (method.startsWith('resources/') && typeof uri === 'string')
		attributes.set('mcp.resource.uri', uri.slice(0, 1024).toWellFormed())
}

function addOrigin(attributes: Attributes, params: JsonObject): void {
	if (params._meta === undefined) return
	const meta = metaOf(params)
	const toolUse = textIn(meta, toolUseKeys)
	const conversation = textIn(meta, conversationKeys)
	if (toolUse) attributes.set('gen_ai.tool.call.id', toolUse)
	if (conversation) attributes.set('gen_ai.conversation.id', conversation)
}

function textIn(meta: JsonObject, keys: readonly string[]): string {
	for (const key of keys) {
		const value = meta[key]
		if (typeof value === 'string' && value !== '') return value.slice(0, 256).toWellFormed()
	}
	return ''
}

interface Address {
	host: string
	port: number
}

const addresses = new WeakMap<ServerEntry, Address | null>()

/** Of the upstream; a hosted program has none. */
function addAddress(attributes: Attributes, server: ServerEntry): void {
	let address = addresses.get(server)
	if (address === undefined) {
		address = addressOf(server.url)
		addresses.set(server, address)
	}
	if (address) attributes.set('server.address', address.host).set('server.port', BigInt(address.port))
}

/** As the server named it when it was last asked for its tools. */
function addRelease(attributes: Attributes, { introduction }: ServerEntry): void {
	const version = introduction?.serverInfo.version
	if (typeof version === 'string' && version !== '')
		attributes.set(releaseAttribute, version.slice(0, 64).toWellFormed())
}

function addressOf(text: string): Address | null {
	const { protocol, hostname, port } = new URL(text)
	if (protocol !== 'http:' && protocol !== 'https:') return null
	return { host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) }
}

const bytesMax = 16_384
/** A secret that lies across the end is seen whole, so that no half of it stays. */
const beyondBytes = 1024

/** What the tools of a server answered, as attributes. */
export interface CapturedResult {
	attributes: [name: string, value: AttributeValue][]
	/** What a failed tool says of its failure; '' where it says nothing. */
	message: string
}

/** The result of a call without what is private in it; of a longer one the beginning, and a note of that. */
export function capturedResult({ json, isError }: PlanResult): CapturedResult {
	const isCut = json.length > bytesMax
	const { text } = redact(isCut ? json.slice(0, bytesMax + beyondBytes) : json)
	const kept = text.slice(0, bytesMax).toWellFormed()
	return {
		attributes: [
			['gen_ai.tool.call.result', kept],
			...(isCut ? [['signalbox.result_cut', BigInt(json.length)] as [string, AttributeValue]] : []),
		],
		message: isError ? firstText(json) : '',
	}
}

/** Of the first piece of content that is a text; its beginning where it is long. */
function firstText(json: string): string {
	if (json.length > bytesMax) return ''
	const { content } = JSON.parse(json) as { content?: unknown }
	const texts = Array.isArray(content) ? content.filter(isObject).map(({ text }) => text) : []
	const first = texts.find((text) => typeof text === 'string')
	return typeof first === 'string' ? first.slice(0, 1024).toWellFormed() : ''
}

/**
 * The arguments of a call as attributes: without what is private in them and a note of that, or only with a note why not. A
 * part of them would be judged as another call, so the simulator takes redacted ones as not recorded.
 */
export function capturedArguments(values: unknown): [name: string, value: AttributeValue][] {
	if (values !== undefined && !isObject(values)) return []
	const json = toJson(values ?? {})
	if (json === null) return [['signalbox.arguments_omitted', 'number']]
	if (Buffer.byteLength(json) > bytesMax) return [['signalbox.arguments_omitted', 'size']]
	const { text, found } = redact(json)
	if (found.size === 0) return [['gen_ai.tool.call.arguments', json]]
	const redacted: [string, AttributeValue] = ['signalbox.redacted', [...found.keys()]]
	return isJson(text)
		? [['gen_ai.tool.call.arguments', text], redacted]
		: [['signalbox.arguments_omitted', 'private'], redacted]
}

/** Null when a number has no form in JSON (`1e999` is read as infinite), so that it would come back as another value. */
function toJson(values: object): string | null {
	const json = JSON.stringify(values)
	return json.includes('null') && hasInfinity(values) ? null : json
}

function hasInfinity(value: unknown): boolean {
	if (typeof value === 'number') return !Number.isFinite(value)
	return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinity)
}

/** What has no end of its own, such as a key that was cut off, is redacted to the end of the text. */
function isJson(text: string): boolean {
	try {
		JSON.parse(text)
		return true
	} catch {
		return false
	}
}

/** The row of an operation as it stands when nothing follows: begun and interrupted. */
export function beginSpan(
	gateway: Pick<Gateway, 'enforcement' | 'recordsToolContent' | 'version'>,
	operation: Operation,
	plan: Plan,
): SpanRow {
	const { caller, client, request, trace } = operation
	const isTool = request.method === 'tools/call'
	const tool = isTool ? plan.tool.slice(0, 256).toWellFormed() : ''
	const method = request.method.slice(0, 128).toWellFormed()
	const capturesArguments = plan.server?.capturesArguments ?? gateway.recordsToolContent(caller.workspaceId)
	return newSpanRow({
		workspaceId: caller.workspaceId,
		traceId: trace.traceId,
		spanId: trace.spanId,
		parentSpanId: trace.parentSpanId,
		traceState: trace.traceState,
		flags: trace.flags,
		name: nameOf(operation, method, tool),
		otlpKind: 2,
		source: 'gateway',
		kind: isTool ? 'tool_call' : 'mcp',
		status: 'interrupted',
		startNs: nowNs(),
		serviceName: 'signalbox',
		scopeName: 'signalbox.gateway',
		scopeVersion: gateway.version,
		agentId: caller.agentId,
		agentName: gateway.enforcement.agent(caller.agentId)?.name ?? '',
		serverId: plan.server?.id ?? '',
		serverName: plan.server?.name ?? '',
		toolName: tool,
		mcpMethod: method,
		credentialId: caller.credentialId,
		userId: userOf(caller.principal),
		sessionId: conversationOf(operation) || client.sessionLabel,
		client: clientName(client.info),
		requestBytes: operation.requestBytes,
		attributes: attributesOf(operation, plan, { method, tool, capturesArguments }),
	})
}

/** The same row with its outcome, and with what was learnt on the way. */
export function endSpan(
	announced: SpanRow,
	{ facts, beganTask }: Operation,
	outcome: PlanResult | RpcFailure,
	responseBytes: number,
	capturesResults: boolean,
): SpanRow {
	const begun = facts ? { ...announced, attributes: withMore(announced.attributes, facts) } : announced
	const durationNs = nowNs() - begun.startNs
	const ended: SpanRow = { ...begun, durationNs, status: 'ok', responseBytes }
	// The call itself is recorded when its task has ended, so that it counts once.
	if (beganTask) ended.kind = 'mcp'
	if (!(outcome instanceof Error)) {
		const answered = capturesResults ? withResult(ended, outcome) : ended
		return outcome.isError ? { ...answered, ...withError(answered, 'tool_error'), status: 'error' } : answered
	}
	const attributes = withMore(begun.attributes, [['rpc.response.status_code', String(outcome.code)]])
	return {
		...ended,
		...withError({ ...begun, attributes }, outcome.errorType),
		status: outcome.status,
		statusMessage: outcome.message.slice(0, 1024).toWellFormed(),
		rpcCode: clampInt32(outcome.code),
	}
}

function withMore(
	attributes: Iterable<[string, AttributeValue]>,
	more: Iterable<[string, AttributeValue]>,
): Attributes {
	const all = new Map(attributes)
	for (const [name, value] of more) all.set(name, value)
	return all
}

/** What a failed tool says is why its call failed. */
function withResult(row: SpanRow, result: PlanResult): SpanRow {
	const { attributes, message } = capturedResult(result)
	row.statusMessage = message
	row.attributes = withMore(row.attributes, attributes)
	return row
}

function withError(row: SpanRow, errorType: string): Pick<SpanRow, 'errorType' | 'attributes'> {
	return { errorType, attributes: withMore(row.attributes, [['error.type', errorType]]) }
}

/** `{method} {target}`: of tools and prompts their name, never the URI of a resource. */
function nameOf({ request }: Operation, method: string, tool: string): string {
	const { name } = request.params
	const target =
		method === 'prompts/get' && typeof name === 'string' ? name.slice(0, 256).toWellFormed() : tool
	return target ? `${method} ${target}` : method
}

/** The person for whom a client of OAuth acts. */
function userOf(principal: Operation['caller']['principal']): string {
	return principal.kind === 'agent_key' ? (principal.delegatedBy?.email ?? '') : ''
}

function clientName({ name, version }: JsonObject): string {
	if (typeof name !== 'string') return ''
	return `${name}${typeof version === 'string' ? `/${version}` : ''}`.slice(0, 128).toWellFormed()
}

function clampInt32(code: number): number {
	return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, code))
}
