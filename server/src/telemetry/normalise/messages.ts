import { checkJsonBounds } from '../../platform/json/json-bounds.ts'
import { requestLimits } from '../../platform/json/json-scan.ts'
import { parseAttribute } from '../attribute-text.ts'
import { toJson } from '../present-span.ts'
import type { Attributes, AttributeValue } from '../span-row.ts'

/** A message of a model call, as recorded in its span. */
export interface RecordedMessage {
	/** `answer` is what the model said. */
	kind: 'system' | 'message' | 'answer'
	role: string
	/** JSON as the sender's library provides it: text, or an object that contains it in one of the usual places. */
	value: unknown
}

type Json = Record<string, unknown>
type Message = Omit<RecordedMessage, 'kind'>

/** Attributes in which libraries store requests and answers, in order of precedence. A star stands for a numbered list. */
const inputKeys = [
	...['gen_ai.input.messages', 'llm.input_messages.*', 'gen_ai.prompt.*', 'ai.prompt.messages', 'ai.prompt'],
	...['langfuse.observation.input', '$ai_input', 'mlflow.spanInputs', 'genkit:input'],
	...['gcp.vertex.agent.llm_request', 'braintrust.input_json', 'lmnr.span.input', 'traceloop.entity.input'],
	// The last one is Pipecat's.
	...['langwatch.input', 'input.value', 'request_data', 'input'],
]
const outputKeys = [
	...[
		'gen_ai.output.messages',
		'llm.output_messages.*',
		'gen_ai.completion.*',
		'langfuse.observation.output',
	],
	...['$ai_output_choices', 'mlflow.spanOutputs', 'genkit:output', 'gcp.vertex.agent.llm_response'],
	...[
		'braintrust.output_json',
		'lmnr.span.output',
		'traceloop.entity.output',
		'langwatch.output',
		'output.value',
		'response_data',
		'output',
	],
]
const systemKey = 'gen_ai.system_instructions'
const vercelAnswer = {
	text: 'ai.response.text',
	calls: 'ai.response.toolCalls',
	object: 'ai.response.object',
} as const

/** Attributes in which libraries store the arguments and results of tools, in order of precedence. */
const argumentKeys = [
	...['gen_ai.tool.call.arguments', 'gen_ai.tool.input', 'mcp.tool.arguments', 'ai.toolCall.args'],
	...['tool_arguments', 'langfuse.observation.input', 'traceloop.entity.input', 'mlflow.spanInputs'],
	...['genkit:input', 'braintrust.input_json', 'lmnr.span.input', 'input.value', 'tool_input'],
	...['langwatch.input', 'spring.ai.tool.call.arguments', 'mcp.request.payload', 'tool_parameters'],
	// The last one is Logfire's for OpenAI's Agents SDK.
	...['tool.parameters', 'function_args', 'arguments', 'input'],
]
const resultKeys = [
	...['gen_ai.tool.call.result', 'gen_ai.tool.output', 'mcp.tool.result', 'ai.toolCall.result'],
	...['tool_response', 'langfuse.observation.output', 'traceloop.entity.output', 'mlflow.spanOutputs'],
	...['genkit:output', 'braintrust.output_json', 'lmnr.span.output', 'output.value'],
	...[
		'langwatch.output',
		'spring.ai.tool.call.result',
		'mcp.response.payload',
		'mcp.response.value',
		'output',
	],
]

/** The attributes from which the content of a tool call is read. */
export const toolContentKeys: readonly string[] = [...argumentKeys, ...resultKeys]

/** The arguments or the result of a tool call. */
export interface ToolContent {
	kind: 'arguments' | 'result'
	/** JSON; for a result that was too long, its beginning. */
	text: string
}

/** The content of a tool call in its span's attributes, in any dialect; empty if none was captured. */
export function toolContentOfSpan(attributes: Attributes): ToolContent[] {
	const textIn = (keys: readonly string[]) => {
		const value = keys.map((key) => attributes.get(key)).find((one) => one !== undefined && one !== '')
		return value === undefined || typeof value === 'string' ? value : JSON.stringify(toJson(value))
	}
	const given = textIn(argumentKeys)
	const answered = textIn(resultKeys)
	return [
		...(given === undefined ? [] : [{ kind: 'arguments' as const, text: given }]),
		...(answered === undefined ? [] : [{ kind: 'result' as const, text: answered }]),
	]
}

