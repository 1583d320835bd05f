import type { AttributeValue } from '../span-row.ts'

const keys: string[] = []

/** The attributes of one span or resource from which columns are derived, by the number of their key. */
export type HotValues = (AttributeValue | undefined)[]

/** Keys with the same meaning in different conventions, in order of precedence. The numbers are indexes in HotValues. */
export type Names = readonly number[]

/** Registers keys that are extracted from attributes while they are read. For module scope only. */
export function named(...names: string[]): Names {
	return names.map((name) => {
		const known = keys.indexOf(name)
		return known >= 0 ? known : keys.push(name) - 1
	})
}

export function newHotValues(): HotValues {
	return new Array(keys.length).fill(undefined)
}

/** The number of every registered key. */
export function hotKeyNumbers(): ReadonlyMap<string, number> {
	return new Map(keys.map((key, number) => [key, number]))
}

/** For spans without attributes from which columns are derived. */
export const noHotValues = Object.freeze<HotValues>([]) as HotValues

/** The first value that is present, or undefined. */
export function first(values: HotValues, names: Names): AttributeValue | undefined {
	for (let i = 0; i < names.length; i++) {
		const value = values[names[i] as number]
		if (value !== undefined && value !== null && value !== '') return value
	}
	return undefined
}

/** The first value that is text (or a number, as text), or ''. */
export function firstText(values: HotValues, names: Names): string {
	const value = first(values, names)
	if (typeof value === 'string') return value
	return typeof value === 'bigint' || typeof value === 'number' ? String(value) : ''
}

/** The first value as an integer that a float represents exactly; null if there is none or it is not one. */
export function firstInteger(values: HotValues, names: Names): number | null {
	const value = first(values, names)
	if (value === undefined || typeof value === 'boolean' || typeof value === 'object') return null
	const number = typeof value === 'string' && !/^-?\d+$/.test(value) ? Number.NaN : Number(value)
	return Number.isSafeInteger(number) ? number : null
}

/** The object that a text is as JSON; an empty one if it is anything else. */
export function parseObject(json: string): Record<string, unknown> {
	// Most spans have none, and the error that `JSON.parse` throws is expensive.
	if (json === '') return {}
	try {
		return objectOf(JSON.parse(json))
	} catch {
		return {}
	}
}

