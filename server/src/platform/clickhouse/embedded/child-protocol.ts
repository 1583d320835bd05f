import { randomUUID } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { EngineOptions } from './engine.ts'

/** The first line that the parent writes to the child's standard input; the pipe then stays open. */
export interface ChildStart extends EngineOptions {
	socketPath: string
	/** The key of this start: 64 hex digits. */
	key: string
}

/** What the child writes to file descriptor 3, as JSON lines. */
export type ChildEvent = { event: 'ready'; version: string } | { event: 'failed'; message: string }

/** The Authorization header that carries the key. */
export function basicAuthorization(key: string): string {
	return `Basic ${Buffer.from(`default:${key}`).toString('base64')}`
}

/** Response header with the id of the engine's run, which changes with each restart. */
export const engineRunHeader = 'x-engine-run'
/** Request header with the total length of an insert's rows, which are sent in chunks. */
export const bodyBytesHeader = 'x-body-bytes'
/** Request header with the path of a file that holds the rows instead of the body. */
export const bodyFileHeader = 'x-body-file'

/** A smaller body fits into the socket's buffer before a file could be opened. */
const minBytes = 256 * 1024
/**
 * How long a file is reused, which is cheaper than a new one. The tail of an earlier, longer body stays in it, where no erasure
 * reaches it.
 */
const keptMs = 5_000

/** Absolute, since the engine's process has another working directory. */
const directoryIn = (dataDir: string) => join(resolve(dataDir), 'chdb', 'inserts')

/** Removes files left by a killed program. */
export function clearBodyFiles(dataDir: string): void {
	rmSync(directoryIn(dataDir), { recursive: true, force: true })
}

/**
 * Passes large bodies to the engine's process as files. Through the socket they would occupy the main threads of both processes, in
 * chunks of 64 KiB. Nothing needs the files after a crash, so they are never flushed.
 */
export class BodyFiles {
	readonly #directory: string
	/** Files that nobody reads. Their pages stay in the kernel's cache, and allocating new pages takes longer than filling them. */
	readonly #idle: string[] = []
	readonly #madeAtMs = new Map<string, number>()
	#removal: NodeJS.Timeout | undefined

	/** Several processes may write files for the same engine. */
	constructor(dataDir: string) {
		this.#directory = directoryIn(dataDir)
	}

	/**
	 * Writes the bytes to the beginning of a file and returns its path, to be given back or removed. Returns null if the body is
	 * small or the write fails; it is then sent through the socket.
	 */
	async write(bytes: Buffer): Promise<string | null> {
		if (bytes.length < minBytes) return null
		const path = this.#idle.pop() ?? this.#newPath()
		try {
			await mkdir(this.#directory, { recursive: true, mode: 0o700 })
			// The file is not truncated: the tail of a longer body stays.
			await withFile(path, constants.O_WRONLY | constants.O_CREAT, async (file) => {
				for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
			})
			return path
		} catch {
			await this.remove(path)
			return null
		}
	}

	/** Removes a file that the engine may still be reading, so it is never reused. If that fails, the next start removes it. */
	remove(path: string): Promise<void> {
		this.#madeAtMs.delete(path)
		return rm(path, { force: true }).catch(() => undefined)
	}

	/** Makes a file available for reuse: nobody reads it any more. */
	release(path: string): void {
		const ageMs = performance.now() - (this.#madeAtMs.get(path) ?? 0)
		if (ageMs >= keptMs) return void this.remove(path)
		this.#idle.push(path)
		this.#removal ??= setTimeout(() => void this.removeIdle(), keptMs).unref()
	}

	#newPath(): string {
		const path = join(this.#directory, randomUUID())
		this.#madeAtMs.set(path, performance.now())
		return path
	}

	async removeIdle(): Promise<void> {
		clearTimeout(this.#removal)
		this.#removal = undefined
		await Promise.all(this.#idle.splice(0).map((path) => this.remove(path)))
	}
}

/** Reads a file into `target` and returns the number of bytes read. */
export async function readBodyFile(path: string, target: Buffer): Promise<number> {
	let length = 0
	await withFile(path, constants.O_RDONLY, async (file) => {
		for (let read = -1; read !== 0 && length < target.length; length += read)
			read = (await file.read(target, length, target.length - length)).bytesRead
	})
	return length
}

async function withFile(
	path: string,
	flags: number,
	use: (file: FileHandle) => Promise<void>,
): Promise<void> {
	const file = await open(path, flags, 0o600)
	try {
		await use(file)
	} finally {
		await file.close()
	}
}
