const quote = 0x22
const backslash = 0x5c
const valueLimitBytes = 1024 * 1024
const keyLimitBytes = 64

/**
 * Extracts a few top-level fields from a JSON object that arrives in chunks, without building the rest: long strings are skipped,
 * and only the wanted values are kept. If a field occurs twice, the last value counts. Malformed JSON causes no error: the
 * readable part is used.
 */
export class JsonFields {
	readonly #wanted: ReadonlySet<string>
	readonly #found = new Map<string, unknown>()
	#depth = 0
	#inString = false
	/** Whether the previous chunk ended with an incomplete escape. */
	#escaped = false
	#atKey = false
	#capturing: 'key' | 'value' | null = null
	#parts: Buffer[] = []
	#partBytes = 0
	#name: string | null = null
	#over = false

	constructor(wanted: ReadonlySet<string>) {
		this.#wanted = wanted
	}

	push(bytes: Buffer): void {
		let mark = 0
		let at = 0
		while (at < bytes.length && !this.#over) {
			if (this.#inString) {
				at = this.#skipString(bytes, at)
				if (!this.#inString && this.#capturing === 'key') this.#endKey(bytes, mark, at - 1)
				continue
			}
			const byte = bytes[at] as number
			at += 1
			if (byte === quote) {
				this.#inString = true
				if (this.#depth === 1 && this.#atKey) {
					mark = at
					this.#capturing = 'key'
				}
			} else if (byte === 0x7b || byte === 0x5b) this.#open(byte)
			else if (byte === 0x7d || byte === 0x5d) this.#close(bytes, mark, at - 1)
			else if (this.#depth !== 1) continue
			else if (byte === 0x2c) {
				this.#endValue(bytes, mark, at - 1)
				this.#atKey = true
			} else if (byte === 0x3a && this.#name !== null) {
				this.#capturing = 'value'
				mark = at
			}
		}
		if (this.#capturing) this.#keep(bytes.subarray(mark))
	}

	/** The wanted fields that were found. */
	get found(): ReadonlyMap<string, unknown> {
		return this.#found
	}

	/** Skips to the position after the closing quote, or to the end of the chunk. */
	#skipString(bytes: Buffer, from: number): number {
		let at = from
		const near = Math.min(bytes.length, from + 32)
		for (; at < near; at += 1) {
			const byte = bytes[at] as number
			if (this.#escaped) this.#escaped = false
			else if (byte === backslash) this.#escaped = true
			else if (byte === quote) {
				this.#inString = false
				return at + 1
			}
		}
		return at < bytes.length ? this.#jump(bytes, at) : at
	}

	/** For long strings: finds the next quote with the engine's native search. */
	#jump(bytes: Buffer, from: number): number {
		let start = this.#escaped ? from + 1 : from
		this.#escaped = false
		for (;;) {
			const end = bytes.indexOf(quote, start)
			const escaped = oddBackslashesBefore(bytes, end < 0 ? bytes.length : end, start)
			if (end < 0) {
				this.#escaped = escaped
				return bytes.length
			}
			start = end + 1
			if (escaped) continue
			this.#inString = false
			return start
		}
	}

	#open(byte: number): void {
		this.#depth += 1
		if (this.#depth === 1) this.#atKey = byte === 0x7b
	}

	#close(bytes: Buffer, mark: number, at: number): void {
		if (this.#depth === 1) {
			this.#endValue(bytes, mark, at)
			this.#over = true
		}
		this.#depth -= 1
	}

	#endKey(bytes: Buffer, from: number, to: number): void {
		const text = this.#take(bytes, from, to)
		const name = text === null || text.length > keyLimitBytes ? null : unescapeKey(text)
		this.#name = name !== null && this.#wanted.has(name) ? name : null
		this.#atKey = false
	}

	#endValue(bytes: Buffer, from: number, to: number): void {
		if (this.#capturing !== 'value') return
		const text = this.#take(bytes, from, to)
		const value = text === null ? undefined : parseOrUndefined(text)
		if (value !== undefined) this.#found.set(this.#name as string, value)
		this.#name = null
	}

	#keep(part: Buffer): void {
		this.#partBytes += part.length
		if (this.#partBytes <= valueLimitBytes) this.#parts.push(part)
		else this.#parts.length = 0
	}

	/** The captured text, or null if it was too long. */
	#take(bytes: Buffer, from: number, to: number): string | null {
		this.#capturing = null
		// Nearly always the value is in one chunk.
		if (this.#partBytes === 0) return to - from > valueLimitBytes ? null : bytes.toString('utf8', from, to)
		this.#keep(bytes.subarray(from, to))
		const text = this.#partBytes > valueLimitBytes ? null : Buffer.concat(this.#parts).toString('utf8')
		this.#parts = []
		this.#partBytes = 0
		return text
	}
}

function oddBackslashesBefore(bytes: Buffer, end: number, start: number): boolean {
	let at = end - 1
	while (at >= start && bytes[at] === backslash) at -= 1
	return (end - 1 - at) % 2 === 1
}

function unescapeKey(text: string): string | null {
	if (!text.includes('\\')) return text
	const value = parseOrUndefined(`"${text}"`)
	return typeof value === 'string' ? value : null
}

function parseOrUndefined(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}

/** The wanted top-level fields of a complete JSON document. */
export function fieldsOf(bytes: Buffer, wanted: ReadonlySet<string>): ReadonlyMap<string, unknown> {
	const fields = new JsonFields(wanted)
	fields.push(bytes)
	return fields.found
}
