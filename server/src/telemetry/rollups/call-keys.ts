import type { RowWriter } from '../row-writer.ts'
import type { SpanRow } from '../span-row.ts'
import { CityHash } from './city-hash.ts'
import { keyStrengths, orderedKey } from './view-keys.ts'

/** The inputs of a call's keys apart from its attributes. */
export interface KeyedCall
	extends Pick<SpanRow, 'kind' | 'status' | 'serverName' | 'toolName' | 'client' | 'sessionId' | 'model'>,
		Pick<SpanRow, 'modelRequested' | 'usageSource' | 'inputTokens' | 'cacheReadTokens'>,
		Pick<SpanRow, 'cacheWriteTokens' | 'outputTokens' | 'reasoningTokens'> {}

/** Attributes in the writers' buffers: their number, and where they begin. */
interface WrittenAttributes {
	count: number
	keys: RowWriter
	values: RowWriter
	starts: readonly [number, number]
	/** Numbers of their names, where these are known: see `numbersOfNames`. */
	numbers?: Int8Array | undefined
}

/** Where a span was recorded. */
export interface RecordedBy extends Pick<SpanRow, 'source' | 'otlpKind' | 'serviceName'> {}

const names = [
	...['jsonrpc.request.id', 'mcp.request.id', 'mcp.session.id', 'gen_ai.tool.call.id', 'ai.toolCall.id'],
	...['gen_ai.tool.call.arguments', 'mcp.tool.arguments', 'ai.toolCall.args', 'mcp.server.name'],
	...['gen_ai.response.id', 'ai.response.id', 'output.value', 'signalbox.provider_request_id'],
	...['anthropic.request.id', 'request_id', 'gen_ai.completion'],
]
const numbersOf = (...wanted: string[]) => wanted.map((name) => names.indexOf(name))
const requests = numbersOf('jsonrpc.request.id', 'mcp.request.id')
const sessions = numbersOf('mcp.session.id')
const toolUses = numbersOf('gen_ai.tool.call.id', 'ai.toolCall.id')
const argumentTexts = numbersOf('gen_ai.tool.call.arguments', 'mcp.tool.arguments', 'ai.toolCall.args')
const servers = numbersOf('mcp.server.name')
const responses = numbersOf('gen_ai.response.id', 'ai.response.id')
const outputs = numbersOf('output.value', 'gen_ai.completion')
const providerRequests = numbersOf('signalbox.provider_request_id', 'anthropic.request.id', 'request_id')

/** For each name, its number among the names that keys use; -1 for other names. */
export function numbersOfNames(of: readonly string[]): Int8Array {
	return Int8Array.from(of, (name) => names.indexOf(name))
}

const namesByLength: { bytes: Buffer; number: number }[][] = []
for (const [number, name] of names.entries()) {
	namesByLength[name.length] ??= []
	namesByLength[name.length]?.push({ bytes: Buffer.from(name), number })
}

const strengths = { ...keyStrengths, ordered: orderedKey } as const
/** Ids of this length are random; shorter ones (`call_1`) are reused in other sessions. */
const randomBytes = 16
const maxModels = 1000
/** How a call ends that may have had only a part of its answer. */
const brokenStatuses: ReadonlySet<SpanRow['status']> = new Set(['error', 'interrupted', 'cut'])
const failedStatuses: ReadonlySet<SpanRow['status']> = new Set([...brokenStatuses, 'denied'])

/** A text: a string, or its position among the values of attributes. */
type Part = string | readonly [start: number, end: number]

/**
 * Computes the view keys of calls (`view-keys.ts`) while their rows are written. In the engine, planning the same expression takes
 * over 20 ms of processor time per insert, and evaluating it takes time for every row. A test keeps both equal.
 */
export class CallKeys {
	readonly #hash = new CityHash()
	/** Positions of the attributes whose names are used. If one is missing or empty, its end equals its start. */
	readonly #starts = new Int32Array(names.length)
	readonly #ends = new Int32Array(names.length)
	#values: Buffer = Buffer.alloc(0)
	/** Halves of the 64-bit keys, lower half first. */
	readonly #keys: number[] = []
	readonly #models = new Map<string, string>()

