import type { JsonMember } from '../../../platform/json/json-scan.ts'
import { fieldsIn } from '../providers/provider.ts'

/** The part of a request to which an item belongs. */
export type ItemKind = 'settings' | 'tool' | 'system' | 'message'

/** One item of a request. */
export interface RequestItem {
	/** The source text, one character per byte, by which the item is recognised; null for one that is large or assembled. */
	readonly sent: string | null
	value(): unknown
}

/** V8 hashes only the length of longer texts, so many texts of equal length would have to be compared with each other. */
const maxText = 16_000

/** Fields that change the prompt that the provider builds. Other settings are recorded as well, but do not change it. */
const promptSettings = [
	...['tool_choice', 'toolConfig', 'thinking', 'reasoning', 'reasoning_effort', 'response_format', 'text'],
	...['output_config', 'parallel_tool_calls', 'context_management', 'mcp_servers', 'container', 'speed'],
]
/** Fields that control the provider's prompt cache. */
const cacheSettings = ['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'cachedContent']
const systemFields = ['system', 'instructions', 'systemInstruction', 'system_instruction']
const messageFields = ['messages', 'contents', 'input', 'prompt']
const apart = new Set(['tools', 'model', 'stream', ...systemFields, ...messageFields])

const groupOf = (name: string) =>
	promptSettings.includes(name) ? 'prompt' : cacheSettings.includes(name) ? 'cache' : 'other'

/** An item that was assembled rather than found in the source. */
export function assembledItem(value: unknown, sent: string | null = null): RequestItem {
	return { sent, value: () => value }
}

class SentItem implements RequestItem {
	readonly sent: string | null
	readonly #plain: Buffer
	readonly #from: number
	readonly #to: number

	constructor(plain: Buffer, from: number, to: number) {
		this.sent = to - from <= maxText ? plain.toString('latin1', from, to) : null
		this.#plain = plain
		this.#from = from
		this.#to = to
	}

	value(): unknown {
		return JSON.parse(this.#plain.toString('utf8', this.#from, this.#to))
	}
}

/** A scanned JSON object. */
interface ScannedObject {
	plain: Buffer
	members: readonly JsonMember[]
	/** Start and end of each string value, quotes included. */
	strings: readonly number[]
}

const openArray = 0x5b
const openObject = 0x7b
const closeArray = 0x5d
const closeObject = 0x7d
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const minus = 0x2d
const nine = 0x39
const letterN = 0x6e

/** The items of a request in any provider's form, found in its bytes, so that known items need not be parsed. */
export class RequestItems {
	readonly #plain: Buffer
	readonly #members: readonly JsonMember[]
	readonly #strings: readonly number[]

	constructor({ plain, members, strings }: ScannedObject) {
		this.#plain = plain
		this.#members = members
		this.#strings = strings
	}

	/** The settings in up to three groups, each with the name of the group and an object. */
	settings(): RequestItem[] {
		const rest = this.#members.filter((member) => !apart.has(member.name) || this.#isTemplate(member))
		if (rest.length === 0) return []
		return ['prompt', 'cache', 'other'].flatMap((group): RequestItem[] => {
			const members = rest.filter(({ name }) => groupOf(name) === group)
			return members.length === 0 ? [] : [this.#joined(group, members)]
		})
	}

	tools(): RequestItem[] {
		const tools = this.#member('tools')
		if (tools) return this.#listed(tools)
		const config = this.#member('toolConfig')
		const listed = config && fieldsIn(this.#item(config).value())?.tools
		return Array.isArray(listed) ? listed.map((value) => assembledItem(value)) : []
	}

	systems(): RequestItem[] {
		return systemFields.flatMap((field) => {
			const texts = this.#member(field)
			return texts ? (this.#isList(texts) ? this.#listed(texts) : [this.#item(texts)]) : []
		})
	}

	messages(): RequestItem[] {
		let all: RequestItem[] = []
		for (const field of messageFields) {
			const member = this.#member(field)
			if (!member) continue
			const found = this.#messagesIn(member)
			all = all.length === 0 ? found : [...all, ...found]
		}
		return all
	}

	/** In responses, `prompt` is an object that names a stored prompt. */
	#isTemplate({ name, from }: JsonMember): boolean {
		return name === 'prompt' && this.#plain[from] === openObject
	}

	#messagesIn(member: JsonMember): RequestItem[] {
		const first = this.#plain[member.from]
		// An interaction may have a single content instead of a list.
		if (first === quote || (first === openObject && member.name === 'input')) return [this.#item(member)]
		if (!this.#isList(member)) return []
		const inside = this.#firstIn(member.from)
		// A list of token numbers, as embeddings accept, is a single message.
		const isTokens = inside === openArray || inside === minus || (inside > comma && inside <= nine)
		return isTokens ? [this.#item(member)] : this.#listed(member)
	}

	/** Undefined if it is absent or null. */
	#member(name: string): JsonMember | undefined {
		for (const member of this.#members)
			if (member.name === name) return this.#plain[member.from] === letterN ? undefined : member
		return undefined
	}

	#isList({ from }: JsonMember): boolean {
		return this.#plain[from] === openArray
	}

	#item({ from, to }: JsonMember): RequestItem {
		return new SentItem(this.#plain, from, to)
	}

	#joined(group: string, members: readonly JsonMember[]): RequestItem {
		const bytes = members.reduce((sum, { from, to }) => sum + to - from, 0)
		const value = () => [
			group,
			Object.fromEntries(members.map((member) => [member.name, this.#item(member).value()])),
		]
		if (bytes > maxText) return { sent: null, value }
		const sent = members.map(
			({ name, from, to }) => `${JSON.stringify(name)}:${this.#plain.toString('latin1', from, to)}`,
		)
		return { sent: `${group} ${sent.join()}`, value }
	}

	/** The first byte in a list that is not white space. */
	#firstIn(from: number): number {
		let at = from + 1
		while ((this.#plain[at] as number) <= 32) at += 1
		return this.#plain[at] as number
	}

	/** The items of a list; empty for anything else. */
	#listed(list: JsonMember): RequestItem[] {
		const items: RequestItem[] = []
		if (!this.#isList(list)) return items
		const plain = this.#plain
		let text = this.#firstTextFrom(list.from)
		let [depth, start] = [0, -1]
		for (let at = list.from + 1; at < list.to; at += 1) {
			const byte = plain[at] as number
			if (byte <= 32) continue
			if (depth === 0 && (byte === comma || byte === closeArray)) {
				if (start >= 0) items.push(new SentItem(plain, start, endOf(plain, at)))
				start = -1
				continue
			}
			if (start < 0) start = at
			if (byte === quote) {
				// The scan has recorded the ends of string values, which are most of the bytes; keys are short.
				const isText = this.#strings[text] === at
				at = (isText ? (this.#strings[text + 1] as number) : endOfKey(plain, at)) - 1
				if (isText) text += 2
			} else if (byte === openObject || byte === openArray) depth += 1
			else if (byte === closeObject || byte === closeArray) depth -= 1
		}
		return items
	}

	/** The index in `strings` of the first string after a position. */
	#firstTextFrom(from: number): number {
		let [low, high] = [0, this.#strings.length >> 1]
		while (low < high) {
			const middle = (low + high) >> 1
			if ((this.#strings[middle * 2] as number) < from) low = middle + 1
			else high = middle
		}
		return low * 2
	}
}

/** Skips white space backwards from a position. */
function endOf(plain: Buffer, at: number): number {
	let end = at
	while ((plain[end - 1] as number) <= 32) end -= 1
	return end
}

/** The end of a key; the document is valid. */
function endOfKey(plain: Buffer, from: number): number {
	let at = from + 1
	while (plain[at] !== quote) at += plain[at] === backslash ? 2 : 1
	return at + 1
}
