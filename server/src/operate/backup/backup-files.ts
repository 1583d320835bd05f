import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, readdirSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import {
	type BackupFile,
	type BackupManifest,
	BackupRefused,
	manifestName,
	renderManifest,
} from './manifest.ts'

/** Makes the directory of a new backup (0700); what lies there already is not touched. */
export function makeBackupDirectory(directory: string): void {
	mkdirSync(directory, { recursive: true, mode: 0o700 })
	if (readdirSync(directory).length > 0)
		throw new BackupRefused(`${directory} is not empty: name a new directory for the backup.`)
}

/** Writes one file of a backup, compressed and flushed. `rows` may be known only when all was read. */
export async function writeBackupFile(
	directory: string,
	file: Pick<BackupFile, 'path' | 'store' | 'name'>,
	content: AsyncIterable<Uint8Array>,
	rows: () => number | null,
): Promise<BackupFile> {
	const path = join(directory, file.path)
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
	const measured = { hash: createHash('sha256'), bytes: 0 }
	await pipeline(
		Readable.from(content, { objectMode: false }),
		createZstdCompress(),
		(source: AsyncIterable<Buffer>) => measure(source, measured),
		createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
	)
	return { ...file, rows: rows(), bytes: measured.bytes, sha256: measured.hash.digest('hex') }
}

/** The manifest comes last: without it a directory is no backup. */
export async function writeManifest(directory: string, manifest: BackupManifest): Promise<void> {
	const path = join(directory, manifestName)
	await writeFile(`${path}.new`, renderManifest(manifest), { mode: 0o600, flush: true })
	await rename(`${path}.new`, path)
	const handle = await open(directory, 'r')
	await handle.sync()
	await handle.close()
}

/** The content of a file of a backup. Checks its size and hash; throws at the end when they do not fit. */
export async function* readBackupFile(directory: string, file: BackupFile): AsyncIterable<Buffer> {
	const measured = { hash: createHash('sha256'), bytes: 0 }
	const source = createReadStream(join(directory, file.path))
	const raw = Readable.from(measure(source, measured), { objectMode: false })
	const plain = raw.pipe(createZstdDecompress())
	raw.on('error', (error) => plain.destroy(error))
	try {
		for await (const chunk of plain) yield chunk as Buffer
	} catch (error) {
		throw damaged(file, error)
	}
	if (measured.bytes !== file.bytes || measured.hash.digest('hex') !== file.sha256) throw damaged(file)
}

function damaged({ path }: BackupFile, error?: unknown): BackupRefused {
	const missing = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
	return new BackupRefused(`${path} is ${missing ? 'missing' : 'damaged'}: the backup cannot be used.`)
}

async function* measure(
	source: AsyncIterable<Buffer>,
	into: { hash: Hash; bytes: number },
): AsyncIterable<Buffer> {
	for await (const chunk of source) {
		into.hash.update(chunk)
		into.bytes += chunk.length
		yield chunk
	}
}
