import { createSecretKey } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { FactsOpener } from './call-facts.ts'
import { segmentPath } from './log-files.ts'
import type { CallBatch, RecordPlace } from './row-making.ts'
import { readRecord } from './segment-format.ts'

/** What is read at once: records of calls that ended at one time lie side by side. */
const windowBytes = 256 * 1024

/** Reads what calls carried back from the log, for one batch; close it afterwards. */
export class LoggedRecords {
	readonly #directory: string
	readonly #segments: ReadonlyMap<number, { marker: Buffer; opener: FactsOpener }>
	readonly #files = new Map<number, number>()
	#memory: Buffer | null = null
	#window: Buffer = Buffer.alloc(0)
	#windowOf = -1
	#windowAt = 0

	constructor({ directory, segments }: Pick<CallBatch, 'directory' | 'segments'>) {
		this.#directory = directory
		// A key in another form would be read again for each record.
		this.#segments = new Map(
			segments.map(({ number, marker, key }) => [
				number,
				{ marker: Buffer.from(marker), opener: new FactsOpener(createSecretKey(key)) },
			]),
		)
	}

	/** Those at all these places, read in the order of the log. */
	readAll(places: readonly RecordPlace[]): (Buffer | null)[] {
		const order = places.map((_, at) => at)
		order.sort((a, b) => before(places[a] as RecordPlace, places[b] as RecordPlace))
		const found = new Array<Buffer | null>(places.length).fill(null)
		for (const at of order) found[at] = this.read(places[at] as RecordPlace)
		return found
	}

	/** Opened; null for a record that is damaged, or whose segment is gone. */
	read(place: RecordPlace): Buffer | null {
		const segment = this.#segments.get(place.segment)
		if (!segment) return null
		const bytes = this.#bytesAt(place)
		const found = readRecord(bytes, 0, bytes.length, segment.marker)
		return found ? segment.opener.open(found.record.bytes as Buffer) : null
	}

	close(): void {
		for (const file of this.#files.values()) closeSync(file)
	}

	#bytesAt({ segment, at, bytes }: RecordPlace): Buffer {
		const from = at - this.#windowAt
		if (segment === this.#windowOf && from >= 0 && from + bytes <= this.#window.length)
			return this.#window.subarray(from, from + bytes)
		// What lies before it belongs to a call that took longer than its neighbours.
		if (bytes > windowBytes || (segment === this.#windowOf && from < 0))
			return this.#readAt(segment, at, bytes)
		// What was read from it before has been opened into memory of its own.
		this.#memory ??= Buffer.allocUnsafeSlow(windowBytes)
		const read = this.#readInto(this.#memory, segment, at)
		this.#window = read
		this.#windowOf = segment
		this.#windowAt = at
		return read.subarray(0, bytes)
	}

	#readAt(segment: number, at: number, bytes: number): Buffer {
		return this.#readInto(Buffer.allocUnsafe(bytes), segment, at)
	}

	#readInto(target: Buffer, segment: number, at: number): Buffer {
		const bytes = target.length
		const file = this.#files.get(segment) ?? openSync(segmentPath(this.#directory, segment), 'r')
		this.#files.set(segment, file)
		let length = 0
		for (let read = -1; read !== 0 && length < bytes; length += read)
			read = readSync(file, target, length, bytes - length, at + length)
		return target.subarray(0, length)
	}
}

function before(a: RecordPlace, b: RecordPlace): number {
	return a.segment - b.segment || a.at - b.at
}