export function objectOf(value: unknown): Record<string, unknown> {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The keys of all dialects by meaning, in order of precedence. Sources: docs/telemetry.md, "Dialects". */

/** The kind of a span, as named by the library that made it. */
export const ownKinds = {
	langfuse: named('langfuse.observation.type'),
	openinference: named('openinference.span.kind'),
	traceloop: named('traceloop.span.kind'),
	traceloopRequest: named('llm.request.type'),
	vercel: named('ai.operationId', 'operation.name'),
	laminar: named('lmnr.span.type'),
	genkit: named('genkit:metadata:subtype'),
	mlflow: named('mlflow.spanType'),
	langsmith: named('langsmith.span.kind'),
	posthog: named('$ai_model'),
	agentcat: named('mcp.event_type'),
	/** A JSON object with `type`. */
	braintrust: named('braintrust.span_attributes'),
	logfire: named('logfire.msg'),
	logfireTemplate: named('logfire.msg_template'),
	sentry: named('sentry.op'),
	/** Used besides the common conventions, whose operation is more specific: LangWatch, traceAI and LoongSuite, DeepEval, Spring AI, Netra. */
	beside: named(
		...['langwatch.span.type', 'gen_ai.span.kind', 'fi.span.kind', 'confident.span.type', 'spring.ai.kind'],
		'netra.span.type',
	),
	netra: named('netra.span.type', 'netra.instrumentation.name'),
	langwatch: named('langwatch.span.type'),
	ag2Usage: named('ag2.usage.kind'),
	deepeval: named('confident.span.type'),
}

export const operation = named('gen_ai.operation.name')
export const system = named('gen_ai.system')
export const provider = named(
	'gen_ai.provider.name',
	'gen_ai.system',
	'llm.provider',
	'llm.system',
	'ai.model.provider',
	'gen_ai.model.provider',
	'$ai_provider',
	'langsmith.metadata.ls_provider',
	'mlflow.llm.provider',
	'langfuse.observation.metadata.ls_provider',
)
export const modelRequested = named(
	'gen_ai.request.model',
	'llm.request.model_name',
	'llm.model_name',
	'ai.model.id',
	'langfuse.observation.model.name',
	'$ai_model',
	'langsmith.metadata.ls_model_name',
	'mlflow.llm.model',
	'embedding.model_name',
	'reranker.model_name',
	'confident.llm.model',
)
/** The last ones are set to whatever model the library saw last, which is the one that answered if there was an answer. */
export const model = named(
	...['gen_ai.response.model', 'llm.response.model_name', 'llm.response.model', 'ai.response.model'],
	...['llm.model_name', 'langfuse.observation.model.name', '$ai_model'],
)
/** OpenInference and traceAI: the request as JSON. */
export const invocation = named('llm.invocation_parameters', 'gen_ai.request.parameters')
/** OpenInference: the metadata of the library as JSON; LangChain's name the provider, which JavaScript reports nowhere else. */
export const metadata = named('metadata')
/** LiteLLM: the requested model, as `provider/model`. */
export const litellmModel = named('litellm.provider.model')
export const toolName = named(
	...['gen_ai.tool.name', 'mcp.tool.name', 'tool.name', 'ai.toolCall.name', 'spring.ai.tool.definition.name'],
)
/** The name of any step; the tool's name if the step is a tool. */
export const entityName = named('traceloop.entity.name')
export const agentcatResource = named('mcp.resource_name')
/** Genkit: the name of a tool or an agent, or `provider/model`. */
export const genkitName = named('genkit:name')
/** Genkit: the answer of a model as JSON, with its usage. */
export const genkitOutput = named('genkit:output')
/** Google ADK: the answer of a model as JSON. */
export const adkResponse = named('gcp.vertex.agent.llm_response')
/** The agent that the sender names, and the MCP server. */
export const agentName = named('gen_ai.agent.name', 'agent.name', 'agent_name', 'netra.agent.name')
export const graphNode = named('graph.node.id')
export const serverName = named('mcp.server.name', 'mcp.server_name', 'mastra.mcp_tool_call.server_name')
/** OpenAI's Agents SDK: JSON with the MCP server of a tool. */
export const mcpData = named('mcp_data')
export const mcpMethod = named('mcp.method.name', 'mcp.method')
export const errorType = named('error.type')
/** A list, or one as JSON. */
export const finishReasons = named('gen_ai.response.finish_reasons')
/** Of Mastra: as it names an MCP server, before whose tools it puts that name. */
export const mastraServer = named('mastra.mcp_tool_call.server_name')
export const logfireLevel = named('logfire.level_num')
export const langfuseLevel = named('langfuse.observation.level')
export const responseId = named('gen_ai.response.id')
export const sessionKeys = [
	'langfuse.session.id',
	'session.id',
	'gen_ai.conversation.id',
	'traceloop.association.properties.session_id',
	'traceloop.association.properties.thread_id',
	'lmnr.association.properties.session_id',
	'ai.telemetry.metadata.sessionId',
	'ai.settings.context.sessionId',
	'mastra.metadata.sessionId',
	'$ai_session_id',
	'langsmith.metadata.session_id',
	'langsmith.metadata.thread_id',
	'mlflow.trace.session',
	'gcp.vertex.agent.session_id',
	'mcp.session.id',
	'mcp.session_id',
	'conversation.id',
	'langwatch.thread.id',
	'confident.trace.thread_id',
	'spring.ai.chat.client.conversation.id',
	'mirascope.ops.session.id',
	'netra.session_id',
	'keywordsai.threads.thread_identifier',
	'respan.threads.thread_identifier',
	'genkit:metadata:agent:sessionId',
	'langfuse.observation.metadata.langfuse_session_id',
] as const
export const session = named(...sessionKeys)
export const mcp = { session: named('mcp.session.id'), revision: named('mcp.protocol.version') }
export const userKeys = [
	'langfuse.user.id',
	'user.id',
	'enduser.id',
	'gen_ai.request.user',
	'llm.user',
	'traceloop.association.properties.user_id',
	'lmnr.association.properties.user_id',
	'ai.telemetry.metadata.userId',
	'ai.settings.context.userId',
	'mastra.metadata.userId',
	'posthog.distinct_id',
	'langsmith.metadata.user_id',
	'mlflow.trace.user',
	'mcp.actor_id',
	'langwatch.user.id',
	'confident.trace.user_id',
	'netra.user_id',
	'keywordsai.customer_params.customer_identifier',
	'respan.customer_params.customer_identifier',
	'langfuse.observation.metadata.langfuse_user_id',
	'user.email',
	'user.account_uuid',
	'user.account_id',
] as const
export const user = named(...userKeys)
export const clientName = named('mcp.client.name', 'mcp.session.client_info.name', 'mcp.client_name')
export const clientVersion = named(
	...['mcp.client.version', 'mcp.session.client_info.version', 'mcp.client_version'],
)
export const httpStatus = named('http.response.status_code', 'http.status_code', '$ai_http_status')
export const rpcCode = named('rpc.response.status_code', 'rpc.jsonrpc.error_code')
export const secondsToFirstChunk = named(
	'gen_ai.response.time_to_first_chunk',
	'gen_ai.client.operation.time_to_first_chunk',
	// Sentry, vLLM and Netra; Pipecat.
	...['gen_ai.response', 'gen_ai.latency', 'gen_ai.performance'].map((of) => `${of}.time_to_first_token`),
	'metrics.ttfb',
)
export const msToFirstChunk = named('ai.response.msToFirstChunk')
export const timeToFirstToken = named('gen_ai.server.time_to_first_token')
/** When the first part of the answer arrived, as a date in JSON. */
export const firstChunkAt = named(
	...['langfuse.observation.completion_start_time', 'mastra.completion_start_time'],
)

/** Attribute names of Claude Code, Codex, Gemini CLI and Qwen Code: see `client-conventions.ts`. */
export const clients = {
	/** Set for a call that a log event has reported. */
	event: named('signalbox.event'),
	spanType: named('span.type'),
	model: named('model'),
	inputTokens: named('input_tokens', 'input_token_count'),
	outputTokens: named('output_tokens', 'output_token_count'),
	cacheReadTokens: named('cache_read_tokens', 'cached_token_count', 'cached_content_token_count'),
	cacheWriteTokens: named('cache_creation_tokens', 'cache_write_token_count'),
	reasoningTokens: named('reasoning_token_count', 'thoughts_token_count'),
	toolPromptTokens: named('tool_token_count'),
	totalTokens: named('total_token_count'),
	/** Qwen Code: the protocol of its provider. */
	authType: named('auth_type'),
	cost: named('cost_usd'),
	msToFirstToken: named('ttft_ms'),
	statusCode: named('status_code'),
	errorType: named('error_type', 'error.type'),
	toolName: named('tool_name', 'function_name'),
	toolUse: named('tool_use_id'),
	conversation: named('conversation.id'),
	user: named('user.email', 'user.account_uuid', 'user.account_id'),
	requestContext: named('llm_request.context'),
	server: named('mcp_server_name', 'mcp_server'),
}

/** Attributes of resources. */
export const service = named('service.name')
export const serviceVersion = named('service.version')
export const sdk = named('telemetry.sdk.name')
export const tokens = {
	input: named(
		'gen_ai.usage.input_tokens',
		'gen_ai.usage.prompt_tokens',
		'llm.token_count.prompt',
		'ai.usage.inputTokens',
		'ai.usage.promptTokens',
		'$ai_input_tokens',
		'confident.llm.input_token_count',
		// Embeddings.
		'ai.usage.tokens',
	),
	output: named(
		'gen_ai.usage.output_tokens',
		'gen_ai.usage.completion_tokens',
		'llm.token_count.completion',
		'ai.usage.outputTokens',
		'ai.usage.completionTokens',
		'$ai_output_tokens',
		'confident.llm.output_token_count',
	),
	cacheRead: named(
		'gen_ai.usage.cache_read.input_tokens',
		'gen_ai.usage.cache_read_input_tokens',
		'gen_ai.usage.prompt_tokens_details.cached_tokens',
		'gen_ai.usage.prompt_tokens_details.cache_read',
		'gen_ai.usage.details.cache_read_tokens',
		// Sentry; Langtrace and SGLang.
		...['gen_ai.usage.input_tokens.cached', 'gen_ai.usage.cached_tokens'],
		// Paid; LiveKit; AgentScope.
		...['gen_ai.usage.cached_input_tokens', 'gen_ai.usage.input_cached_tokens'],
		'agentscope.usage.cache_input_tokens',
		...['cache_read', 'cache_input'].map((part) => `llm.token_count.prompt_details.${part}`),
		'ai.usage.inputTokenDetails.cacheReadTokens',
		'ai.usage.cachedInputTokens',
		'$ai_cache_read_input_tokens',
	),
	cacheWrite: named(
		...['gen_ai.usage.cache_write.input_tokens', 'gen_ai.usage.cache_creation.input_tokens'],
		...['gen_ai.usage.cache_write_input_tokens', 'gen_ai.usage.cache_creation_input_tokens'],
		...['gen_ai.usage.prompt_tokens_details.cache_write', 'gen_ai.usage.details.cache_write_tokens'],
		...['gen_ai.usage.input_tokens.cache_write', 'llm.token_count.prompt_details.cache_write'],
		...['ai.usage.inputTokenDetails.cacheWriteTokens', '$ai_cache_creation_input_tokens'],
		'agentscope.usage.cache_creation_input_tokens',
	),
	reasoning: named(
		'gen_ai.usage.reasoning.output_tokens',
		'gen_ai.usage.reasoning_tokens',
		'gen_ai.usage.completion_tokens_details.reasoning',
		'gen_ai.usage.details.reasoning_tokens',
		'gen_ai.usage.details.thoughts_tokens',
		'gen_ai.usage.details.thinking_tokens',
		// AG2; Netra.
		...['gen_ai.usage.thinking_tokens', 'llm.usage.reasoning_tokens'],
		...['gen_ai.usage.output_tokens.reasoning', 'gen_ai.usage.reasoning_output_tokens'],
		'llm.token_count.completion_details.reasoning',
		'ai.usage.outputTokenDetails.reasoningTokens',
		'ai.usage.reasoningTokens',
		'$ai_reasoning_tokens',
	),
	/** Parts of the above with a price of their own. Cached audio is a part of the audio input. */
	audioInput: named(
		...['gen_ai.usage.audio.input_tokens', 'gen_ai.usage.details.input_audio_tokens'],
		// LiveKit; Langtrace; the AI SDK's transcriptions.
		...['gen_ai.usage.input_audio_tokens', 'gen_ai.usage.prompt_tokens_details.audio'],
		...['gen_ai.usage.input_token_details.audio_tokens', 'llm.token_count.prompt_details.audio'],
	),
	audioCacheRead: named(
		'gen_ai.usage.audio.cache_read.input_tokens',
		'gen_ai.usage.details.cache_audio_read_tokens',
	),
	audioOutput: named(
		...['gen_ai.usage.audio.output_tokens', 'gen_ai.usage.details.output_audio_tokens'],
		...['gen_ai.usage.output_audio_tokens', 'gen_ai.usage.completion_tokens_details.audio'],
		'llm.token_count.completion_details.audio',
	),
	imageInput: named('gen_ai.usage.image.input_tokens'),
	imageCacheRead: named('gen_ai.usage.image.cache_read.input_tokens'),
	imageOutput: named('gen_ai.usage.image.output_tokens'),
	videoInput: named('gen_ai.usage.video.input_tokens'),
	/** Anthropic's client and Pydantic AI: the part of the cache writes that is kept for an hour. */
	cacheWriteForHour: named(
		'anthropic.usage.cache_creation.ephemeral_1h_input_tokens',
		'gen_ai.usage.details.ephemeral_1h_input_tokens',
	),
	/** A JSON object whose counts are already exclusive. */
	exclusiveJson: named('langfuse.observation.usage_details'),
	/** JSON objects whose input includes cache tokens. */
	inclusiveJson: named('mlflow.chat.tokenUsage', 'braintrust.metrics', 'langwatch.metrics'),
	/**
	 * Logfire: the usage in the provider's own format, or in that of the Agents SDK. LangSmith: in LangChain's. Mirascope: in its own.
	 * All have the details.
	 */
	raw: named('gen_ai.usage.raw', 'langsmith.metadata.usage_metadata', 'mirascope.response.usage', 'usage'),
	/** LiteLLM: the same, as JSON or in Python's notation. */
	rawOfLitellm: named('metadata.usage_object'),
	/** Whether the input excludes cache tokens. */
	exclusive: named('$ai_cache_reporting_exclusive'),
	/** OpenTelemetry's instrumentations of the AWS SDK. */
	rpcSystem: named('rpc.system', 'rpc.system.name'),
	/** OpenLLMetry for Bedrock, if anything was cached. */
	promptCaching: named('gen_ai.prompt_caching'),
	/** The input without cache tokens, in addition to the total. */
	uncachedInput: named('ai.usage.inputTokenDetails.noCacheTokens'),
	/** What providers reported to the AI SDK; for some it is the only source of cache tokens. */
	vercelMetadata: named('ai.response.providerMetadata'),
}

/** The terms under which the provider served a call, which change its price. */
export const serviceTier = named(
	...['openai.response.service_tier', 'gen_ai.openai.response.service_tier'],
	'anthropic.response.service_tier',
)

/** The cost of a call that the sender reports, in dollars. */
export const cost = named(
	...['gen_ai.usage.cost', 'llm.cost.total', '$ai_total_cost_usd', 'operation.cost'],
	...['gen_ai.cost.total_cost', 'litellm.cost.total'],
)
/** OpenLIT and LiteLLM report 0 for a model without a price. */
export const costOrZero = named('gen_ai.usage.cost', 'gen_ai.cost.total_cost', 'litellm.cost.total')
export const costJson = named('langfuse.observation.cost_details')
/** LangWatch: tokens and cost as JSON. */
export const langwatchMetrics = named('langwatch.metrics')