	/** Halves of the keys of a call whose attributes were just written, from these positions on. Valid until the next call of `of`. */
	of(call: KeyedCall, by: RecordedBy, attributes: WrittenAttributes): readonly number[] {
		this.#keys.length = 0
		this.#find(attributes)
		if (call.kind === 'tool_call') this.#ofTool(call, by)
		else this.#ofModel(call, by)
		return this.#keys
	}

	#find({ count, keys, values, starts, numbers }: WrittenAttributes): void {
		this.#starts.fill(0)
		this.#ends.fill(0)
		this.#values = values.buffer
		let [keyAt, valueAt] = starts
		for (let i = 0; i < count; i++) {
			const value = lengthAt(values.buffer, valueAt)
			let number = -1
			if (numbers) number = numbers[i] as number
			else {
				const key = lengthAt(keys.buffer, keyAt)
				number = keyedNumber(keys.buffer, key.start, key.start + key.length)
				keyAt = key.start + key.length
			}
			if (number >= 0) {
				this.#starts[number] = value.start
				this.#ends[number] = value.start + value.length
			}
			valueAt = value.start + value.length
		}
	}

	/** The first of these attributes that is present. */
	#first(numbers: readonly number[]): Part {
		for (const number of numbers) {
			const [start, end] = [this.#starts[number] as number, this.#ends[number] as number]
			if (end > start) return [start, end]
		}
		return ''
	}

	#key(strength: keyof typeof strengths, kind: string, ...parts: readonly Part[]): void {
		this.#hash.begin().text(kind)
		for (const part of parts) this.#part(part)
		this.#keep(strength)
	}

	#usage(model: string, call: KeyedCall, reasoning = call.reasoningTokens): void {
		this.#hash.begin().text('usage').text(model)
		this.#hash.sum(call.inputTokens, call.cacheReadTokens, call.cacheWriteTokens)
		this.#hash.sum(call.outputTokens, reasoning)
		this.#keep('ordered')
	}

	#part(part: Part): void {
		if (typeof part === 'string') this.#hash.text(part)
		else this.#hash.bytes(this.#values, part[0], part[1])
	}

	#keep(strength: keyof typeof strengths): void {
		this.#keys.push((this.#hash.low & ~3) | strengths[strength], this.#hash.high)
	}

	#ofTool(call: KeyedCall, { source, otlpKind, serviceName }: RecordedBy): void {
		const tool = call.toolName.slice(lastPart(call.toolName))
		const [session, request, use] = [this.#first(sessions), this.#first(requests), this.#first(toolUses)]
		const hasBoth = session !== '' && request !== ''
		if (hasBoth && source === 'otlp') this.#key('exact', 'session', session, request, tool)
		const id = hasBoth ? this.#publicPart(session) : null
		if (id && (source === 'gateway' || (otlpKind !== 2 && id.isPart && id.length > 0)))
			this.#key('exact', 'gateway', id.part, request, tool)
		if (use !== '' && lengthOf(use) >= randomBytes) {
			this.#key('exact', 'tool use', use)
			this.#key('ordered', 'tool use', use)
		} else if (use !== '') this.#key('strong', 'tool use', use, tool)
		if (call.sessionId !== '') this.#key('strong', 'conversation', call.sessionId, tool)
		const isCaller = source === 'gateway' || otlpKind !== 2
		if (isCaller && call.client !== '' && request !== '')
			this.#key('strong', 'request', call.client, request, tool)
		const given = this.#first(argumentTexts)
		if (lengthOf(given) > 2) this.#key('strong', 'arguments', given, tool)
		for (const server of [
			call.serverName,
			otlpKind === 2 ? serviceName : '',
			this.#text(this.#first(servers)),
		])
			if (server !== '') this.#key('strong', 'server', lower(server), tool)
		if ((source === 'gateway' || otlpKind < 2) && call.toolName !== '') this.#key('ordered', 'run', tool)
	}

	/** The part of a session id before its first dot, and whether there is a dot. */
	#publicPart(session: Part): { part: Part; length: number; isPart: boolean } {
		const [start, end] = session as readonly [number, number]
		const dot = this.#values.subarray(start, end).indexOf(0x2e)
		const length = dot < 0 ? end - start : dot
		return { part: length === 0 ? '' : [start, start + length], length, isPart: dot >= 0 }
	}

	#ofModel(call: KeyedCall, { source }: RecordedBy): void {
		const response = this.#response()
		if (lengthOf(response) >= randomBytes) this.#key('exact', 'response', response)
		else if (response !== '') this.#key('strong', 'response', response)
		const providerRequest = this.#first(providerRequests)
		if (lengthOf(providerRequest) >= randomBytes) this.#key('exact', 'provider request', providerRequest)
		const requested = this.#modelOf(call.modelRequested)
		const served = call.model === '' ? requested : this.#modelOf(call.model)
		const wasOther = requested !== '' && requested !== served
		const isReported = call.usageSource === 'reported' || call.usageSource === 'estimated'
		if (isReported) this.#usage(served, call)
		if (isReported && wasOther) this.#usage(requested, call)
		const hasReasoning = isReported && source === 'model_proxy' && call.reasoningTokens > 0
		if (hasReasoning) this.#usage(served, call, 0)
		if (hasReasoning && wasOther) this.#usage(requested, call, 0)
		const isBroken = (isReported || source === 'model_proxy') && brokenStatuses.has(call.status)
		if (isBroken) this.#ofModels('broken', served, wasOther ? requested : '')
		if (failedStatuses.has(call.status) && (source === 'model_proxy' || served === ''))
			this.#key('ordered', 'failed')
		if (!isReported || source === 'model_proxy')
			this.#ofModels('unreported', served, wasOther ? requested : '')
	}

	#ofModels(kind: string, served: string, requested: string): void {
		if (served !== '') this.#key('ordered', kind, served)
		if (requested !== '') this.#key('ordered', kind, requested)
	}

	/** In OpenInference and LangSmith, the attribute holds the whole response where others hold its id. */
	#response(): Part {
		const response = this.#first(responses)
		if (response !== '') return response
		const output = this.#text(this.#first(outputs))
		return output.startsWith('{') ? idInAnswer(output) : ''
	}

	#text(part: Part): string {
		return typeof part === 'string' ? part : this.#values.toString('utf8', part[0], part[1])
	}

	/** A model's name without provider prefix and release date. */
	#modelOf(name: string): string {
		const known = this.#models.get(name)
		if (known !== undefined) return known
		const slash = name.lastIndexOf('/')
		const bare = lower(name.slice(slash + 1).replace(/[-@](latest|\d{4}-?\d{2}-?\d{2})$/, ''))
		if (this.#models.size >= maxModels) this.#models.clear()
		this.#models.set(name, bare)
		return bare
	}
}

