import type { SpanRow } from '../span-row.ts'
import {
	first,
	firstInteger,
	firstText,
	type HotValues,
	logfireLevel,
	model,
	modelRequested,
	operation,
	ownKinds,
	parseObject,
	responseId,
	tokens,
} from './names.ts'

type Kind = SpanRow['kind']

/** What may show that a span is a step, apart from its attributes. */
interface Step {
	name(): string
	otlpKind: number
}
/** OTLP's kinds; an internal span is neither a client's nor a server's. */
const internal = 1
const client = 3

/** Operations that are one model call. The first line is from the common conventions, the others are names of some libraries. */
const inference: ReadonlySet<string> = new Set([
	...['chat', 'generate_content', 'text_completion', 'embeddings', 'rerank', 'realtime_inference'],
	// Spring AI and OpenLIT.
	...['embedding', 'image', 'audio'],
	// LiteLLM.
	...['completion', 'responses', 'anthropic_messages', 'generate_content_stream'],
	...['image_generation', 'image_edit', 'video_generation', 'speech', 'transcription'],
	// Netra; Langtrace.
	...['response', 'embed', 'openai.responses.create'],
	// Semantic Kernel.
	...['chat.completions', 'chat.streaming_completions'],
	...['text_completions', 'text.completions', 'text.streaming_completions'],
	// OpenTelemetry's instrumentations of Gemini's client and of OpenAI's agents.
	...['interactions.create', 'speech_generation'],
	// Paid.
	...['messages', 'converse'],
	// TanStack AI.
	...['text_to_speech', 'audio_generation', 'summarize'],
	// Streams of Rig.
	'chat_streaming',
	// The AI SDK 7. Each of these calls is one span, or an inner one of the same name.
	...['decide', 'ai.generateSpeech', 'ai.transcribe', 'ai.streamTranscribe'],
])

/** LiteLLM prefixes the operations of its asynchronous client with an "a". */
const isInference = (word: string) =>
	inference.has(word) || (word.startsWith('a') && inference.has(word.slice(1)))

/** The libraries' own names for a model call and a tool call. A span with any other name is a step around them. */
const words: Record<string, Kind> = {
	generation: 'model_call',
	llm: 'model_call',
	chat_model: 'model_call',
	rerank: 'model_call',
	reranker: 'model_call',
	model: 'model_call',
	embedder: 'model_call',
	tool: 'tool_call',
	tool_call: 'tool_call',
	// Genkit: every tool of Go, and those of JavaScript whose result has several parts.
	'tool.v2': 'tool_call',
}
const kindOfWord = (word: string): Kind => words[word] ?? (isInference(word) ? 'model_call' : 'other')

/** What LiteLLM forwards unchanged, including lists of models and the like. */
const passedThrough = 'pass_through_endpoint'

/** Only the inner spans of the AI SDK are one call each; the outer ones repeat their sums. Speech has no inner spans. */
const vercelCall =
	/^ai\.(?:\w+\.do(?:Generate|Stream|Embed|Rerank|Decide)|generateSpeech|transcribe|streamTranscribe)\b/

/**
 * AG2 reports the usage of each answer once more in a span of its own, after that of the call, and the sum of each subtask in another.
 * Calls that it makes between turns have no other span than that.
 */
const spentAside: ReadonlySet<string> = new Set(['compaction', 'aggregation'])

/** The Google ADK has one more span for tools that ran at the same time, beside theirs. */
const mergedTools = '(merged tools)'

/**
 * The kind of a span: according to its library's own attribute, otherwise to the common conventions, otherwise to what it contains.
 * Spans of agents and workflows repeat the model and the sums of the calls inside them, so they are 'other'.
 */
export function kindOf(values: HotValues, found: { method: string; tool: string; hasModel: boolean }): Kind {
	if (found.method !== '') return found.method === 'tools/call' ? 'tool_call' : 'mcp'
	const own = ownWord(values)
	if (own === passedThrough) return first(values, tokens.input) === undefined ? 'other' : 'model_call'
	if (own !== '') return kindOfWord(own)
	if (namedByLogfire(values, 'tool') !== '') return 'tool_call'
	const named = firstText(values, operation)
	if (isInference(named)) return beginsStream(values) ? 'other' : 'model_call'
	if (named === 'execute_tool') return found.tool === mergedTools ? 'other' : 'tool_call'
	const vercel = firstText(values, ownKinds.vercel)
	if (vercel.startsWith('ai.') && named === '') return kindOfVercel(vercel)
	const beside = firstText(values, ownKinds.beside).toLowerCase()
	if (beside !== '') return kindOfWord(beside)
	if (named !== '') return 'other'
	const spent = firstText(values, ownKinds.ag2Usage)
	if (spent !== '') return spentAside.has(spent) ? 'model_call' : 'other'
	if (found.tool !== '') return 'tool_call'
	return found.hasModel ? 'model_call' : 'other'
}

