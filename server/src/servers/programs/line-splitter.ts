const newline = 10

/** Cuts a stream of bytes into lines; a line over the cap is reported once and skipped to its end. */
export class LineSplitter {
	readonly #limitBytes: number
	readonly #onLine: (line: string) => void
	readonly #onTooLong: (start: string) => void
	#parts: Buffer[] = []
	#size = 0

	constructor(limitBytes: number, onLine: (line: string) => void, onTooLong: (start: string) => void) {
		this.#limitBytes = limitBytes
		this.#onLine = onLine
		this.#onTooLong = onTooLong
	}

	push(chunk: Buffer): void {
		let from = 0
		for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
			this.#keep(chunk.subarray(from, end))
			this.#endLine()
			from = end + 1
		}
		this.#keep(chunk.subarray(from))
	}

	/** What is left when the stream ends is a line too. */
	end(): void {
		if (this.#size > 0) this.#endLine()
	}

	#keep(part: Buffer): void {
		const before = this.#size
		this.#size += part.length
		if (this.#size <= this.#limitBytes) {
			if (part.length > 0) this.#parts.push(part)
		} else if (before <= this.#limitBytes) {
			this.#onTooLong(Buffer.concat(this.#parts).toString('utf8', 0, 200))
			this.#parts = []
		}
	}

	#endLine(): void {
		const whole = this.#size <= this.#limitBytes
		const line = whole ? Buffer.concat(this.#parts).toString('utf8') : ''
		this.#parts = []
		this.#size = 0
		if (whole && line.trim() !== '') this.#onLine(line)
	}
}
