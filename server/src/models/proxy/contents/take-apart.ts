import { createHash, hash } from 'node:crypto'
import { hashOfArguments } from '../../../platform/arguments-hash.ts'
import type { CarriedResult, ExchangePart, ToolUse } from '../../../telemetry/index.ts'
import { type Fields, fieldsIn, textOr } from '../providers/provider.ts'

/** A piece with its text, not redacted yet. */
export interface Piece extends ExchangePart {
	text: string
}

/** A request in the order in which providers build the prompt from it: tools, system texts, messages. */
export interface TakenApart {
	parts: Piece[]
	results: CarriedResult[]
	cacheMarks: number
	cacheSeconds: number
}

/** Fields that change what the provider makes of the prompt; the others are recorded, and change nothing in it. */
const promptSettings = [
	...['tool_choice', 'toolConfig', 'thinking', 'reasoning', 'reasoning_effort', 'response_format', 'text'],
	...['output_config', 'parallel_tool_calls', 'context_management', 'mcp_servers', 'container', 'speed'],
]
/** Fields under which a provider keeps a prompt in its cache. */
const cacheSettings = ['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'cachedContent']
const systemFields = ['system', 'instructions', 'systemInstruction', 'system_instruction']
const messageFields = ['messages', 'contents', 'input']
const apart = new Set(['tools', 'model', 'stream', ...systemFields, ...messageFields])

/** Takes a request of any of the providers' forms apart. `salt`: the same piece has another hash elsewhere. */
export function takeApart(body: Fields, salt: string): TakenApart {
	const marks = { cacheMarks: 0, cacheSeconds: 0 }
	const parts: Piece[] = []
	const add = (kind: ExchangePart['kind'], name: string, value: unknown) => {
		const { text, mediaBytes } = readPiece(value, marks)
		parts.push(toPiece(kind, name, text, salt, mediaBytes))
	}
	for (const [name, fields] of settingsOf(body)) add('settings', name, fields)
	const tools = listOf(body.tools ?? fieldsIn(body.toolConfig)?.tools).flatMap(definitionsIn)
	for (const tool of withinLimit(tools, (rest) => ({ tools: rest }))) add('tool', toolName(tool), tool)
	const systems = systemFields.flatMap((field) => (field in body ? systemTexts(body[field]) : []))
	for (const text of withinLimit(systems, (rest) => rest)) add('system', systemName(text), text)
	const firstMessage = parts.length
	const messages = messagesIn(body)
	for (const message of messages) {
		const role = roleOf(message)
		add(role === 'system' || role === 'developer' ? 'system' : 'message', role, message)
	}
	return { parts, results: resultsIn(messages, salt, firstMessage), ...marks }
}

function messagesIn(body: Fields): Fields[] {
	let messages: Fields[] = []
	for (const field of messageFields) {
		if (!(field in body)) continue
		const found = messagesOf(body[field])
		messages = messages.length === 0 ? found : [...messages, ...found]
	}
	return withinLimit(messages, (content) => ({ role: 'user', content }))
}

/** `mediaBytes`: by how much its pictures are larger than the usual one. */
export function toPiece(
	kind: ExchangePart['kind'],
	name: string,
	text: string,
	salt: string,
	mediaBytes = 0,
): Piece {
	const bytes = Buffer.byteLength(text)
	return { kind, name: name.slice(0, 256), hash: hashOf(salt, text), bytes, weight: bytes - mediaBytes, text }
}

function hashOf(salt: string, text: string): string {
	// For short texts one call is twice as quick; long ones it would copy.
	const digest =
		text.length < 4096
			? hash('sha256', `${salt}\0${text}`, 'hex')
			: createHash('sha256').update(salt).update('\0').update(text).digest('hex')
	return digest.slice(0, 32)
}

/** Its JSON without marks: a client moves its marks for caching along the conversation, they are no part of a piece. */
function readPiece(
	value: unknown,
	marks: Pick<TakenApart, 'cacheMarks' | 'cacheSeconds'>,
): { text: string; mediaBytes: number } {
	const plain = JSON.stringify(value)
	// Most have no mark of any kind, which a search for one text tells much sooner than a pattern.
	const isPlain = plain !== undefined && plain.length <= usualMediaBytes
	if (isPlain && (!plain.includes('"cache') || !mayBeMarked.test(plain)))
		return { text: plain, mediaBytes: 0 }
	let mediaBytes = 0
	const text = JSON.stringify(value, (name, inner) => {
		if (isMedia(name, inner)) mediaBytes += inner.length - usualMediaBytes
		const mark = name === 'cache_control' || name === 'cachePoint' ? fieldsIn(inner) : null
		if (!mark) return inner
		marks.cacheMarks += 1
		marks.cacheSeconds = Math.max(marks.cacheSeconds, mark.ttl === '1h' ? 3600 : 300)
		return undefined
	})
	return { text: text ?? 'null', mediaBytes }
}

const mayBeMarked = /"cache(_control|Point)"/
/** A picture is some 1,600 tokens, however many bytes it has; a token of text is four. */
const usualMediaBytes = 6400
const mediaFields = new Set(['data', 'url', 'image_url', 'file_data', 'bytes'])

function isMedia(name: string, value: unknown): value is string {
	return (
		typeof value === 'string' &&
		value.length > usualMediaBytes &&
		mediaFields.has(name) &&
		/^[\w+/=:;,.-]{256}/.test(value)
	)
}

function settingsOf(body: Fields): [string, Fields][] {
	const rest: [string, unknown][] = []
	for (const name in body) if (!apart.has(name)) rest.push([name, body[name]])
	if (rest.length === 0) return []
	const groupOf = (name: string) =>
		promptSettings.includes(name) ? 'prompt' : cacheSettings.includes(name) ? 'cache' : 'other'
	const groups = Map.groupBy(rest, ([name]) => groupOf(name))
	return (['prompt', 'cache', 'other'] as const).flatMap((group) => {
		const fields = groups.get(group)
		return fields ? [[group, Object.fromEntries(fields)] as [string, Fields]] : []
	})
}

/** Gemini puts the definitions of all functions into one tool. */
function definitionsIn(tool: Fields): Fields[] {
	const declared = listOf(tool.functionDeclarations ?? tool.function_declarations)
	return declared.length > 0 ? declared : [tool]
}

function toolName(tool: Fields): string {
	const inner = fieldsIn(tool.function) ?? fieldsIn(tool.toolSpec) ?? tool
	return textOr(inner.name, textOr(tool.server_label, textOr(tool.type, Object.keys(tool)[0] ?? '')))
}

function systemTexts(value: unknown): unknown[] {
	if (value === undefined || value === null) return []
	return Array.isArray(value) ? value : [value]
}

/** Claude Code puts a line into the prompt that is another in each request; the provider leaves it out. */
const attributionStart = 'x-anthropic-billing-header'

function systemName(value: unknown): string {
	const text = typeof value === 'string' ? value : textOr(fieldsIn(value)?.text, '')
	return text.startsWith(attributionStart) ? 'attribution' : 'system'
}

function messagesOf(value: unknown): Fields[] {
	if (typeof value === 'string') return [{ role: 'user', content: value }]
	if (!Array.isArray(value)) return []
	// Tokens by their numbers, as embeddings take them, are one message.
	if (typeof value[0] === 'number' || Array.isArray(value[0])) return [{ role: 'user', content: value }]
	return value.map((item) => fieldsIn(item) ?? { role: 'user', content: item })
}

/** What is more stays together as one: no conversation has as many, and each is a piece with a text and a hash of its own. */
const mostPieces = 10_000

function withinLimit<T>(items: T[], joined: (rest: T[]) => T): T[] {
	if (items.length <= mostPieces) return items
	return [...items.slice(0, mostPieces - 1), joined(items.slice(mostPieces - 1))]
}

function roleOf(message: Fields): string {
	return textOr(message.role, textOr(message.type, 'user'))
}

/** With the names of the tools, which the messages before say. */
function resultsIn(messages: readonly Fields[], salt: string, firstPart: number): CarriedResult[] {
	const names = new Map<string, string>()
	const found: CarriedResult[] = []
	for (let at = 0; at < messages.length; at += 1) {
		const { uses, results } = toolTrafficIn(messages[at] as Fields, salt)
		for (const { id, name } of uses) names.set(id, name)
		for (const result of results)
			found.push({ ...result, name: result.name || (names.get(result.id) ?? ''), part: firstPart + at })
	}
	return found
}

/** What tools have to do with one message, whichever provider's form it has. */
interface ToolTraffic {
	uses: ToolUse[]
	/** Their names are known to the message that asked for them alone: '' here, but in Gemini's form. */
	results: Omit<CarriedResult, 'part'>[]
}

/** `salt`: see `hashOfArguments`. */
export function toolTrafficIn(message: Fields, salt: string): ToolTraffic {
	if (isText(message)) return noTraffic
	const blocks = [
		message,
		...listOf(message.tool_calls),
		...listOf(message.content),
		...listOf(message.parts),
	]
	return {
		uses: blocks.flatMap((block) => useIn(block, salt) ?? []),
		results: blocks.flatMap((block) => resultIn(block) ?? []),
	}
}

const noTraffic: ToolTraffic = { uses: [], results: [] }

/** A message that is a text and who said it, as most are. */
function isText(message: Fields): boolean {
	if (typeof message.content !== 'string' || message.role === 'tool') return false
	for (const name in message) if (name !== 'role' && name !== 'content') return false
	return true
}

/** The objects of a list. */
export function listOf(value: unknown): Fields[] {
	return Array.isArray(value) ? value.map(fieldsIn).filter((item) => item !== null) : []
}

function useIn(block: Fields, salt: string): ToolUse | null {
	const { type } = block
	if (type === 'tool_use') return toolUse(block.id, block.name, block.input, salt)
	if (type === 'function_call') return toolUse(block.call_id, block.name, block.arguments, salt)
	const named = fieldsIn(block.function)
	if (named && block.id !== undefined) return toolUse(block.id, named.name, named.arguments, salt)
	const google = fieldsIn(block.functionCall)
	if (google) return toolUse(google.id, google.name, google.args, salt)
	const amazon = fieldsIn(block.toolUse)
	return amazon && toolUse(amazon.toolUseId, amazon.name, amazon.input, salt)
}

function toolUse(id: unknown, name: unknown, given: unknown, salt: string): ToolUse {
	return { id: idOf(id), name: idOf(name), argumentsHash: hashOfArguments(given, salt) }
}

function resultIn(block: Fields): Omit<CarriedResult, 'part'> | null {
	if (block.type === 'tool_result') return carried(block.tool_use_id, block.content)
	if (block.role === 'tool') return carried(block.tool_call_id, block.content)
	if (block.type === 'function_call_output') return carried(block.call_id, block.output)
	const google = fieldsIn(block.functionResponse)
	if (google) return { ...carried(google.id, google.response), name: idOf(google.name) }
	const amazon = fieldsIn(block.toolResult)
	return amazon && carried(amazon.toolUseId, amazon.content)
}

function carried(id: unknown, content: unknown): Omit<CarriedResult, 'part'> {
	return { id: idOf(id), name: '', bytes: Buffer.byteLength(JSON.stringify(content) ?? '') }
}

function idOf(value: unknown): string {
	return textOr(value, '').slice(0, 256)
}
