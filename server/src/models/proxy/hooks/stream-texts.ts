import { newReading, type ResponseReader } from '../providers/provider.ts'
import { parseFields } from '../providers/wire-values.ts'

/** Values that are names and ids of the protocol, repeated in every event. */
const structural = new Set(['id', 'object', 'model', 'type', 'role', 'obfuscation', 'signature', 'item_id'])
/** What an event tells of the place that its text belongs to. */
const indexes = ['index', 'output_index', 'content_index']
/** What is kept of a text that was judged: a match may end in what follows. */
const overlap = 512

/** Gathers the texts of a stream: pieces that stand in the same place of its events belong together. */
export class StreamTexts implements ResponseReader {
	readonly fields: ReadonlySet<string> = new Set()
	readonly reading = newReading()
	readonly listed: boolean
	readonly #texts = new Map<string, string>()
	readonly #fresh = new Set<string>()
	/** Characters that came since they were taken last. */
	freshLength = 0
	/** An event could not be taken apart. */
	unreadable = false

	constructor(listed: boolean) {
		this.listed = listed
	}

	onEvent(data: string): void {
		const event = parseFields(data)
		if (!event) return
		// Bedrock wraps the events of a model.
		const inner = typeof event.bytes === 'string' ? parseFields(fromBase64(event.bytes)) : null
		try {
			this.#add(inner ?? event, '')
		} catch {
			this.unreadable = true
		}
	}

	onBody(): void {}

	/** The texts that have grown since they were taken last, each with the end of what came before. */
	take(): string[] {
		const texts = [...this.#fresh].map((path) => this.#texts.get(path) as string)
		for (const path of this.#fresh) this.#texts.set(path, this.#texts.get(path)?.slice(-overlap) ?? '')
		this.#fresh.clear()
		this.freshLength = 0
		return texts
	}

	#add(value: unknown, path: string): void {
		if (typeof value === 'string') this.#append(path, value)
		if (typeof value !== 'object' || value === null) return
		const named = value as Record<string, unknown>
		const place = indexes.map((name) => named[name] ?? '').join(',')
		for (const [name, inner] of Object.entries(named)) {
			if (!structural.has(name)) this.#add(inner, `${path}/${place}/${name}`)
		}
	}

	#append(path: string, text: string): void {
		if (text === '') return
		this.#texts.set(path, (this.#texts.get(path) ?? '') + text)
		this.#fresh.add(path)
		this.freshLength += text.length
	}
}

function fromBase64(text: string): string {
	return Buffer.from(text, 'base64').toString()
}
