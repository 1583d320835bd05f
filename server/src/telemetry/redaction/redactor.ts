import type { RedactionTarget } from '@signalbox/contract'
import { compileOwnPattern } from '../../platform/redaction/own-pattern.ts'
import { redact } from '../../platform/redaction/redact.ts'
import type { Attributes, AttributeValue, SpanRow } from '../span-row.ts'

/**
 * Attributes that hold content, that is, what people and models said: prompts, answers, arguments and results of tools, under the
 * names of each dialect. A trailing star matches any suffix.
 */
const contentKeys = [
	...['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.system_instructions', 'gen_ai.prompt*'],
	...[
		'gen_ai.completion*',
		'gen_ai.tool.call.arguments',
		'gen_ai.tool.call.result',
		'gen_ai.tool.definitions',
	],
	...[
		'input.value',
		'output.value',
		'llm.input_messages*',
		'llm.output_messages*',
		'llm.prompts*',
		'tool.parameters',
	],
	...[
		'retrieval.documents*',
		'langfuse.observation.input',
		'langfuse.observation.output',
		'langfuse.trace.input',
	],
	...[
		'langfuse.trace.output',
		'traceloop.entity.input',
		'traceloop.entity.output',
		'ai.prompt*',
		'ai.response.text',
	],
	...[
		'ai.response.object',
		'ai.response.reasoning',
		'ai.response.toolCalls',
		'ai.toolCall.args',
		'ai.toolCall.result',
	],
	...['ai.value', 'ai.values', 'lmnr.span.input', 'lmnr.span.output', '$ai_input', '$ai_output_choices'],
	...[
		'mcp.request.argument*',
		'mcp.request.payload',
		'mcp.response.payload',
		'mcp.response.value',
		'mcp.tool.arguments',
	],
	...[
		'mcp.tool.result*',
		'mcp.prompt.result*',
		'mcp.user_intent',
		'genkit:input',
		'genkit:output',
		'genkit:init',
		'pydantic_ai.*',
	],
	...['tool_arguments', 'tool_response', 'all_messages_events', 'gcp.vertex.agent.*', 'mlflow.spanInputs'],
	...['mlflow.spanOutputs', 'exception.message', 'exception.stacktrace'],
	...[
		'gen_ai.content.*',
		'gen_ai.retrieval.query*',
		'gen_ai.retrieval.documents',
		'gen_ai.evaluation.explanation',
	],
	...[
		'embedding.embeddings*',
		'reranker.*',
		'llm.completions*',
		'llm.choices*',
		'llm.prompt_template.variables',
	],
	...[
		'langfuse.observation.status_message',
		'traceloop.prompt.*',
		'ai.response.files',
		'$ai_output',
		'$ai_error',
	],
	...[
		'mcp.logging.message',
		'mcp.elicitation.*',
		'all_messages',
		'final_result',
		'request_data',
		'response_data',
	],
	...['events', 'logfire.msg', 'lk.*', 'flue.*', 'langsmith.entity.*'],
	// Speech, rerankings and decisions of the AI SDK.
	...['ai.request.text', 'ai.documents', 'ai.decision.*'],
	...[
		'mastra.agent_*',
		'mastra.model_*',
		'mastra.workflow_*',
		'mastra.generic*',
		'mastra.metadata.body',
		'agentops.entity.*',
		'gen_ai.agent.system_prompt',
		'gen_ai.tool.input',
		'gen_ai.tool.output',
	],
	...['braintrust.input*', 'braintrust.output*', 'braintrust.expected*'],
	// Claude Code, Codex and Gemini CLI.
	...['prompt', 'user_prompt', 'response', 'full_command', 'tool_input', 'tool_parameters'],
	...['arguments', 'output', 'function_args', 'request_text', 'response_text', 'error', 'error.message'],
	// Koog; mcp-agent; TruLens.
	...[
		'koog.node.*',
		'koog.subgraph.*',
		'ai.observability.*',
		'system_instructions',
		'system_prompt',
		'message.content',
		'response.*',
	],
	...['tool_args*', 'arguments.*', 'request.params.arguments.*', 'result.content*', 'processed.*'],
]

interface ContentKey {
	bytes: Buffer
	/** Whether it is a prefix of longer keys. */
	open: boolean
}

/** By their first three bytes: one lookup rules out almost every other key. */
const byStart = new Map<number, ContentKey[]>()
for (const name of contentKeys) {
	const open = name.endsWith('*')
	const bytes = Buffer.from(open ? name.slice(0, -1) : name)
	const start = startOf(bytes, 0)
	byStart.set(start, [...(byStart.get(start) ?? []), { bytes, open }])
}

function startOf(bytes: Buffer, at: number): number {
	return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
}

/** Whether the key in these bytes holds content. */
function isContentKeyAt(bytes: Buffer, start: number, end: number): boolean {
	if (end - start < 3) return false
	const candidates = byStart.get(startOf(bytes, start))
	if (candidates === undefined) return false
	for (const key of candidates) if (isAt(key, bytes, start, end)) return true
	return false
}

