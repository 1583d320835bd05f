import { createSecretKey } from 'node:crypto'
import { closeSync, readSync } from 'node:fs'
import type { WorkSlices } from '../../platform/clock.ts'
import { FactsOpener } from './call-facts.ts'
import { openToRead } from './log-files.ts'
import type { CallBatch, RecordPlace } from './row-making.ts'
import { carriedBytes } from './segment-format.ts'

/** Size of one read. Records of calls that ended at about the same time are adjacent. */
const windowBytes = 256 * 1024

/** Reads the facts of calls back from the log for one batch. Close it afterwards. */
export class LoggedRecords {
	readonly #directory: string
	readonly #segments: ReadonlyMap<number, { marker: Buffer; opener: FactsOpener }>
	readonly #files = new Map<number, number | null>()
	#memory: Buffer | null = null
	#window: Buffer = Buffer.alloc(0)
	#windowOf = -1
	#windowAt = 0
	/** Encrypted records of one segment that are not decrypted yet, and their indexes in the request. */
	readonly #sealed: Buffer[] = []
	readonly #sealedAt: number[] = []
	#sealedIn = -1

	constructor({ directory, segments }: Pick<CallBatch, 'directory' | 'segments'>) {
		this.#directory = directory
		// Key objects, because a key in another form would be imported again for each record.
		this.#segments = new Map(
			segments.map(({ number, marker, key }) => [
				number,
				{ marker: Buffer.from(marker), opener: new FactsOpener(createSecretKey(key)) },
			]),
		)
	}

	/**
	 * The records at all these positions, read in the order of the log. Null for a record that is damaged or whose segment is deleted.
	 */
	readAll(places: readonly RecordPlace[], slices: WorkSlices | null = null): (Buffer | null)[] {
		const order = places.map((_, at) => at)
		order.sort((a, b) => before(places[a] as RecordPlace, places[b] as RecordPlace))
		const found = new Array<Buffer | null>(places.length).fill(null)
		for (const at of order) {
			this.#find(at, places[at] as RecordPlace, found)
			slices?.pause()
		}
		this.#open(found)
		return found
	}

	#find(at: number, place: RecordPlace, found: (Buffer | null)[]): void {
		const segment = this.#segments.get(place.segment)
		if (!segment) return
		if (!this.#isInWindow(place) || this.#sealedIn !== place.segment) this.#open(found)
		const bytes = this.#bytesAt(place)
		const carried = carriedBytes(bytes, 0, bytes.length, segment.marker)
		if (!carried) return
		this.#sealedIn = place.segment
		this.#sealed.push(carried)
		this.#sealedAt.push(at)
	}

	/** Decrypts what was found, before its memory is reused. */
	#open(found: (Buffer | null)[]): void {
		if (this.#sealed.length === 0) return
		const { opener } = this.#segments.get(this.#sealedIn) as { opener: FactsOpener }
		for (const [i, opened] of opener.openAll(this.#sealed).entries())
			found[this.#sealedAt[i] as number] = opened
		this.#sealed.length = 0
		this.#sealedAt.length = 0
	}

	close(): void {
		for (const file of this.#files.values()) if (file !== null) closeSync(file)
	}

	#isInWindow({ segment, at, bytes }: RecordPlace): boolean {
		const from = at - this.#windowAt
		return segment === this.#windowOf && from >= 0 && from + bytes <= this.#window.length
	}

	#bytesAt(place: RecordPlace): Buffer {
		const { segment, at, bytes } = place
		const from = at - this.#windowAt
		if (this.#isInWindow(place)) return this.#window.subarray(from, from + bytes)
		// What precedes it belongs to a call that took longer than its neighbours.
		if (bytes > windowBytes || (segment === this.#windowOf && from < 0))
			return this.#readAt(segment, at, bytes)
		// What was read before is already decrypted into separate memory.
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
		const known = this.#files.get(segment)
		const file = known === undefined ? openToRead(this.#directory, segment) : known
		this.#files.set(segment, file)
		if (file === null) return target.subarray(0, 0)
		let length = 0
		for (let read = -1; read !== 0 && length < bytes; length += read)
			read = readSync(file, target, length, bytes - length, at + length)
		return target.subarray(0, length)
	}
}

function before(a: RecordPlace, b: RecordPlace): number {
	return a.segment - b.segment || a.at - b.at
}
