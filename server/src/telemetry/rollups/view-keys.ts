/** How certain it is that two spans with the same key are views of one call: the last two bits of the key. */
export const keyStrengths = { exact: 1, strong: 2, weak: 3 } as const
/** The last two bits of a key that says only what was called. Its views are matched by time and order. */
export const orderedKey = 0

const bitsOf = { ...keyStrengths, ordered: orderedKey } as const
type Strength = keyof typeof bitsOf

const attribute = (...names: string[]) =>
	names.length === 1
		? `attributes['${names[0]}']`
		: `multiIf(${names.map((name) => `attributes['${name}'] != '', attributes['${name}']`).join(', ')}, '')`

const tool = "arrayElement(splitByString('__', tool_name), -1)"
const request = attribute('jsonrpc.request.id', 'mcp.request.id')
const session = attribute('mcp.session.id')
const toolUse = attribute('gen_ai.tool.call.id', 'ai.toolCall.id')
/**
 * In OpenInference and LangSmith, these attributes hold the whole response where others hold its id: that of a provider, or of
 * LangChain, which nests the id more deeply.
 */
const answer = attribute('output.value', 'gen_ai.completion')
const idsInAnswer = [
	"'id'",
	"'response_id'",
	"'llm_output', 'id'",
	"'generations', 1, 1, 'message', 'kwargs', 'response_metadata', 'id'",
	"'generations', 1, 1, 'message', 'kwargs', 'id'",
].map((path) => `JSONExtractString(${answer}, ${path})`)
const response = `multiIf(attributes['gen_ai.response.id'] != '', attributes['gen_ai.response.id'], attributes['ai.response.id'] != '', attributes['ai.response.id'],
	startsWith(${answer}, '{'), arrayFirst(id -> id != '', [${idsInAnswer.join(', ')}]), '')`
/** The provider's request id, from the response headers. */
const providerRequest = attribute('signalbox.provider_request_id', 'anthropic.request.id', 'request_id')
/**
 * A model's name without provider prefix and release date, because some clients report the model they requested, and others the
 * model that answered.
 */
const modelOf = (name: string) =>
	`lower(replaceRegexpOne(replaceRegexpOne(${name}, '^.*/', ''), '[-@](latest|\\\\d{4}-?\\\\d{2}-?\\\\d{2})$', ''))`
const served = modelOf("if(model != '', model, model_requested)")
const requested = modelOf('model_requested')
const wasOther = `${requested} != '' AND ${requested} != ${served}`
const isReported = "usage_source IN ('reported', 'estimated')"
/** Not all clients report which tokens were read from a cache, or were used for reasoning. */
const allTokens = [
	'input_tokens + cache_read_tokens + cache_write_tokens',
	'output_tokens + reasoning_tokens',
]
/** Libraries that forward the output of Gemini leave its thoughts out, if they do not report these (OpenInference for Agno). */
const knownTokens = ['input_tokens + cache_read_tokens + cache_write_tokens', 'toUInt64(output_tokens)']
const hasReasoning = `source = 'model_proxy' AND ${isReported} AND reasoning_tokens > 0`
/** Calls of an instrumented program may go through the proxy, and its spans may have no token counts. */
const mayBeUnreported = `(source = 'model_proxy' OR NOT ${isReported})`
/** Of a stream that broke off, each side knows only the tokens that it has seen, or estimates them. */
const isBroken = `(source = 'model_proxy' OR ${isReported}) AND status IN ('error', 'interrupted', 'cut')`
/** Some libraries do not name the model of a call that failed. Such a call has only its time in common with the proxy's. */
const mayBeUnnamed = `(source = 'model_proxy' OR ${served} = '') AND status IN ('error', 'interrupted', 'cut', 'denied')`
const argumentsText = attribute('gen_ai.tool.call.arguments', 'mcp.tool.arguments', 'ai.toolCall.args')
const serverNames = ['server_name', "if(otlp_kind = 2, service_name, '')", attribute('mcp.server.name')]

/** 0 where the condition does not hold. */
const keyIf = (condition: string, strength: Strength, kind: string, ...parts: string[]) =>
	`if(${condition}, ${keyOf(strength, `'${kind}'`, ...parts)}, 0)`
