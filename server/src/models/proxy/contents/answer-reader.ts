import {
	type Fields,
	fieldsIn,
	newReading,
	parseFields,
	type ResponseReader,
	textOr,
} from '../providers/provider.ts'
import { listOf } from './split-request.ts'

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
