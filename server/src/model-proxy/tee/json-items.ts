const quote = 0x22
const backslash = 0x5c
const limitBytes = 8 * 1024 * 1024

/**
 * Reads a JSON list that arrives in pieces, as Gemini streams without `alt=sse`: each object of it is given as text once
 * it is whole. A document that is one object is given as one. An object larger than 8 MiB is skipped.
 */
export class JsonItems {
	readonly #onItem: (text: string) => void
	#depth = 0
	#inString = false
	#escaped = false
	#parts: Buffer[] = []
	#bytes = 0

	constructor(onItem: (text: string) => void) {
		this.#onItem = onItem
	}

	push(bytes: Buffer): void {
		let from = this.#depth > 0 ? 0 : -1
		for (let at = 0; at < bytes.length; at += 1) {
			const byte = bytes[at] as number
			if (this.#inString) this.#readInString(byte)
			else if (byte === quote) this.#inString = this.#depth > 0
			else if (byte === 0x7b) {
				if (this.#depth === 0) from = at
				this.#depth += 1
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
