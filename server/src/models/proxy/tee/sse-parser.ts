const lf = 0x0a
const cr = 0x0d
const limitBytes = 8 * 1024 * 1024

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
		if (this.#bytes <= limitBytes) this.#parts.push(part)
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
		if (this.#data.length > limitBytes) this.#skipping = true
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
