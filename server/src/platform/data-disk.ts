import { type StatsFs, statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Figure } from './health/metrics.ts'

const defaultReserveBytes = 1024 ** 3
/** On a small disk the reserve is at most this share. */
const largestShare = 1 / 20

/**
 * The disk of the embedded telemetry store, and how much of it must stay free: that of the data directory, unless `chdb/` is on another one.
 */
export class DataDisk {
	readonly #directory: string
	/** The configured reserve in bytes; null: the default. */
	readonly #reserve: number | null
	/** In bytes, at the last check. */
	freeBytes = 0
	reserveBytes = 0

	constructor(directory: string, reserveBytes: number | null) {
		this.#directory = directory
		this.#reserve = reserveBytes
		this.#note(statfsSync(directory))
	}

	/** Checks the disk; returns the bytes available to us. */
	async measure(): Promise<number> {
		this.#note(await statfs(this.#directory))
		return this.freeBytes
	}

	#note({ bavail, blocks, bsize }: StatsFs): void {
		this.freeBytes = bavail * bsize
		this.reserveBytes =
			this.#reserve ?? Math.min(defaultReserveBytes, Math.floor(blocks * bsize * largestShare))
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