export function isContentKey(name: string): boolean {
	const bytes = Buffer.from(name)
	return isContentKeyAt(bytes, 0, bytes.length)
}

function isAt({ bytes: wanted, open }: ContentKey, bytes: Buffer, start: number, end: number): boolean {
	if (open ? end - start < wanted.length : end - start !== wanted.length) return false
	for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false
	return true
}

/** A workspace's own rule, in a form that can be sent to another thread. */
export interface RedactionRule {
	/** RE2. */
	pattern: string
	/** Replaces a match: `[redacted:label]`. */
	label: string
	appliesTo: readonly RedactionTarget[]
	/** For the target `attributes`. A trailing star matches any suffix. */
	attributeKeys: readonly string[]
}

/** The rules of a workspace. */
export interface RuleSet {
	/** Equal for equal rules, so that compiled rules can be reused. */
	key: string
	rules: readonly RedactionRule[]
}

/** A compiled rule. */
interface CompiledRule {
	appliesTo: ReadonlySet<RedactionTarget>
	/** Whether the attribute is one that the rule names. */
	names(key: string): boolean
	/** Returns the text without the rule's matches, and adds the rule's label to `found` if there were any. */
	redact(text: string, found: Set<string>): string
}

/** Throws `UnusablePattern`. */
export function compileRule({ pattern, label, appliesTo, attributeKeys }: RedactionRule): CompiledRule {
	const own = compileOwnPattern(pattern)
	const whole = new Set(attributeKeys.filter((key) => !key.endsWith('*')))
	const starts = attributeKeys.filter((key) => key.endsWith('*')).map((key) => key.slice(0, -1))
	return {
		appliesTo: new Set(appliesTo),
		names: (key) => whole.has(key) || starts.some((start) => key.startsWith(start)),
		redact: (text, found) => own.replace(text, label, () => found.add(label)),
	}
}

/** The attribute that lists what was redacted in a span's content or in a log record: names of detectors and labels of rules. */
export const redactedKey = 'signalbox.redacted'

/** Applies `redactText` to each text in the value; returns the same value if nothing changes. */
function redactValue(value: AttributeValue, redactText: (text: string) => string): AttributeValue {
	if (typeof value === 'string') return redactText(value)
	if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
	if (Array.isArray(value)) return redactList(value, redactText)
	const entries = Object.entries(value)
	const redacted = entries.map(([, inner]) => redactValue(inner, redactText))
	if (redacted.every((inner, i) => inner === entries[i]?.[1])) return value
	const object: { [key: string]: AttributeValue } = Object.create(null)
	for (const [i, [key]] of entries.entries()) object[key] = redacted[i] as AttributeValue
	return object
}

function redactList(values: AttributeValue[], redactText: (text: string) => string): AttributeValue {
	const redacted = values.map((inner) => redactValue(inner, redactText))
	return redacted.every((inner, i) => inner === values[i]) ? values : redacted
}

type Entries = [string, AttributeValue][]

/** How the texts of an attribute are redacted. */
interface Treatment {
	/** Whether it holds content, to which the built-in detectors apply. */
	isContent: boolean
	rules: readonly CompiledRule[]
}

const maxKnownKeys = 5000
const maxKnownKey = 256

/** Removes private data from telemetry before it is written, using the built-in detectors and a workspace's own rules. */
export class Redactor {
	/** Whether own rules may change more than content and log bodies. Rarely true, so it is checked first. */
	readonly hasKeyRules: boolean
	readonly #everywhere: readonly CompiledRule[]
	readonly #byKey: readonly CompiledRule[]
	readonly #content: Treatment
	readonly #logBodies: Treatment
	/** A cache, because the same keys recur. */
	readonly #known = new Map<string, Treatment>()

	constructor(rules: readonly CompiledRule[]) {
		const of = (...targets: RedactionTarget[]) =>
			rules.filter(({ appliesTo }) => targets.some((target) => appliesTo.has(target)))
		this.#everywhere = of('all')
		this.#byKey = of('attributes')
		this.#content = { isContent: true, rules: of('content', 'all') }
		this.#logBodies = { isContent: true, rules: of('log_bodies', 'all') }
		this.hasKeyRules = this.#everywhere.length > 0 || this.#byKey.length > 0
	}

	/** Whether the attribute with the key in these bytes must be redacted. */
	concernsAt(bytes: Buffer, start: number, end: number): boolean {
		if (isContentKeyAt(bytes, start, end)) return true
		return this.hasKeyRules && this.#treatmentOf(bytes.toString('utf8', start, end)).rules.length > 0
	}

