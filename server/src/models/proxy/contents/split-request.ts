import { createHash, hash } from 'node:crypto'
import { hashOfArguments } from '../../../platform/arguments-hash.ts'
import { RecentMap } from '../../../platform/recent-map.ts'
import type { CarriedResult, ExchangePart, ToolUse } from '../../../telemetry/index.ts'
import { type Fields, fieldsIn, textOr } from '../providers/provider.ts'
import { assembledItem, type ItemKind, type RequestItem, type RequestItems } from './request-items.ts'

/** A piece with its text, before redaction. */
export interface Piece extends ExchangePart {
	text: string
	/** See `StoredTextCache`. */
	stored: object
	/** The hash of the conversation up to this piece, and that of the part before it from which it was computed. */
	link: string
	linkBefore: string
}

/** A request in the order in which providers build the prompt: tools, system texts, messages. */
export interface SplitRequest {
	parts: readonly Piece[]
	results: readonly CarriedResult[]
	cacheMarks: number
	cacheSeconds: number
}

/** The pieces of one item of a request: a tool, a system text or a message; usually one piece. */
interface ItemRead extends ToolTraffic {
	pieces: readonly Piece[]
	cacheMarks: number
	cacheSeconds: number
}

/** Splits a request in any provider's form into its pieces. `salt` makes hashes different in each workspace. */
export function splitRequest(body: RequestItems, salt: string, known: ItemCache): SplitRequest {
	const parts: Piece[] = []
	const names = new Map<string, string>()
	const results: CarriedResult[] = []
	let [cacheMarks, cacheSeconds] = [0, 0]
	const add = (kind: ItemKind, item: RequestItem) => {
		const read = known.read(kind, item, salt)
		const part = parts.length
		for (const piece of read.pieces) parts.push(piece)
		cacheMarks += read.cacheMarks
		if (read.cacheSeconds > cacheSeconds) cacheSeconds = read.cacheSeconds
		// The messages before a result name its tool.
		for (const { id, name } of read.uses) names.set(id, name)
		for (const result of read.results)
			results.push({ ...result, name: result.name || (names.get(result.id) ?? ''), part })
	}
	for (const settings of body.settings()) add('settings', settings)
	for (const tool of withinLimit(body.tools(), (rest) => ({ tools: rest }))) add('tool', tool)
	for (const text of withinLimit(body.systems(), (rest) => rest)) add('system', text)
	for (const message of withinLimit(body.messages(), (content) => ({ role: 'user', content })))
		add('message', message)
	return { parts, results, cacheMarks, cacheSeconds }
}

/** The rest stays together as one piece: no conversation has as many, and each piece needs a text and a hash. */
const maxPieces = 10_000

function withinLimit(items: RequestItem[], joined: (rest: unknown[]) => unknown): RequestItem[] {
	if (items.length <= maxPieces) return items
	const rest = items.slice(maxPieces - 1).map((item) => item.value())
	return [...items.slice(0, maxPieces - 1), assembledItem(joined(rest))]
}

/** The size of the cache: texts of items and what was read from them. */
const maxBytes = 24 * 1024 * 1024
/**
 * The assumed size of an item: this plus a multiple of its length, as it is stored twice (as sent, and as hashed).
 */
const minBytes = 512
const bytesPerCharacter = 3

/** Size of the table of hashes of texts that occurred once. */
const places = 65_536

interface Known {
	salt: string
	read: ItemRead
}

/**
 * A cache of items by their source text. An agent sends its instructions, its tools and the whole conversation with every turn,
 * and a lookup costs a fraction of parsing, hashing and splitting them again.
 */
export class ItemCache {
	readonly #known: Readonly<Record<ItemKind, RecentMap<string, Known>>> = {
		settings: new RecentMap(maxBytes / 8),
		tool: new RecentMap(maxBytes / 4),
		system: new RecentMap(maxBytes / 8),
		message: new RecentMap(maxBytes / 2),
	}

	/** By the beginning of their hash. Most texts occur only once, and are not worth caching. */
	readonly #cameOnce = new Uint32Array(places)

	read(kind: ItemKind, item: RequestItem, salt: string): ItemRead {
		const { sent } = item
		if (sent === null) return readItem(kind, item.value(), salt)
		const bytes = minBytes + bytesPerCharacter * sent.length
		const known = this.#known[kind].use(sent, bytes)
		if (known?.salt === salt) return known.read
		const read = readItem(kind, item.value(), salt)
		if (this.#came(read)) this.#known[kind].set(sent, { salt, read }, bytes)
		return read
	}

	#came({ pieces }: ItemRead): boolean {
		const mark = Number.parseInt(pieces[0]?.hash.slice(0, 8) ?? '0', 16)
		const place = mark % places
		if (this.#cameOnce[place] === mark) return true
		this.#cameOnce[place] = mark
		return false
	}
}