/** The attributes from which a span's messages are read: complete names, and prefixes. */
export const messageKeys: { names: readonly string[]; prefixes: readonly string[] } = {
	names: [...inputKeys, ...outputKeys, systemKey, ...Object.values(vercelAnswer)].filter(
		(key) => !isList(key),
	),
	prefixes: [...inputKeys, ...outputKeys].filter(isList).map((key) => key.slice(0, -1)),
}

/** The messages of a model call's span in any dialect, the answer last; empty if none were captured. */
export function messagesOfSpan(attributes: Attributes, events: string): RecordedMessage[] {
	const values: Json = Object.fromEntries(Array.from(attributes, ([key, value]) => [key, toJson(value)]))
	const byAnswer = (all: readonly RecordedMessage[]) => Map.groupBy(all, ({ kind }) => kind === 'answer')
	const ofAttributes = byAnswer(messagesOfValues(values))
	const ofEvents = byAnswer(messagesOfEvents(events))
	return [false, true].flatMap((isAnswer) => ofAttributes.get(isAnswer) ?? ofEvents.get(isAnswer) ?? [])
}

function messagesOfValues(values: Json): RecordedMessage[] {
	const system = messagesIn(values[systemKey], 'system')
	return [
		...[...system, ...firstMessages(values, inputKeys, 'user')].map(asInput),
		...[...firstMessages(values, outputKeys, 'assistant'), ...vercelAnswerOf(values)].map(asAnswer),
	]
}

const asInput = (message: Message): RecordedMessage => ({
	...message,
	kind: isSystem(message.role) ? 'system' : 'message',
})
const asAnswer = (message: Message): RecordedMessage => ({ ...message, kind: 'answer' })
const isSystem = (role: string) => role === 'system' || role === 'developer'

function firstMessages(values: Json, keys: readonly string[], role: string): Message[] {
	for (const key of keys) {
		const found = messagesIn(isList(key) ? listBelow(values, key.slice(0, -1)) : values[key], role)
		if (found.length > 0) return found
	}
	return []
}

function isList(key: string): boolean {
	return key.endsWith('.*')
}

const maxSteps = 8

/** Nests flat names: `a.0.b: x` below `a.` becomes `[{ b: x }]`. */
function listBelow(values: Json, prefix: string): unknown[] {
	const list: Json = Object.create(null)
	for (const [key, value] of Object.entries(values)) {
		if (!key.startsWith(prefix)) continue
		const steps = key.slice(prefix.length).split('.').slice(0, maxSteps)
		const last = steps.pop() as string
		let place = list
		for (const step of steps) {
			if (typeof place[step] !== 'object' || place[step] === null) place[step] = Object.create(null)
			place = place[step] as Json
		}
		place[last] = value
	}
	return inOrder(list) as unknown[]
}

/** Objects whose keys are all numbers become lists. */
function inOrder(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
	const entries = Object.entries(value).map(([key, inner]) => [key, inOrder(inner)] as const)
	if (entries.some(([key]) => !/^\d+$/.test(key))) return Object.fromEntries(entries)
	return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, inner]) => inner)
}

/** Where providers' requests and answers contain their messages, outermost first. */
const places = [
	...['messages', 'contents', 'input', 'prompt', 'choices', 'candidates', 'output', 'request', 'response'],
	// The last one is LangWatch's, which wraps each value together with its type.
	...['message', 'content', 'value'],
]
const systemPlaces = ['system', 'instructions', 'system_instruction', 'systemInstruction']
const maxLevels = 5

/** The messages in any value: a text, JSON of one or many messages, or a complete request or answer of a provider. */
function messagesIn(given: unknown, role: string, level = 0): Message[] {
	const value = parsed(given)
	if (value === undefined || value === null || value === '') return []
	if (Array.isArray(value)) {
		if (value.length === 0) return []
		return value.some(isMessage)
			? value.flatMap((one) => messagesIn(one, role, level + 1))
			: [{ role, value }]
	}
	if (typeof value !== 'object') return [{ role, value }]
	const found = value as Json
	if (isMessage(found)) return [toMessage(found, role)]
	const place = level < maxLevels && places.find((name) => found[name] !== undefined && found[name] !== null)
	if (!place) return [{ role, value }]
	return [...systemIn(found), ...messagesIn(found[place], role, level + 1)]
}

function systemIn(found: Json): Message[] {
	const config = typeof found.config === 'object' ? ((found.config ?? {}) as Json) : {}
	const place = systemPlaces.find((name) => found[name] ?? config[name])
	return place ? messagesIn(found[place] ?? config[place], 'system', maxLevels) : []
}