	/** The redacted value of an attribute, or the same value if nothing changes. Findings are added to `found`. */
	attribute(key: string, value: AttributeValue, found: Set<string>): AttributeValue {
		return treat(value, this.#treatmentOf(key), found)
	}

	attributes(entries: Entries, found: Set<string>): Entries {
		return entries.map(([key, value]) => [key, this.attribute(key, value, found)])
	}

	/** The same for a map. Returns the same map if nothing changes, as for most log records. */
	attributesIn(attributes: Attributes, found: Set<string>): Attributes {
		let changed: Map<string, AttributeValue> | null = null
		attributes.forEach((value, key) => {
			const redacted = this.attribute(key, value, found)
			if (redacted !== value) changed = (changed ?? new Map(attributes)).set(key, redacted)
		})
		return changed ?? attributes
	}

	/** Attributes that hold no content, such as those of a resource, a link or a data point. Only own rules apply to them. */
	others(entries: Entries): Entries {
		return this.hasKeyRules ? this.attributes(entries, new Set()) : entries
	}

	othersIn(attributes: Attributes): Attributes {
		return this.hasKeyRules ? this.attributesIn(attributes, new Set()) : attributes
	}

	/** Redacts what people and models said. */
	content(value: AttributeValue, found: Set<string>): AttributeValue {
		return treat(value, this.#content, found)
	}

	logBody(value: AttributeValue, found: Set<string>): AttributeValue {
		return treat(value, this.#logBodies, found)
	}

	/**
	 * Redacts a status message, which is usually an exception's message: the built-in detectors and the rules for everything apply.
	 * Null if it is unchanged.
	 */
	message(text: string, found: Set<string>): string | null {
		const left = applyRules(this.#everywhere, withoutPrivate(text, found), found)
		return left === text ? null : left
	}

	/** Redacts a text that is not an attribute, such as a span's name: only the rules for everything apply. */
	text(text: string): string {
		return this.#everywhere.length === 0 ? text : applyRules(this.#everywhere, text, new Set())
	}

	#treatmentOf(key: string): Treatment {
		const known = this.#known.get(key)
		if (known) return known
		const isContent = isContentKey(key)
		const always = isContent ? this.#content.rules : this.#everywhere
		const rules = [...new Set([...always, ...this.#byKey.filter((rule) => rule.names(key))])]
		if (this.#known.size >= maxKnownKeys) this.#known.clear()
		if (key.length <= maxKnownKey) this.#known.set(key, { isContent, rules })
		return { isContent, rules }
	}
}

function treat(value: AttributeValue, { isContent, rules }: Treatment, found: Set<string>): AttributeValue {
	if (!isContent && rules.length === 0) return value
	return redactValue(value, (text) =>
		applyRules(rules, isContent ? withoutPrivate(text, found) : text, found),
	)
}

function withoutPrivate(text: string, found: Set<string>): string {
	const { text: redacted, found: here } = redact(text)
	for (const name of here.keys()) found.add(name)
	return redacted
}

function applyRules(rules: readonly CompiledRule[], text: string, found: Set<string>): string {
	let redacted = text
	for (const rule of rules) redacted = rule.redact(redacted, found)
	return redacted
}

/** The attributes with a mark of what was found in them, in addition to an existing mark. */
export function withRedactionMark(attributes: Attributes, found: ReadonlySet<string>): Attributes {
	if (found.size === 0) return attributes
	const before = attributes.get(redactedKey)
	return new Map(attributes).set(redactedKey, [
		...new Set([...(Array.isArray(before) ? before : []), ...found]),
	])
}

const builtIn = new Redactor([])
const compiled = new Map<string, Redactor>()
const maxCompiled = 200

/** The redactor of a workspace with these rules, if any. Throws `UnusablePattern`. */
export function redactorOf(rules: RuleSet | undefined): Redactor {
	if (!rules) return builtIn
	const known = compiled.get(rules.key)
	if (known) return known
	const redactor = new Redactor(rules.rules.map(compileRule))
	if (compiled.size >= maxCompiled) compiled.clear()
	compiled.set(rules.key, redactor)
	return redactor
}

/**
 * Redacts the record of a call with the built-in detectors and the workspace's rules. Its columns are redacted under the attribute
 * keys that the conventions define for them. The built-in detectors have already been applied to its content.
 */
export function redactCall(row: SpanRow, rules: RuleSet | undefined): SpanRow {
	if (!rules && row.statusMessage === '') return row
	const redactor = redactorOf(rules)
	const found: Set<string> = new Set()
	const statusMessage = redactor.message(row.statusMessage, found) ?? row.statusMessage
	if (!rules) return { ...row, statusMessage, attributes: withRedactionMark(row.attributes, found) }
	const column = (key: string, text: string) => redactor.attribute(key, text, found) as string
	return {
		...row,
		name: redactor.text(row.name),
		statusMessage,
		userId: column('user.id', row.userId),
		sessionId: column('session.id', row.sessionId),
		attributes: withRedactionMark(redactor.attributesIn(row.attributes, found), found),
	}
}
