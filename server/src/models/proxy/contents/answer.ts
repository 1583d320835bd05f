import { createHash, type Hash, hash } from 'node:crypto'
import { betweenNs } from '../../../platform/clock.ts'
import {
	type Fields,
	fieldsIn,
	newReading,
	parseFields,
	type ResponseReader,
	textOr,
} from '../providers/provider.ts'
import { listOf } from './split-request.ts'

/** Each bucket is a quarter larger than the one before, from 10 µs. */
const growth = Math.log(1.25)
const firstMs = 0.01
const buckets = 80

/** A histogram of the gaps between content chunks of a stream: its size does not depend on the length of the stream. */
export class StreamGaps {
	readonly #counts = new Uint32Array(buckets)
	#last: bigint | null = null
	#count = 0
	maxMs = 0

	note(atNs: bigint): void {
		const before = this.#last
		this.#last = atNs
		if (before === null) return
		const ms = Number(betweenNs(before, atNs)) / 1e6
		const bucket = Math.min(buckets - 1, Math.max(0, Math.round(Math.log(ms / firstMs) / growth)))
		this.#counts[bucket] = (this.#counts[bucket] as number) + 1
		this.#count += 1
		this.maxMs = Math.max(this.maxMs, ms)
	}

	/** For the record, in ms; null if there are no gaps. */
	summary(): { p50: number; p95: number; max: number } | null {
		const p50 = this.quantileMs(0.5)
		if (p50 === null) return null
		return { p50, p95: this.quantileMs(0.95) as number, max: Number(this.maxMs.toFixed(3)) }
	}

	/** Accurate to an eighth; null if there are no gaps. */
	quantileMs(share: number): number | null {
		let left = Math.ceil(this.#count * share)
		if (left === 0) return null
		const bucket = this.#counts.findIndex((count) => {
			left -= count
			return left <= 0
		})
		return Math.min(this.maxMs, Number((firstMs * Math.exp(bucket * growth)).toPrecision(3)))
	}
}

/** The rest of a larger answer is not read. */
const limitBytes = 4 * 1024 * 1024

/** The bytes of an answer that its record needs, and the hash of all bytes. */
export class KeptAnswer {
	readonly #limit: number
	#pieces: Buffer[] = []
	#bytes = 0
	/** Set for an answer that is larger than what is kept. */
	#hash: Hash | null = null

	constructor(limit = limitBytes) {
		this.#limit = limit
	}

	push(chunk: Buffer): void {
		if (this.#hash) {
			this.#hash.update(chunk)
			return
		}
		const piece = chunk.subarray(0, this.#limit - this.#bytes)
		this.#bytes += piece.length
		if (piece.length > 0) this.#pieces.push(isSmallPart(piece) ? Buffer.from(piece) : piece)
		if (piece.length < chunk.length)
			this.#hash = createHash('sha256').update(this.bytes).update(chunk.subarray(piece.length))
	}

	/** Whether the answer is larger than what is kept. */
	get overflows(): boolean {
		return this.#hash !== null
	}

	/** The kept bytes. */
	get bytes(): Buffer {
		if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)]
		return this.#pieces[0] as Buffer
	}

	/** The hash of all bytes; can be called once. '' if there are none. */
	digest(): string {
		if (this.#hash) return this.#hash.digest('hex')
		return this.#bytes === 0 ? '' : hash('sha256', this.bytes, 'hex')
	}
}

/** A chunk is a view of the socket's read buffer: keeping a few bytes of it would keep the whole buffer from being freed. */
function isSmallPart({ length, buffer }: Buffer): boolean {
	return length * 2 < buffer.byteLength
}

const fields: ReadonlySet<string> = new Set([
	...['id', 'role', 'content', 'choices', 'output', 'candidates', 'steps'],
])

/** Assembles an answer of any provider, from one body or a stream, as messages like those of a request. */
export class AnswerReader implements ResponseReader {
	readonly fields = fields
	readonly reading = newReading()
	readonly listed: boolean
	/** The id by which a later request may continue it; '' for none. */
	responseId = ''
	readonly #blocks = new Map<number, Fields>()
	readonly #choices = new Map<number, Fields>()
	/** The tool calls of each choice, in their order. */
	readonly #calls = new Map<number, { index: number; call: Fields }[]>()
	#whole: Fields[] = []
	#parts: Fields[] = []

	constructor(listed: boolean) {
		this.listed = listed
	}

	/** The messages of a complete answer in members of its JSON. Null if they must be assembled. */
	static messagesOf(body: Fields): Fields[] | null {
		const whole = wholeMessages(body)
		return whole !== null && whole.length > 0 ? whole : null
	}

