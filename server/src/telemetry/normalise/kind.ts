import type { SpanRow } from '../span-row.ts'
import {
	first,
	firstInteger,
	firstText,
	type HotValues,
	logfireLevel,
	operation,
	ownKinds,
	responseId,
	tokens,
} from './names.ts'
import { parseObject } from './usage.ts'

type Kind = SpanRow['kind']

/** Operations that are one call of a model. The common conventions have the first line, the others are some libraries' own words. */
const inference: ReadonlySet<string> = new Set([
	...['chat', 'generate_content', 'text_completion', 'embeddings', 'rerank'],
	// Spring AI and OpenLIT.
	...['embedding', 'image', 'audio'],
	// LiteLLM.
	...['completion', 'responses', 'anthropic_messages', 'generate_content_stream'],
	...['image_generation', 'image_edit', 'video_generation', 'speech', 'transcription'],
	// Semantic Kernel.
	...['chat.completions', 'chat.streaming_completions'],
	...['text_completions', 'text.completions', 'text.streaming_completions'],
	// Of OpenTelemetry's instrumentations of Gemini's client and of OpenAI's agents.
	...['interactions.create', 'speech_generation'],
])

/** LiteLLM puts an "a" before the operations of its asynchronous client. */
const isInference = (word: string) =>
	inference.has(word) || (word.startsWith('a') && inference.has(word.slice(1)))

/** The libraries' own words for a call of a model and for a call of a tool; every other word is a step around them. */
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
}
const kindOfWord = (word: string): Kind => words[word] ?? (isInference(word) ? 'model_call' : 'other')

/** What LiteLLM forwards as it came, lists of models and the like too. */
const passedThrough = 'pass_through_endpoint'

/** Only the inner spans of the AI SDK are one call each; the outer ones repeat their sums. */
const vercelCall = /^ai\.(?:\w+)\.do(?:Generate|Stream|Embed|Rerank)\b/

/**
 * What a span observed: what its own library calls it, then the common conventions, then what it carries. Spans of agents
 * and workflows repeat the model and the sums of the calls inside them, so they are 'other'.
 */
export function kindOf(values: HotValues, found: { method: string; tool: string; hasModel: boolean }): Kind {
	if (found.method !== '') return found.method === 'tools/call' ? 'tool_call' : 'mcp'
	const own = ownWord(values)
	if (own === passedThrough) return first(values, tokens.input) === undefined ? 'other' : 'model_call'
	if (own !== '') return kindOfWord(own)
	const named = firstText(values, operation)
	if (isInference(named)) return beginsStream(values) ? 'other' : 'model_call'
	if (named === 'execute_tool') return 'tool_call'
	const vercel = firstText(values, ownKinds.vercel)
	if (vercel.startsWith('ai.') && named === '') return kindOfVercel(vercel)
	const beside = firstText(values, ownKinds.beside).toLowerCase()
	if (beside !== '') return kindOfWord(beside)
	if (named !== '') return 'other'
	if (found.tool !== '') return 'tool_call'
	return found.hasModel ? 'model_call' : 'other'
}

/** OpenInference's spans of LlamaIndex: what asks its own `chat`, and what an embedding does inside. */
const ofLlamaIndex =
	/^\w+\.(?:a?(?:stream_)?(?:structured_)?predict(?:_and_call)?|a?stream|_a?get_(?:query|text)_embeddings?)$/

/** A step around a call of a model, or within it, that has the call's kind and none of its figures. */
export function repeatsCall(values: HotValues, dialect: string, { name }: { name(): string }): boolean {
	return dialect === 'openinference' && first(values, tokens.input) === undefined && ofLlamaIndex.test(name())
}

/** Logfire's spans of clients that it instruments. */
const askedByLogfire = /^(?:Chat Completion|Completion|Responses API|Message) with /
const errorLevel = 17

/** Logfire tells of a stream twice: by a span until it begins, and by a log of what it came to, which is the call. */
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
		// MLflow writes JSON.
		if (word !== '') return word.replaceAll('"', '').toLowerCase()
	}
	const { type = '' } = parseObject(firstText(values, ownKinds.braintrust))
	return typeof type === 'string' ? type : ''
}

function kindOfVercel(operationId: string): Kind {
	if (operationId.startsWith('ai.toolCall')) return 'tool_call'
	return vercelCall.test(operationId) ? 'model_call' : 'other'
}
