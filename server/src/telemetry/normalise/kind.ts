import type { SpanRow } from '../span-row.ts'
import { first, firstInteger, firstText, type HotValues } from './hot-keys.ts'
import { logfireLevel, operation, ownKinds, responseId, tokens } from './names.ts'
import { parseObject } from './usage.ts'

type Kind = SpanRow['kind']

const inference: ReadonlySet<string> = new Set([
	...['chat', 'generate_content', 'text_completion', 'embeddings', 'rerank'],
])

/** The libraries' own words for a call of a model and for a call of a tool; every other word is a step around them. */
const words: Record<string, Kind> = {
	generation: 'model_call',
	embedding: 'model_call',
	llm: 'model_call',
	chat_model: 'model_call',
	chat: 'model_call',
	completion: 'model_call',
	rerank: 'model_call',
	reranker: 'model_call',
	model: 'model_call',
	tool: 'tool_call',
}

/** Only the inner spans of the AI SDK are one call each; the outer ones repeat their sums. */
const vercelCall = /^ai\.(?:\w+)\.do(?:Generate|Stream|Embed|Rerank)\b/

/**
 * What a span observed: what its own library calls it, then the common conventions, then what it carries. Spans of agents
 * and workflows repeat the model and the sums of the calls inside them, so they are 'other'.
 */
export function kindOf(values: HotValues, found: { method: string; tool: string; hasModel: boolean }): Kind {
	if (found.method !== '') return found.method === 'tools/call' ? 'tool_call' : 'mcp'
	const own = ownWord(values)
	if (own !== '') return words[own] ?? 'other'
	const named = firstText(values, operation)
	if (inference.has(named)) return beginsStream(values) ? 'other' : 'model_call'
	if (named === 'execute_tool') return 'tool_call'
	if (named !== '') return 'other'
	const vercel = firstText(values, ownKinds.vercel)
	if (vercel.startsWith('ai.')) return kindOfVercel(vercel)
	if (found.tool !== '') return 'tool_call'
	return found.hasModel ? 'model_call' : 'other'
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
