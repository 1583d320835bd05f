import type { LogThread } from './log-thread.ts'
import {
	applyLine,
	encodeLines,
	type ManifestLine,
	type ManifestState,
	snapshotLine,
} from './manifest-state.ts'

const compactAboveBytes = 256 * 1024

/** The durable account of what was shipped. Its state changes only after the file did. */
export class Manifest {
	readonly #thread: LogThread
	#state: ManifestState
	#queue: Promise<void> = Promise.resolve()
	bytes = 0

	constructor(thread: LogThread, state: ManifestState) {
		this.#thread = thread
		this.#state = state
	}

	get state(): ManifestState {
		return this.#state
	}

	/** Adds lines; with `flush` it resolves when they are on disk, else when they are written. */
	append(lines: ManifestLine[], flush: boolean): Promise<void> {
		return this.#enqueue(() => this.#append(lines, flush))
	}

	/** Writes the whole state into a new file in place of the old one. */
	compact(): Promise<void> {
		return this.#enqueue(() => this.#replace(this.#state))
	}

	#enqueue(work: () => Promise<void>): Promise<void> {
		const result = this.#queue.then(work)
		this.#queue = result.catch(() => undefined)
		return result
	}

	async #append(lines: ManifestLine[], flush: boolean): Promise<void> {
		const next = lines.reduce(applyLine, this.#state)
		const bytes = encodeLines(lines)
		if (this.bytes + bytes.length > compactAboveBytes) return this.#replace(next)
		try {
			await this.#thread.run({ name: 'append-manifest', bytes, flush })
		} catch {
			// What a failed write or flush left behind is unknown: the file is written anew, never tried again.
			return this.#replace(next)
		}
		this.bytes += bytes.length
		this.#state = next
	}

	async #replace(next: ManifestState): Promise<void> {
		const bytes = encodeLines([snapshotLine(next)])
		await this.#thread.run({ name: 'replace-manifest', bytes })
		this.bytes = bytes.length
		this.#state = next
	}
}
