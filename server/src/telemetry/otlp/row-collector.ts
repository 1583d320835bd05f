import { RowWriter } from '../row-writer.ts'
import { type Decoded, type DecodeOptions, ExpandsTooFar } from './decoded.ts'
import { Rejected, type Rejections } from './rejections.ts'
import { Malformed } from './wire-reader.ts'

const writer = new RowWriter()

/** Gathers the rows of one body; what cannot become a row is counted with its reason. */
export class RowCollector {
	readonly #options: DecodeOptions
	readonly #rejections: Rejections = {}
	#count = 0

	constructor(options: DecodeOptions) {
		this.#options = options
		writer.reset()
	}

	/** Writes one row, whole or not at all; false: not at all. */
	add(write: (w: RowWriter) => void): boolean {
		const [start, before] = [writer.position, this.#count]
		try {
			write(writer)
			this.#count++
		} catch (error) {
			if (!(error instanceof Rejected || error instanceof Malformed)) throw error
			writer.position = start
			this.reject(error.message)
		}
		if (writer.position > this.#options.maxRowsBytes) throw new ExpandsTooFar()
		return this.#count > before
	}

	reject(reason: string): void {
		this.#rejections[reason] = (this.#rejections[reason] ?? 0) + 1
	}

	take(): Decoded {
		return { rows: writer.take(), count: this.#count, rejections: this.#rejections }
	}
}
