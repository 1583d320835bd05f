import type { Subject } from './encode-row.ts'
import { firstInteger, firstText, type HotValues, hotKeyNumbers, type Names, named } from './hot-keys.ts'
import type { SpanRow } from './span-row.ts'

const operation = named('gen_ai.operation.name')
const provider = named('gen_ai.provider.name', 'gen_ai.system')
const modelRequested = named('gen_ai.request.model')
const model = named('gen_ai.response.model')
const toolName = named('gen_ai.tool.name', 'mcp.tool.name')
const mcpMethod = named('mcp.method.name', 'mcp.method')
const errorType = named('error.type')
const session = named('session.id', 'gen_ai.conversation.id', 'mcp.session.id')
const user = named('user.id', 'enduser.id')
const clientName = named('mcp.client.name', 'mcp.session.client_info.name')
const clientVersion = named('mcp.client.version', 'mcp.session.client_info.version')
const httpStatus = named('http.response.status_code', 'http.status_code')
const rpcCode = named('rpc.response.status_code', 'rpc.jsonrpc.error_code')
const timeToFirstChunk = named('gen_ai.response.time_to_first_chunk')
const service = named('service.name')

const tokens = {
	input: named('gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'),
	output: named('gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'),
	cacheRead: named('gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read_input_tokens'),
	cacheWrite: named(
		'gen_ai.usage.cache_write.input_tokens',
		'gen_ai.usage.cache_creation.input_tokens',
		'gen_ai.usage.cache_write_input_tokens',
		'gen_ai.usage.cache_creation_input_tokens',
	),
	reasoning: named('gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.reasoning_tokens'),
}

/** Grows with every change of what is made of the same attributes. */
export const mapperVersion = 1

/** The keys that columns are made from, with their place in HotValues. */
export const mappedKeys = hotKeyNumbers()

const inference: ReadonlySet<string> = new Set(['chat', 'generate_content', 'text_completion', 'embeddings'])

/** What a resource says for all of its spans. */
export interface ResourceFacts {
	serviceName: string
	sessionId: string
	userId: string
}

export function readResource(values: HotValues): ResourceFacts {
	return {
		serviceName: firstText(values, service),
		sessionId: firstText(values, session),
		userId: firstText(values, user),
	}
}

/** The columns that are made from attributes. */
export type Mapped = Subject &
	Pick<SpanRow, 'kind' | 'errorType' | 'dialect' | 'mapperVersion' | 'costSource' | 'ledger'>

/** Maps the attributes of the GenAI and MCP conventions, in all their generations, to columns. */
export function mapAttributes(values: HotValues, resource: ResourceFacts): Mapped {
	const method = firstText(values, mcpMethod)
	const tool = firstText(values, toolName)
	const models = { requested: firstText(values, modelRequested), served: firstText(values, model) }
	const kind = kindOf(method, firstText(values, operation), tool, models)
	const usage = kind === 'model_call' ? readUsage(values) : noUsage
	return {
		kind,
		errorType: firstText(values, errorType),
		agentId: '',
		agentName: '',
		serverId: '',
		serverName: '',
		toolName: tool,
		mcpMethod: method,
		credentialId: '',
		sessionId: firstText(values, session) || resource.sessionId,
		userId: firstText(values, user) || resource.userId,
		client: clientOf(firstText(values, clientName), firstText(values, clientVersion)),
		connection: '',
		provider: firstText(values, provider),
		modelRequested: models.requested,
		model: models.served,
		inputTokens: usage.input,
		cacheReadTokens: usage.cacheRead,
		cacheWriteTokens: usage.cacheWrite,
		outputTokens: usage.output,
		reasoningTokens: usage.reasoning,
		usageSource: kind === 'model_call' ? (usage.reported ? 'reported' : 'missing') : '',
		costNanoUsd: null,
		timeToFirstTokenNs: readSeconds(values, timeToFirstChunk),
		httpStatus: within(firstInteger(values, httpStatus), 0, 65_535),
		rpcCode: within(firstInteger(values, rpcCode), -(2 ** 31), 2 ** 31 - 1),
		requestBytes: 0,
		responseBytes: 0,
		dialect: '',
		mapperVersion,
		costSource: '',
		ledger: [],
	}
}

function kindOf(
	method: string,
	operationName: string,
	tool: string,
	models: { requested: string; served: string },
): SpanRow['kind'] {
	if (method !== '') return method === 'tools/call' ? 'tool_call' : 'mcp'
	if (inference.has(operationName)) return 'model_call'
	if (operationName === 'execute_tool') return 'tool_call'
	// Spans of agents and workflows repeat the model and the sums of the calls inside them.
	if (operationName !== '') return 'other'
	if (tool !== '') return 'tool_call'
	return models.requested !== '' || models.served !== '' ? 'model_call' : 'other'
}

interface Usage {
	input: number
	cacheRead: number
	cacheWrite: number
	output: number
	reasoning: number
	reported: boolean
}

const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, reported: false }

/** Exclusive buckets: the conventions count cache tokens inside the input and reasoning inside the output. */
function readUsage(values: HotValues): Usage {
	const input = firstInteger(values, tokens.input)
	const output = firstInteger(values, tokens.output)
	const cacheRead = countOf(values, tokens.cacheRead)
	const cacheWrite = countOf(values, tokens.cacheWrite)
	const reasoning = countOf(values, tokens.reasoning)
	return {
		input: without(Math.max(0, input ?? 0), cacheRead + cacheWrite),
		cacheRead,
		cacheWrite,
		output: without(Math.max(0, output ?? 0), reasoning),
		reasoning,
		reported: input !== null || output !== null,
	}
}

/** Takes a part out of a sum; a part larger than its sum shows that the sum was exclusive already. */
function without(sum: number, part: number): number {
	return part > sum ? sum : sum - part
}

function countOf(values: HotValues, names: Names): number {
	return Math.max(0, firstInteger(values, names) ?? 0)
}

function clientOf(name: string, version: string): string {
	return name !== '' && version !== '' ? `${name}/${version}` : name
}

function readSeconds(values: HotValues, names: Names): bigint | null {
	const text = firstText(values, names)
	const ns = text === '' ? Number.NaN : Number(text) * 1e9
	return ns >= 0 && ns < 2 ** 63 ? BigInt(Math.round(ns)) : null
}

function within(value: number | null, least: number, most: number): number | null {
	return value !== null && value >= least && value <= most ? value : null
}
