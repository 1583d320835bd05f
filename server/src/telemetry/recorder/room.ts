import { freesDisk } from '../../platform/disk-full.ts'

const mebibytes = (bytes: number) => Math.floor(bytes / 1024 ** 2)

/**
 * The log's size limit. Announcements and appends stop while the reserve is still free, so that outcomes, for which room is
 * reserved at the announcement, and the log's own notes always fit.
 */
export interface RoomOptions {
	maxBytes: number
	reserveBytes: number
	/** Maximum size of records in memory that are not flushed yet: the limit when the disk is slow. */
	maxUnflushedBytes: number
	usedBytes(): number
	unflushedBytes(): number
	freeDiskBytes(): number
}

export class Room {
	readonly #options: RoomOptions
	/** Reserved for outcomes of open calls. */
	reservedBytes = 0

	constructor(options: RoomOptions) {
		this.#options = options
	}

	get maxBytes(): number {
		return this.#options.maxBytes
	}

	usedBytes(): number {
		return this.#options.usedBytes()
	}

	/** Why `bytes` more cannot be accepted, or null if they can. */
	refusal(bytes: number): string | null {
		const { maxBytes, reserveBytes, maxUnflushedBytes } = this.#options
		const wanted = bytes + this.reservedBytes + reserveBytes
		if (this.#options.usedBytes() + wanted > maxBytes)
			return 'The telemetry log is full; the telemetry store does not keep up.'
		const free = this.#options.freeDiskBytes()
		if (wanted > free)
			return `The disk of the data directory is full: ${mebibytes(free)} MiB are left, and ${mebibytes(reserveBytes)} MiB are kept for the outcomes of running calls. To free it, ${freesDisk}.`
		if (this.#options.unflushedBytes() + bytes > maxUnflushedBytes)
			return 'The disk of the telemetry log is too slow.'
		return null
	}
}
