import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounting needs root and a loop device. */
export const canMount = process.getuid?.() === 0 && runs('losetup', '--find')

/**
 * An ext4 file system in an image file, which can simulate a power cut. Its journal commits every 300 s instead of 5, and the kernel does
 * not flush files on rename by itself, so the image contains only what the program has flushed.
 */
export class LoopDisk {
	readonly #directory = mkdtempSync(join(tmpdir(), 'signalbox-disk-'))
	readonly path = join(this.#directory, 'mounted')
	#copies = 0

	constructor(mebibytes: number) {
		mkdirSync(this.path)
		execFileSync('truncate', ['--size', `${mebibytes}M`, this.#image])
		execFileSync('mkfs.ext4', ['-q', '-F', '-E', 'lazy_itable_init=0', this.#image])
		this.#mount()
	}

	/** Simulates a power cut: the disk keeps what was flushed to it and loses the page cache. Call this after all writers have ended. */
	cutPower(): void {
		// Unmount lazily, because killed processes may not have ended completely.
		const before = this.#image
		this.#copies += 1
		execFileSync('cp', ['--sparse=always', before, this.#image])
		execFileSync('umount', ['--lazy', this.path])
		rmSync(before)
		this.#mount()
	}

	remove(): void {
		execFileSync('umount', ['--lazy', this.path])
		rmSync(this.#directory, { recursive: true, force: true })
	}

	get #image(): string {
		return join(this.#directory, `image-${this.#copies}`)
	}

	#mount(): void {
		execFileSync('mount', ['-o', 'loop,commit=300,noauto_da_alloc', this.#image, this.path])
	}
}

function runs(command: string, ...args: string[]): boolean {
	try {
		execFileSync(command, args, { stdio: 'ignore' })
		return true
	} catch {
		return false
	}
}
