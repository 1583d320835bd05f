import { EventStreamCodec } from '@smithy/core/event-streams'

const lf = 0x0a
const cr = 0x0d
const eventLimitBytes = 8 * 1024 * 1024

/**
 * Reads server-sent events from bytes in any chunking: LF, CRLF or CR line ends, comments, a byte order mark, `data:` with and
 * without a space, characters split between chunks. An event larger than 8 MiB is skipped.
 */
export class SseParser {
	readonly #onEvent: (data: string, name: string) => void
	/** The current incomplete line. */
	#parts: Buffer[] = []
	#bytes = 0
	#firstLine = true
	/** Whether the last line ended with CR at the end of a chunk: a following LF belongs to it. */
	#afterCr = false
	#name = ''
	#data: string | null = null
	#skipping = false

	constructor(onEvent: (data: string, name: string) => void) {
		this.#onEvent = onEvent
	}

	push(chunk: Buffer): void {
		if (chunk.length === 0) return
		let at = this.#afterCr && chunk[0] === lf ? 1 : 0
		this.#afterCr = false
		let nextCr = chunk.indexOf(cr, at)
		while (at < chunk.length) {
			if (nextCr >= 0 && nextCr < at) nextCr = chunk.indexOf(cr, at)
			const nextLf = chunk.indexOf(lf, at)
			const byCr = nextCr >= 0 && (nextLf < 0 || nextCr < nextLf)
			const end = byCr ? nextCr : nextLf
			if (end < 0) break
			this.#endLine(chunk, at, end)
			this.#afterCr = byCr && end + 1 === chunk.length
			at = byCr && chunk[end + 1] === lf ? end + 2 : end + 1
		}
		if (at < chunk.length) this.#keep(chunk.subarray(at))
	}

	/** Reads the rest when the stream ends, including an event without its blank line. */
	end(): void {
		if (this.#bytes > 0) this.#endLine(Buffer.alloc(0), 0, 0)
		this.#dispatch()
	}

	/** Whether all bytes so far are complete events, so that text may be appended here. */
	get atBoundary(): boolean {
		return this.#bytes === 0 && this.#data === null && this.#name === ''
	}

	#keep(part: Buffer): void {
		this.#bytes += part.length
		if (this.#bytes <= eventLimitBytes) this.#parts.push(part)
		else {
			this.#parts.length = 0
			this.#skipping = true
		}
	}

	#endLine(chunk: Buffer, from: number, to: number): void {
		let bytes = chunk.subarray(from, to)
		if (this.#bytes > 0) {
			this.#parts.push(bytes)
			bytes = Buffer.concat(this.#parts)
			this.#parts = []
			this.#bytes = 0
		}
		if (this.#firstLine) {
			this.#firstLine = false
			if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3)
		}
		if (bytes.length > 0) this.#field(bytes)
		else this.#dispatch()
	}

	#field(bytes: Buffer): void {
		const colon = bytes.indexOf(0x3a)
		const nameEnd = colon < 0 ? bytes.length : colon
		const valueFrom = bytes[nameEnd + 1] === 0x20 ? nameEnd + 2 : nameEnd + 1
		const field = bytes.toString('latin1', 0, nameEnd)
		if (field === 'data') this.#addData(bytes.toString('utf8', valueFrom))
		else if (field === 'event') this.#name = bytes.toString('utf8', valueFrom)
	}

	#addData(text: string): void {
		this.#data = this.#data === null ? text : `${this.#data}\n${text}`
		if (this.#data.length > eventLimitBytes) this.#skipping = true
	}

	#dispatch(): void {
		const data = this.#data
		const name = this.#name
		const skipped = this.#skipping
		this.#data = null
		this.#name = ''
		this.#skipping = false
		if (data !== null && !skipped) this.#onEvent(data, name)
	}
}

const preludeBytes = 12
const messageLimitBytes = 32 * 1024 * 1024

const codec = new EventStreamCodec(
	(bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
	(text) => Buffer.from(text),
)

/**
 * Reads AWS's binary event streams (`application/vnd.amazon.eventstream`) from bytes in any chunking. Each message gives its
 * payload as text and its `:event-type`, or its `:exception-type` with a leading exclamation mark.
 */
export class AwsEventStream {
	readonly #onEvent: (payload: string, name: string) => void
	#parts: Buffer[] = []
	#bytes = 0
	/** The length of the current message; 0 until it has arrived. */
	#needed = 0

	constructor(onEvent: (payload: string, name: string) => void) {
		this.#onEvent = onEvent
	}

	/** Whether all bytes so far are complete messages. */
	get atBoundary(): boolean {
		return this.#bytes === 0
	}

	/** Throws for anything but a valid event stream. */
	push(chunk: Buffer): void {
		this.#parts.push(chunk)
		this.#bytes += chunk.length
		if (this.#bytes < Math.max(this.#needed, preludeBytes)) return
		const bytes = Buffer.concat(this.#parts)
		let at = 0
		this.#needed = 0
		while (bytes.length - at >= preludeBytes) {
			const total = bytes.readUInt32BE(at)
			if (total < preludeBytes + 4 || total > messageLimitBytes)
				throw new Error('This is not an event stream.')
			if (bytes.length - at < total) {
				this.#needed = total
				break
			}
			this.#message(bytes.subarray(at, at + total))
			at += total
		}
		this.#parts = at < bytes.length ? [bytes.subarray(at)] : []
		this.#bytes = bytes.length - at
	}

	#message(message: Buffer): void {
		const { headers, body } = codec.decode(message)
		const text = (name: string) => {
			const header = headers[name]
			return header?.type === 'string' ? header.value : undefined
		}
		const exception = text(':exception-type') ?? text(':error-code')
		const name = exception === undefined ? (text(':event-type') ?? '') : `!${exception}`
		this.#onEvent(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'), name)
	}
}

/** Encodes one message with text headers. */
export function awsEventMessage(headers: Readonly<Record<string, string>>, payload: string | Buffer): Buffer {
	const typed = Object.entries(headers).map(
		([name, value]) => [name, { type: 'string' as const, value }] as const,
	)
	const bytes = codec.encode({ headers: Object.fromEntries(typed), body: Buffer.from(payload as string) })
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const quote = 0x22
const backslash = 0x5c
const valueLimitBytes = 1024 * 1024
/** Every wanted name fits, also with all of its characters escaped. */
const keyLimitBytes = 256

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

	/** Whether the document has ended. */
	get ended(): boolean {
		return this.#over
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