/** OpenInference's spans of LlamaIndex: those around its own `chat`, those that prepare it, and those inside an embedding. */
const ofLlamaIndex =
	/^StructuredLLM\.|^\w+\.(?:_prepare_chat_with_tools|a?(?:stream_)?(?:structured_)?predict(?:_and_call)?|a?stream|_a?get_(?:query|text)_embeddings?)$/

/** Whether a span is a step around or within a model call that has the call's kind but none of its figures. */
export function repeatsCall(values: HotValues, dialect: string, { name }: Step): boolean {
	return dialect === 'openinference' && first(values, tokens.input) === undefined && ofLlamaIndex.test(name())
}

/** The steps of mcp-agent's agents, whose clients it instruments. */
const ofMcpAgent = /^(?:OpenAI|Anthropic)AugmentedLLM\./

/**
 * Whether a span has the sums of calls that have spans of their own. TanStack AI names its conversations as the conventions name a call,
 * but only its calls have an operation.
 */
export function sumsCalls(values: HotValues, dialect: string, { name, otlpKind }: Step): boolean {
	if (firstText(values, operation) !== '') return false
	if (dialect === '') return ofMcpAgent.test(name())
	if (dialect !== 'gen_ai_1_36' || otlpKind !== internal) return false
	if (first(values, responseId) !== undefined || first(values, model) !== undefined) return false
	return name() === `chat ${firstText(values, modelRequested)}`
}

/** Operations that are no call of a model, although their spans may name one and its tokens. */
const notInference = /^(?:count_tokens|(?:create|invoke)_\w+|execute_tool)$/

/** NeMo Guardrails names the operation after the task that the call is for. The span is a client's, and named as the conventions say. */
export function callsForTask(values: HotValues, dialect: string, { name, otlpKind }: Step): boolean {
	if (dialect !== 'gen_ai' || otlpKind !== client || first(values, tokens.input) === undefined) return false
	const task = firstText(values, operation)
	return !notInference.test(task) && name() === `${task} ${firstText(values, modelRequested)}`
}

/** What Logfire calls requests for which it has no name. Its message contains the path. */
const unnamedByLogfire = /^(?:OpenAI|Anthropic) API call to \{url!r\}$/
/** Such requests that call a model: the same as in the model proxy. */
const callsModel = /\/(?:audio\/\w+|images\/\w+|responses\/compact)'$/
/** Of Anthropic's client, whose calls of models have an operation, and of OpenInference. */
const countsTokens = /(?:^|\.)count_tokens$/

/** Whether a span names a model that it does not call: its request counts tokens, checks a text or creates a session. */
export function onlyNamesModel(values: HotValues, dialect: string, { name }: Step): boolean {
	if (first(values, tokens.input) !== undefined) return false
	if (unnamedByLogfire.test(firstText(values, ownKinds.logfireTemplate)))
		return !callsModel.test(firstText(values, ownKinds.logfire))
	if (countsTokens.test(name())) return true
	return dialect === 'gen_ai' && firstText(values, operation) === '' && name().startsWith('anthropic.')
}

const agentsTemplates = { tool: 'Function: {name}', agent: 'Agent run: {name!r}' } as const

/** The tool or the agent of a span that Logfire makes for OpenAI's Agents SDK. Only its message names them; '' for other spans. */
export function namedByLogfire(values: HotValues, what: keyof typeof agentsTemplates): string {
	const template = agentsTemplates[what]
	if (firstText(values, ownKinds.logfireTemplate) !== template) return ''
	const message = firstText(values, ownKinds.logfire)
	return message
		.slice(template.indexOf('{'))
		.replace(/ failed: .*$/s, '')
		.replace(/^'(.*)'$/, '$1')
}

/** Logfire's spans of the clients that it instruments. */
const askedByLogfire = /^(?:Chat Completion|Completion|Responses API|Message) with /
const errorLevel = 17

/** Logfire reports a stream twice: with a span that ends when the stream begins, and with a log of its result, which is the call. */
function beginsStream(values: HotValues): boolean {
	if (!askedByLogfire.test(firstText(values, ownKinds.logfireTemplate))) return false
	if (first(values, responseId) !== undefined || first(values, tokens.input) !== undefined) return false
	return (firstInteger(values, logfireLevel) ?? 0) < errorLevel
}

const wordOrder = [
	ownKinds.langfuse,
	ownKinds.openinference,
	ownKinds.traceloop,
	ownKinds.traceloopRequest,
	ownKinds.laminar,
	ownKinds.genkit,
	ownKinds.mlflow,
	ownKinds.langsmith,
]

function ownWord(values: HotValues): string {
	for (const names of wordOrder) {
		const word = firstText(values, names)
		// MLflow's values are JSON.
		if (word !== '') return word.replaceAll('"', '').toLowerCase()
	}
	const { type = '' } = parseObject(firstText(values, ownKinds.braintrust))
	return typeof type === 'string' ? type : ''
}

function kindOfVercel(operationId: string): Kind {
	if (operationId.startsWith('ai.toolCall')) return 'tool_call'
	return vercelCall.test(operationId) ? 'model_call' : 'other'
}