	/** The model's messages. */
	get messages(): Fields[] {
		if (this.#whole.length > 0) return this.#whole
		if (this.#parts.length > 0) return [{ role: 'model', parts: joinTexts(this.#parts) }]
		if (this.#blocks.size > 0)
			return [{ role: 'assistant', content: [...this.#blocks.values()].map(finishBlock) }]
		return [...this.#choices].map(([index, choice]) => {
			const calls = this.#calls.get(index)
			return calls ? { ...choice, tool_calls: calls.map(({ call }) => call) } : choice
		})
	}

	onBody(found: ReadonlyMap<string, unknown>): void {
		this.#readWhole(Object.fromEntries(found))
	}

	onEvent(data: string, name: string): void {
		const event = parseFields(data)
		if (!event) return
		this.#readCandidates(event)
		for (const choice of listOf(event.choices)) this.#readChoice(choice)
		const type = textOr(event.type, textOr(event.event_type, name))
		if (/^response\.(completed|incomplete|failed)$/.test(type))
			this.#readWhole(fieldsIn(event.response) ?? {})
		if (type === 'content_block_start')
			this.#blocks.set(Number(event.index), { ...fieldsIn(event.content_block) })
		if (type === 'content_block_delta') this.#addTo(Number(event.index), fieldsIn(event.delta) ?? {})
		if (type === 'step.start') this.#blocks.set(Number(event.index), { ...fieldsIn(event.step) })
		if (type === 'step.delta') this.#addTo(Number(event.index), fieldsIn(event.delta) ?? {})
		if (type.startsWith('interaction.')) this.#readWhole(fieldsIn(event.interaction) ?? {})
		if (type === 'contentBlockStart' || type === 'contentBlockDelta') this.#readAmazon(event)
	}

	#readWhole(body: Fields): void {
		this.responseId = textOr(body.id, this.responseId)
		const whole = wholeMessages(body)
		if (whole) this.#whole = whole
		else this.#readCandidates(body)
	}

	#readCandidates({ candidates }: Fields): void {
		for (const { content } of listOf(candidates)) this.#parts.push(...listOf(fieldsIn(content)?.parts))
	}

	#readChoice(choice: Fields): void {
		const delta = fieldsIn(choice.delta) ?? {}
		const index = Number(choice.index ?? 0)
		const message = this.#choices.get(index) ?? { role: 'assistant', content: '' }
		this.#choices.set(index, message)
		append(message, 'content', choice.text)
		for (const name of ['content', 'refusal', thoughtsIn(delta)]) append(message, name, delta[name])
		for (const call of listOf(delta.tool_calls)) this.#readCall(index, call)
	}

	#readCall(choice: number, { index: at, id, function: given }: Fields): void {
		const index = Number(at ?? 0)
		const named = fieldsIn(given)
		const calls = this.#calls.get(choice) ?? []
		this.#calls.set(choice, calls)
		let known = calls.findLast((one) => one.index === index)?.call
		// Some servers send no index, or the same one for all calls: another id with a name then begins another call.
		if (!known || (textOr(named?.name, '') !== '' && textOr(id, '') !== '' && id !== known.id)) {
			known = { id, type: 'function', function: { name: '', arguments: '' } }
			calls.push({ index, call: known })
		}
		for (const name of ['name', 'arguments']) append(known.function as Fields, name, named?.[name])
	}

	#addTo(index: number, delta: Fields): void {
		const block = this.#blocks.get(index) ?? {}
		this.#blocks.set(index, block)
		for (const name of deltas) append(block, name, delta[name])
	}

	#readAmazon({ contentBlockIndex, start, delta }: Fields): void {
		const index = Number(contentBlockIndex ?? 0)
		const block = this.#blocks.get(index) ?? {}
		this.#blocks.set(index, block)
		const began = fieldsIn(fieldsIn(start)?.toolUse)
		if (began) block.toolUse = { ...began }
		append(block, 'text', fieldsIn(delta)?.text)
		const input = fieldsIn(fieldsIn(delta)?.toolUse)?.input
		if (input !== undefined) append(blockOf(block, 'toolUse'), 'input', input)
	}
}

/** Text fields that arrive in pieces. */
const deltas = ['text', 'thinking', 'partial_json', 'signature', 'arguments'] as const

/** Null if there are none in these forms. */
function wholeMessages(body: Fields): Fields[] | null {
	const amazon = fieldsIn(fieldsIn(body.output)?.message)
	if (amazon) return [amazon]
	if (Array.isArray(body.output)) return listOf(body.output)
	if (Array.isArray(body.steps)) return listOf(body.steps).filter(({ type }) => type !== 'user_input')
	if (Array.isArray(body.content)) return [{ role: 'assistant', content: body.content }]
	if (Array.isArray(body.choices)) return listOf(listOf(body.choices).map(messageOf))
	return null
}

/** An answer of the legacy completions API (2020) is only a text. */
function messageOf({ message, text }: Fields): unknown {
	return message ?? (typeof text === 'string' ? { role: 'assistant', content: text } : undefined)
}

/** The field with the thinking; some servers send it under both names. */
function thoughtsIn(delta: Fields): string {
	return delta.reasoning_content === undefined ? 'reasoning' : 'reasoning_content'
}

function blockOf(block: Fields, name: string): Fields {
	const known = fieldsIn(block[name]) ?? {}
	block[name] = known
	return known
}

function append(to: Fields, name: string, piece: unknown): void {
	if (typeof piece === 'string' && piece !== '') to[name] = textOr(to[name], '') + piece
}

/** The input of a tool call arrives as pieces of JSON. */
function finishBlock({ partial_json, ...block }: Fields): Fields {
	if (typeof partial_json !== 'string') return block
	return { ...block, input: parseFields(partial_json) ?? partial_json }
}

/** Joins the many text parts of a stream. */
function joinTexts(parts: readonly Fields[]): Fields[] {
	const joined: Fields[] = []
	for (const part of parts) {
		const last = joined.at(-1)
		if (isText(part) && last && isText(last)) append(last, 'text', part.text)
		else joined.push({ ...part })
	}
	return joined
}

function isText(part: Fields): boolean {
	return typeof part.text === 'string' && Object.keys(part).length === 1
}
