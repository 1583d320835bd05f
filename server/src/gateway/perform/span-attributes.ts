import { idText, type JsonObject, metaOf } from '../../mcp-client/index.ts'
import { hashOfArguments } from '../../platform/arguments-hash.ts'
import type { ServerEntry } from '../../servers/index.ts'
import { type AttributeValue, releaseAttribute } from '../../telemetry/index.ts'
import type { Operation } from '../operation.ts'
import { capturedArguments } from './captured-content.ts'
import type { Plan } from './plan.ts'

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
	const attributes: Attributes = new Map<string, AttributeValue>([
		['mcp.method.name', method],
		['mcp.protocol.version', client.protocolVersion],
		['jsonrpc.request.id', idText(request.id).slice(0, 128).toWellFormed()],
		['network.transport', 'tcp'],
		['network.protocol.name', 'http'],
	])
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