/** A provider's response, or that of LangChain, which nests the provider's response. */
interface Answer {
	id?: unknown
	/** Of Gemini, as its client for Python has it. */
	response_id?: unknown
	llm_output?: { id?: unknown } | null
	generations?: { message?: { kwargs?: { id?: unknown; response_metadata?: { id?: unknown } } } }[][] | null
}

function idInAnswer(json: string): string {
	try {
		const { id, response_id, llm_output: outer, generations } = JSON.parse(json) as Answer
		const message = generations?.[0]?.[0]?.message?.kwargs
		return (
			[id, response_id, outer?.id, message?.response_metadata?.id, message?.id]
				.map(idText)
				.find((text) => text !== '') ?? ''
		)
	} catch {
		return ''
	}
}

function idText(id: unknown): string {
	if (id === undefined || id === null) return ''
	return typeof id === 'object' ? JSON.stringify(id) : String(id)
}

/** Like the engine's `lower`: ASCII only. */
function lower(text: string): string {
	return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Where the part after the last separator begins, with separators matched from the left: `a___b` is `a` and `_b`. */
function lastPart(name: string): number {
	let start = 0
	for (let at = name.indexOf('__'); at >= 0; at = name.indexOf('__', start)) start = at + 2
	return start
}

function lengthOf(part: Part): number {
	return typeof part === 'string' ? Buffer.byteLength(part) : part[1] - part[0]
}

/** Start and length of a text that is preceded by its length in LEB128. */
function lengthAt(bytes: Buffer, at: number): { start: number; length: number } {
	let [length, factor, start] = [0, 1, at]
	for (let byte = 128; byte > 127; factor *= 128) {
		byte = bytes[start++] as number
		length += (byte & 127) * factor
	}
	return { start, length }
}

/** The number of one name: see `numbersOfNames`. */
export function keyedNumber(bytes: Buffer, start: number, end: number): number {
	const known = namesByLength[end - start]
	if (known === undefined) return -1
	for (const { bytes: name, number } of known)
		if (bytes.compare(name, 0, name.length, start, end) === 0) return number
	return -1
}
