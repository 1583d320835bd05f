import { freesDisk } from '../../platform/disk-full.ts'
import type { LogSegment } from './log-entry.ts'
import type { Manifest } from './manifest.ts'
import type { Quarantine } from './quarantine.ts'
import type { SegmentWriter } from './segment-writer.ts'

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
	segments: ReadonlyMap<number, Pick<LogSegment, 'end'>>
	manifest: Pick<Manifest, 'bytes'>
	quarantine: Pick<Quarantine, 'bytes'>
	writer: Pick<SegmentWriter, 'unflushedBytes' | 'freeBytes'>
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
		const { segments, manifest, quarantine } = this.#options
		let bytes = manifest.bytes + quarantine.bytes
		for (const { end } of segments.values()) bytes += end
		return bytes
	}

	/** Why `bytes` more cannot be accepted, or null if they can. */
	refusal(bytes: number): string | null {
		const { maxBytes, reserveBytes, maxUnflushedBytes, writer } = this.#options
		const wanted = bytes + this.reservedBytes + reserveBytes
		if (this.usedBytes() + wanted > maxBytes)
			return 'The telemetry log is full; the telemetry store does not keep up.'
		if (wanted > writer.freeBytes)
			return `The disk of the data directory is full: ${mebibytes(writer.freeBytes)} MiB are left, and ${mebibytes(reserveBytes)} MiB are kept for the outcomes of running calls. To free it, ${freesDisk}.`
		if (writer.unflushedBytes + bytes > maxUnflushedBytes) return 'The disk of the telemetry log is too slow.'
		return null
	}
}