function isMessage(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false
	const { role, message } = value as Json
	return typeof role === 'string' || (typeof message === 'object' && message !== null)
}

function toMessage(found: Json, role: string): Message {
	const { message = found } = found
	const { contents, tool_calls: calls, ...rest } = message as Json
	const unwrapped = (list: unknown, wrapper: string) =>
		Array.isArray(list) ? list.map((one) => (one as Json | null)?.[wrapper] ?? one) : undefined
	const value = {
		...rest,
		...(contents !== undefined && { content: unwrapped(contents, 'message_content') ?? contents }),
		...(Array.isArray(calls) && calls.length > 0 && { tool_calls: unwrapped(calls, 'tool_call') }),
	}
	return { role: typeof rest.role === 'string' ? rest.role : role, value }
}

/** The AI SDK has the parts of an answer in separate attributes. */
function vercelAnswerOf(values: Json): Message[] {
	const text = values[vercelAnswer.text] ?? values[vercelAnswer.object]
	const calls = parsed(values[vercelAnswer.calls])
	const content = [
		...(text ? [{ type: 'text', text }] : []),
		...(Array.isArray(calls) ? calls.map((call) => ({ ...call, type: 'tool-call' })) : []),
	]
	return content.length > 0 ? [{ role: 'assistant', value: { role: 'assistant', content } }] : []
}

const eventRole = /^gen_ai\.(system|user|assistant|tool)\.message$/
const details = 'gen_ai.client.inference.operation.details'

/** Log records with these event names are messages of the span in which they were written. */
export const messageEvents: readonly string[] = [
	...['system', 'user', 'assistant', 'tool'].map((role) => `gen_ai.${role}.message`),
	...['gen_ai.choice', details],
]

/** Messages in events of the span: one per event, or all in one. */
function messagesOfEvents(json: string): RecordedMessage[] {
	const events = parsed(json)
	if (!Array.isArray(events)) return []
	return (events as { name?: string; attributes?: unknown }[]).flatMap(({ name = '', attributes = [] }) =>
		messagesOfEvent(name, toJson(parseAttribute(JSON.stringify({ values: attributes }), 'kvlist')) as Json),
	)
}

/** The same for a log record. Its messages are in the body, except for the event with all messages, which has them as attributes. */
export function messagesOfLog(name: string, body: AttributeValue, attributes: Attributes): RecordedMessage[] {
	const values = Object.fromEntries(Array.from(attributes, ([key, value]) => [key, toJson(value)]))
	const inBody = parsed(toJson(body))
	const isObject = typeof inBody === 'object' && inBody !== null && !Array.isArray(inBody)
	if (name === details) return messagesOfEvent(name, { ...values, ...(isObject && inBody) })
	return messagesOfEvent(name, isObject ? (inBody as Json) : { content: inBody })
}

function messagesOfEvent(name: string, values: Json): RecordedMessage[] {
	const role = eventRole.exec(name)?.[1]
	if (role !== undefined)
		return saysNothing(values)
			? []
			: [asInput({ role, value: { ...values, content: parsed(values.content) } })]
	if (name === 'gen_ai.choice') {
		const content = parsed(values.message ?? values.content)
		return content && !saysNothing(content) ? messagesIn(content, 'assistant').map(asAnswer) : []
	}
	// NeMo Guardrails has the text in `content`.
	if (name === 'gen_ai.content.prompt')
		return messagesIn(values['gen_ai.prompt'] ?? values.content, 'user').map(asInput)
	if (name === 'gen_ai.content.completion')
		return messagesIn(values['gen_ai.completion'] ?? values.content, 'assistant').map(asAnswer)
	return name === details ? messagesOfValues(values) : []
}

/** Libraries send the events even if they must not send the content: then there is only a role, or the id of a tool use. */
function saysNothing(value: unknown): boolean {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value === ''
	const { content, contents, parts, text, tool_calls: calls } = value as Json
	return [content, contents, parts, text, calls].every(
		(one) => one === undefined || one === null || one === '',
	)
}

/** The parsed JSON in a text. A text that is not JSON, or is too large to be parsed, is returned as it is. */
function parsed(value: unknown): unknown {
	if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
	try {
		checkJsonBounds(Buffer.from(value), requestLimits)
		return JSON.parse(value)
	} catch {
		return value
	}
}
