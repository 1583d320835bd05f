/** What a piece of a chunked body contains: data, the end of the body, an incomplete chunk, or malformed bytes. */
export type ChunkedStep = 'data' | 'end' | 'more' | 'malformed'

const cr = 0x0d
const lf = 0x0a
/** Maximum length of a chunk-size line, including extensions. */
const sizeLineMost = 256
const maxTrailerBytes = 16 * 1024

/** A chunk size and ignored extensions: names, each with a token or a quoted string. */
const sizeLine =
	/^([0-9a-f]{1,13})(?:;[!#$%&'*+\-.^_`|~0-9a-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9a-z]+|"[\t !#-[\]-~]*"))?)*$/i

type State = 'size' | 'data' | 'after-data' | 'trailers'

/**
 * A strict, incremental parser for `Transfer-Encoding: chunked`: hexadecimal sizes, CRLF line endings. `next` continues in a piece
 * at `at`; for `data` the bytes are those from `from` to `at`. Extensions and trailers are skipped.
 */
export class ChunkedBody {
	/** How far the piece has been read. */
	at = 0
	from = 0
	#state: State = 'size'
	#left = 0
	/** The beginning of a line that is split across pieces. */
	#line = ''
	#trailerBytes = 0

	next(piece: Buffer): ChunkedStep {
		for (;;) {
			if (this.#state === 'data') {
				if (this.at === piece.length) return 'more'
				this.from = this.at
				this.at = Math.min(piece.length, this.at + this.#left)
				this.#left -= this.at - this.from
				if (this.#left === 0) this.#state = 'after-data'
				return 'data'
			}
			const line = this.#readLine(piece)
			if (line === null) return this.#line.length > this.#maxOfLine() ? 'malformed' : 'more'
			const step = this.#take(line)
			if (step) return step
		}
	}

	#maxOfLine(): number {
		return this.#state === 'trailers' ? maxTrailerBytes : this.#state === 'size' ? sizeLineMost : 2
	}

	/** A line without its CRLF; null if its end has not arrived. */
	#readLine(piece: Buffer): string | null {
		const end = piece.indexOf(lf, this.at)
		if (end < 0) {
			this.#line += piece.toString('latin1', this.at)
			this.at = piece.length
			return null
		}
		const line = this.#line + piece.toString('latin1', this.at, end)
		this.#line = ''
		this.at = end + 1
		// A line without CR is replaced by a space, with which no valid size or trailer begins.
		return line.charCodeAt(line.length - 1) === cr ? line.slice(0, -1) : ' '
	}

	#take(line: string): ChunkedStep | null {
		if (this.#state === 'after-data') {
			this.#state = 'size'
			return line === '' ? null : 'malformed'
		}
		if (this.#state === 'trailers') return this.#takeTrailer(line)
		const size = sizeLine.exec(line)
		if (!size) return 'malformed'
		this.#left = Number.parseInt(size[1] as string, 16)
		this.#state = this.#left === 0 ? 'trailers' : 'data'
		return null
	}

	#takeTrailer(line: string): ChunkedStep | null {
		if (line === '') return 'end'
		this.#trailerBytes += line.length
		if (this.#trailerBytes > maxTrailerBytes) return 'malformed'
		return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/.test(line) ? null : 'malformed'
	}
}
