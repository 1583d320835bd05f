import { statfs } from 'node:fs/promises'
import type { Figure } from './health/metrics.ts'

const usualReserveBytes = 1024 ** 3
/** A small disk is not mostly reserve. */
const largestShare = 1 / 20

/** The disk that the data directory is on, and what is to stay free of it. */
export class DataDisk {
	readonly #directory: string
	/** As set; null: the usual. */
	readonly #reserve: number | null
	/** At the last check; bytes. */
	freeBytes = 0
	reserveBytes = 0

	constructor(directory: string, reserveBytes: number | null) {
		this.#directory = directory
		this.#reserve = reserveBytes
	}

	/** What is free for us, in bytes. */
	async look(): Promise<number> {
		const { bavail, blocks, bsize } = await statfs(this.#directory)
		this.freeBytes = bavail * bsize
		this.reserveBytes =
			this.#reserve ?? Math.min(usualReserveBytes, Math.floor(blocks * bsize * largestShare))
		return this.freeBytes
	}

	/** For `/metrics`. */
	readonly figures: readonly Figure[] = [
		{
			name: 'signalbox_disk_free_bytes',
			help: 'Free room on the disk of the data directory',
			read: () => this.freeBytes,
		},
		{
			name: 'signalbox_disk_reserve_bytes',
			help: 'Below this, the oldest days of telemetry are dropped',
			read: () => this.reserveBytes,
		},
	]
}
