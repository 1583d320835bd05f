const quote = 0x22
const backslash = 0x5c
const limitBytes = 8 * 1024 * 1024

/** Longer than the name of a list with what may stand around it. */
const tailCharacters = 80

/**
 * Reads a JSON list that arrives in pieces, as Gemini streams without `alt=sse`: each object of it is given as text once
 * it is whole. A document that is one object is given as one. An object larger than 8 MiB is skipped.
 */
export class JsonItems {
	readonly #onItem: (text: string) => void
	/** The beginning of the lists that are read; null: the document itself is one. */
	readonly #opening: RegExp | null
	#inList: boolean
	/** What was looked through last. */
	#tail = ''
	#depth = 0
	#inString = false
	#escaped = false
	#parts: Buffer[] = []
	#bytes = 0

	/** `list`: the field, at any place, whose lists are read alone. */
	constructor(onItem: (text: string) => void, list?: string) {
		this.#onItem = onItem
		this.#inList = list === undefined
		this.#opening = list === undefined ? null : new RegExp(`"${list}"\\s{0,9}:\\s{0,9}\\[`)
	}

	push(bytes: Buffer): void {
		let at = this.#inList ? 0 : this.#endOfOpening(bytes)
		let from = this.#depth > 0 ? 0 : -1
		for (; at < bytes.length; at += 1) {
			const byte = bytes[at] as number
			if (this.#inString) this.#readInString(byte)
			else if (byte === quote) this.#inString = this.#depth > 0
			else if (byte === 0x7b) {
				if (this.#depth === 0) from = at
				this.#depth += 1
			} else if (byte === 0x5d && this.#depth === 0 && this.#opening) {
				this.#inList = false
				at += this.#endOfOpening(bytes.subarray(at + 1))
			} else if (byte === 0x7d && this.#depth > 0) {
				this.#depth -= 1
				if (this.#depth > 0) continue
				this.#keep(bytes.subarray(from, at + 1))
				this.#give()
				from = -1
			}
		}
		if (from >= 0) this.#keep(bytes.subarray(from))
	}

	/** Where the first item of a list may stand. Inside a string the quotes would be escaped, so it is a field. */
	#endOfOpening(bytes: Buffer): number {
		const text = this.#tail + bytes.toString('latin1')
		const found = this.#opening?.exec(text)
		this.#tail = found ? '' : text.slice(-tailCharacters)
		if (!found) return bytes.length
		this.#inList = true
		return found.index + found[0].length - (text.length - bytes.length)
	}

	#readInString(byte: number): void {
		if (this.#escaped) this.#escaped = false
		else if (byte === backslash) this.#escaped = true
		else if (byte === quote) this.#inString = false
	}

	#keep(part: Buffer): void {
		this.#bytes += part.length
		if (this.#bytes <= limitBytes) this.#parts.push(part)
		else this.#parts.length = 0
	}

	#give(): void {
		const text = this.#bytes <= limitBytes ? Buffer.concat(this.#parts).toString('utf8') : null
		this.#parts = []
		this.#bytes = 0
		if (text !== null) this.#onItem(text)
	}
}