/** Reads an item that is not in the cache. */
function readItem(kind: ItemKind, value: unknown, salt: string): ItemRead {
	const marks = { cacheMarks: 0, cacheSeconds: 0 }
	const piece = (of: ExchangePart['kind'], name: string, inner: unknown): Piece => {
		const { text, mediaBytes } = readPiece(inner, marks)
		return toPiece(of, name, text, salt, mediaBytes)
	}
	if (kind === 'settings') {
		const [name, fields] = value as [string, Fields]
		return { pieces: [piece(kind, name, fields)], ...noTraffic, ...marks }
	}
	if (kind === 'tool') {
		const pieces = definitionsIn(value).map((tool) => piece(kind, toolName(tool), tool))
		return { pieces, ...noTraffic, ...marks }
	}
	if (kind === 'system') return { pieces: [piece(kind, systemName(value), value)], ...noTraffic, ...marks }
	const message = fieldsIn(value) ?? { role: 'user', content: value }
	const role = roleOf(message)
	const isSystem = role === 'system' || role === 'developer'
	const pieces = [piece(isSystem ? 'system' : 'message', role, message)]
	return { pieces, ...toolTrafficIn(message, salt), ...marks }
}

/** `mediaBytes`: by how much its pictures exceed the usual size. */
export function toPiece(
	kind: ExchangePart['kind'],
	name: string,
	text: string,
	salt: string,
	mediaBytes = 0,
): Piece {
	const bytes = Buffer.byteLength(text)
	const weight = bytes - mediaBytes
	return {
		kind,
		name: name.slice(0, 256),
		hash: hashOf(salt, text),
		bytes,
		weight,
		text,
		stored: unknown,
		link: '',
		linkBefore: '',
	}
}

/** Marks a text of which it is unknown whether it is stored. */
const unknown = {}

function hashOf(salt: string, text: string): string {
	// For short texts, the one-shot function is twice as fast; it would copy long ones.
	const digest =
		text.length < 4096
			? hash('sha256', `${salt}\0${text}`, 'hex')
			: createHash('sha256').update(salt).update('\0').update(text).digest('hex')
	return digest.slice(0, 32)
}

/** The JSON of a piece without cache marks: clients move these along the conversation, and they are not part of its content. */
function readPiece(
	value: unknown,
	marks: Pick<SplitRequest, 'cacheMarks' | 'cacheSeconds'>,
): { text: string; mediaBytes: number } {
	const plain = JSON.stringify(value)
	// Most pieces have no marks at all, and a search for a fixed text is much faster than a pattern.
	const isPlain = plain !== undefined && plain.length <= defaultMediaBytes
	if (isPlain && (!plain.includes('"cache') || !mayBeMarked.test(plain)))
		return { text: plain, mediaBytes: 0 }
	let mediaBytes = 0
	const text = JSON.stringify(value, (name, inner) => {
		if (isMedia(name, inner)) mediaBytes += inner.length - defaultMediaBytes
		const mark = name === 'cache_control' || name === 'cachePoint' ? fieldsIn(inner) : null
		if (!mark) return inner
		marks.cacheMarks += 1
		marks.cacheSeconds = Math.max(marks.cacheSeconds, mark.ttl === '1h' ? 3600 : 300)
		return undefined
	})
	return { text: text ?? 'null', mediaBytes }
}

const mayBeMarked = /"cache(_control|Point)"/
/** A picture costs about 1,600 tokens, however many bytes it has; a token of text is four bytes. */
const defaultMediaBytes = 6400
const mediaFields = new Set(['data', 'url', 'image_url', 'file_data', 'bytes'])

function isMedia(name: string, value: unknown): value is string {
	return (
		typeof value === 'string' &&
		value.length > defaultMediaBytes &&
		mediaFields.has(name) &&
		/^[\w+/=:;,.-]{256}/.test(value)
	)
}

/** Gemini puts the definitions of all functions into one tool. */
function definitionsIn(value: unknown): Fields[] {
	const tool = fieldsIn(value)
	if (!tool) return []
	const declared = listOf(tool.functionDeclarations ?? tool.function_declarations)
	if (declared.length === 0) return [tool]
	if (declared.length <= maxPieces) return declared
	return [...declared.slice(0, maxPieces - 1), { tools: declared.slice(maxPieces - 1) }]
}

function toolName(tool: Fields): string {
	const inner = fieldsIn(tool.function) ?? fieldsIn(tool.toolSpec) ?? tool
	return textOr(inner.name, textOr(tool.server_label, textOr(tool.type, Object.keys(tool)[0] ?? '')))
}

/** Claude Code adds a line to the prompt that differs in each request. The provider ignores it. */
const attributionStart = 'x-anthropic-billing-header'

function systemName(value: unknown): string {
	const text = typeof value === 'string' ? value : textOr(fieldsIn(value)?.text, '')
	return text.startsWith(attributionStart) ? 'attribution' : 'system'
}

function roleOf(message: Fields): string {
	return textOr(message.role, textOr(message.type, 'user'))
}

/** The tool uses and results in one message, in any provider's form. */
interface ToolTraffic {
	uses: ToolUse[]
	/** Only the message with the tool use knows the tool's name: '' here, except in Gemini's form. */
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

/** Whether a message consists of a role and a text, as most do. */
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
	if (type === 'function_call') return toolUse(block.call_id ?? block.id, block.name, block.arguments, salt)
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
	if (block.type === 'function_result')
		return { ...carried(block.call_id, block.result), name: idOf(block.name) }
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
