import { randomUUID } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { EngineOptions } from './engine.ts'

/** What the parent writes as the first line of the child's standard input; the pipe then stays open. */
export interface ChildStart extends EngineOptions {
	socketPath: string
	/** The per-start key: 64 hex digits. */
	key: string
}

/** What the child writes to file descriptor 3, one JSON line each. */
export type ChildEvent = { event: 'ready'; version: string } | { event: 'failed'; message: string }

/** The Authorization header that carries the key. */
export function basicAuthorization(key: string): string {
	return `Basic ${Buffer.from(`default:${key}`).toString('base64')}`
}

/** The answer's header that names the run of the engine: a restarted one has another. */
export const engineRunHeader = 'x-engine-run'
/** How many bytes the rows of an insert have, which are sent in pieces. */
export const bodyBytesHeader = 'x-body-bytes'
/** The file that has these bytes, where they are not sent. */
export const bodyFileHeader = 'x-body-file'

/** A smaller body is in the socket's buffer before a file is open. */
const leastBytes = 256 * 1024
/** How long a file is used again, which costs less than a new one: what was longer leaves its end there, where no erasure reaches it. */
const keptMs = 5_000

/** Whole, since the engine's process has another working directory. */
const directoryIn = (dataDir: string) => join(resolve(dataDir), 'chdb', 'inserts')

/** Removes what a killed program left. */
export function clearBodyFiles(dataDir: string): void {
	rmSync(directoryIn(dataDir), { recursive: true, force: true })
}

/**
 * Large bodies for the engine's process, as files: through the socket they would pass the main threads of both processes in pieces
 * of 64 KiB. Nothing depends on them after a crash, so they are never flushed.
 */
export class BodyFiles {
	readonly #directory: string
	/** Of files that nobody reads; the kernel has their pages, which take longer to get than to fill. */
	readonly #idle: string[] = []
	readonly #madeAtMs = new Map<string, number>()
	#removal: NodeJS.Timeout | undefined

	/** Several processes may do so for one engine. */
	constructor(dataDir: string) {
		this.#directory = directoryIn(dataDir)
	}

	/** The path of a file that begins with these bytes, to be given back or removed; null where they are few or the disk does not take them: then the socket does. */
	async write(bytes: Buffer): Promise<string | null> {
		if (bytes.length < leastBytes) return null
		const path = this.#idle.pop() ?? this.#newPath()
		try {
			await mkdir(this.#directory, { recursive: true, mode: 0o700 })
			// What was longer keeps its end.
			await withFile(path, constants.O_WRONLY | constants.O_CREAT, async (file) => {
				for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
			})
			return path
		} catch {
			await this.remove(path)
			return null
		}
	}

	/** The engine may read it yet: so it is never written again. What cannot be removed goes with the next start. */
	remove(path: string): Promise<void> {
		this.#madeAtMs.delete(path)
		return rm(path, { force: true }).catch(() => undefined)
	}

	/** Nobody reads it any more. */
	giveBack(path: string): void {
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

/** Fills `target` from a file; how many of its bytes the file has. */
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
