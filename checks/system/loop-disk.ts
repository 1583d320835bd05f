import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounting needs root and a loop device. */
export const canMount = process.getuid?.() === 0 && runs('losetup', '--find')

/**
 * An ext4 file system in a file: a disk whose power can be cut. Its journal commits every 300 s (usually 5), and files
 * that replace others are not flushed by the kernel's own guess, so what was not flushed by us is not in the file.
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

	/** Call it when every writer is dead. From now on the disk holds what had reached it, and nothing of the page cache. */
	cutPower(): void {
		// Lazily: those that were killed may still be going.
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