const keyOf = (strength: Strength, ...parts: string[]) =>
	`bitOr(bitAnd(cityHash64(${parts.join(', ')}), bitNot(toUInt64(3))), toUInt64(${bitsOf[strength]}))`

/** Ids of this length are random; shorter ones (`call_1`) are reused in other sessions. */
const isRandom = (id: string) => `length(${id}) >= 16`
const isShort = (id: string) => `${id} != '' AND length(${id}) < 16`

/** One array of numbers costs an insert less than half as much as concatenating many arrays. */
const present = (keys: readonly string[]) => `arrayFilter(key -> key != 0, [${keys.join(', ')}])`

const toolCallKeys = [
	keyIf(
		`source = 'otlp' AND ${session} != '' AND ${request} != ''`,
		'exact',
		'session',
		session,
		request,
		tool,
	),
	// The gateway records only the public part of its session ids, up to the dot; its client has the whole id.
	keyIf(
		`(source = 'gateway' OR otlp_kind != 2 AND position(${session}, '.') > 1) AND ${session} != '' AND ${request} != ''`,
		...(['exact', 'gateway', `splitByChar('.', ${session})[1]`, request, tool] as const),
	),
	// Without the tool's name, which is not always reported: the log events of Claude Code say `mcp_tool` for every tool.
	keyIf(isRandom(toolUse), 'exact', 'tool use', toolUse),
	// Two libraries in one trace.
	keyIf(isRandom(toolUse), 'ordered', 'tool use', toolUse),
	keyIf(isShort(toolUse), 'strong', 'tool use', toolUse, tool),
	keyIf("session_id != ''", 'strong', 'conversation', 'session_id', tool),
	// A call that a gateway forwards has the client's tool name but a different id.
	keyIf(
		`(source = 'gateway' OR otlp_kind != 2) AND client != '' AND ${request} != ''`,
		'strong',
		'request',
		'client',
		request,
		tool,
	),
	keyIf(`length(${argumentsText}) > 2`, 'strong', 'arguments', argumentsText, tool),
	...serverNames.map((name) => keyIf(`${name} != ''`, 'strong', 'server', `lower(${name})`, tool)),
	// A framework's span around a call has only the tool's name in common with it.
	keyIf("(source = 'gateway' OR otlp_kind < 2) AND tool_name != ''", 'ordered', 'run', tool),
]
const modelCallKeys = [
	keyIf(isRandom(response), 'exact', 'response', response),
	keyIf(isShort(response), 'strong', 'response', response),
	keyIf(isRandom(providerRequest), 'exact', 'provider request', providerRequest),
	keyIf(isReported, 'ordered', 'usage', served, ...allTokens),
	keyIf(`${isReported} AND ${wasOther}`, 'ordered', 'usage', requested, ...allTokens),
	keyIf(hasReasoning, 'ordered', 'usage', served, ...knownTokens),
	keyIf(`${hasReasoning} AND ${wasOther}`, 'ordered', 'usage', requested, ...knownTokens),
	keyIf(`${isBroken} AND ${served} != ''`, 'ordered', 'broken', served),
	keyIf(`${isBroken} AND ${wasOther}`, 'ordered', 'broken', requested),
	keyIf(mayBeUnnamed, 'ordered', 'failed'),
	keyIf(`${mayBeUnreported} AND ${served} != ''`, 'ordered', 'unreported', served),
	keyIf(`${mayBeUnreported} AND ${wasOther}`, 'ordered', 'unreported', requested),
]

/** The SQL form of `call-keys.ts`, for rows that arrive without keys: from older versions, from backups, and renormalised rows. */
export const viewKeysOfRow = `multiIf(kind = 'tool_call', ${present(toolCallKeys)}, kind = 'model_call', ${present(modelCallKeys)}, [])`

/**
 * What views of one call have in common, even without a trace context between them, as hashes. Two calls may share a key by chance,
 * so a comparison must also consider the time and all other calls with the key.
 */
export const viewKeysColumn = [
	'view_keys',
	`Array(UInt64) MATERIALIZED ${viewKeysOfRow} CODEC(ZSTD(1))`,
] as const

/** What any two calls of a tool have in common. */
export const toolKey = keyOf('weak', "'tool'", 'kind', tool)
