import { createHash, type Hash } from 'node:crypto'
import {
	createReadStream,
	createWriteStream,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
} from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { type Static, Type } from 'typebox'

export const backupFormat = 1
const manifestName = 'manifest.json'

const Count = Type.Integer({ minimum: 0 })
/** Names of files that a restore writes; no name can escape its directory. */
const plainPath = '(quarantine/)?[\\w-][\\w.-]*'
const BackupFile = Type.Object({
	/** Path within the backup; compressed with zstd. */
	path: Type.String({ pattern: `^(control|telemetry|log)/${plainPath}\\.zst$` }),
	store: Type.Union([Type.Literal('control'), Type.Literal('telemetry'), Type.Literal('log')]),
	/** The table, or the path within the log's directory. */
	name: Type.String({ pattern: `^${plainPath}$` }),
	/** Null for files of the log. */
	rows: Type.Union([Count, Type.Null()]),
	bytes: Count,
	/** Hash of the compressed file. */
	sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})
const Manifest = Type.Object({
	format: Type.Literal(backupFormat),
	/** Everything acknowledged before this time is included. */
	created_at: Type.String(),
	program_version: Type.String(),
	/** Ids of the master keys that open the secrets in the backup; the keys themselves are not included. */
	master_key_ids: Type.Array(Type.String()),
	control_store: Type.Object({ migrations: Type.Array(Type.String()) }),
	telemetry_store: Type.Object({
		version: Count,
		/** Column names by table, in the order of the values in each row. */
		columns: Type.Record(Type.String(), Type.Array(Type.String())),
	}),
	/** Rows of the log that were not yet in the telemetry store. */
	log: Type.Object({ pending_rows: Count }),
	files: Type.Array(BackupFile),
})

export type BackupFile = Static<typeof BackupFile>
export type BackupManifest = Static<typeof Manifest>

/** What is wrong with a backup, as one sentence. */
export class BackupRefused extends Error {
	override name = 'BackupRefused'
}

/** The text of a manifest, including a checksum of itself. */
function renderManifest(manifest: BackupManifest): string {
	return `${JSON.stringify({ ...manifest, digest: digestOf(manifest) }, null, '\t')}\n`
}

/** Reads and checks the manifest of a backup, but not the files. */
export function readManifest(directory: string): BackupManifest {
	const { digest, ...manifest } = parse(directory)
	if (Number(manifest.format) > backupFormat)
		throw new BackupRefused(
			`The backup has format ${manifest.format}, this program knows ${backupFormat}: restore it with the newer Signalbox that made it.`,
		)
	if (digest !== digestOf(manifest) || !isManifest(manifest))
		throw new BackupRefused(`${manifestName} is damaged: its checksum does not match.`)
	return manifest
}

function isManifest(value: unknown): value is BackupManifest {
	// It consists of 300 modules, which the running program does not need.
	const { Check } = createRequire(import.meta.url)('typebox/value') as typeof import('typebox/value')
	return Check(Manifest, value)
}

function parse(directory: string): Record<string, unknown> {
	try {
		return JSON.parse(readFileSync(join(directory, manifestName), 'utf8')) as Record<string, unknown>
	} catch (error) {
		const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
		throw new BackupRefused(
			missing
				? `${directory} is not a whole backup: it has no ${manifestName}, which is written last.`
				: `${manifestName} cannot be read: it is damaged.`,
		)
	}
}

function digestOf(manifest: object): string {
	return createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
}

const folders = ['log', 'control', 'telemetry']

/** Creates the directory of a new backup (0700) and its folders; one that is not empty is not touched. */
export function makeBackupDirectory(directory: string): void {
	try {
		makeFolder(directory)
		if (readdirSync(directory).length === 0) {
			// Of two commands with the same directory, the second fails here.
			for (const folder of folders) mkdirSync(join(directory, folder), { mode: 0o700 })
			return
		}
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(directory, error)
	}
	throw new BackupRefused(`${directory} is not empty: name a new directory for the backup.`)
}

/** Node's own recursive call never returns where nothing can be created, as in `/proc`. */
function makeFolder(path: string): void {
	if (existsSync(path)) return
	makeFolder(dirname(path))
	try {
		mkdirSync(path, { mode: 0o700 })
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
		throw new BackupRefused(
			`No folder can be created in ${dirname(path)}: name another directory for the backup.`,
		)
	}
}

/** Removes what a failed backup has written; returns what to report. */
export function abandonBackup(directory: string, error: unknown): unknown {
	// What cannot be removed does not count as a backup, because it has no manifest.
	for (const name of [...folders, `${manifestName}.new`])
		try {
			rmSync(join(directory, name), { recursive: true, force: true })
		} catch {}
	return unwritable(directory, error)
}

const refusedByDirectory = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EFBIG'])

/** Without the cause: a full disk of the backup is not that of the data directory. */
function unwritable(directory: string, error: unknown): unknown {
	const { code = '', message } = error as NodeJS.ErrnoException
	if (code === 'ENOSPC' || code === 'EDQUOT')
		return new BackupRefused(
			`The disk that ${directory} is on is too full for the backup. What it wrote is removed: make room there, or name a directory on another disk.`,
		)
	if (!refusedByDirectory.has(code)) return error
	return new BackupRefused(
		`The backup cannot be written to ${directory} (${message}): name a directory in which the user that Signalbox runs as may write.`,
	)
}

/** Writes one file of a backup, compressed and flushed. `rows` is called after everything was read. */
export async function writeBackupFile(
	directory: string,
	file: Pick<BackupFile, 'path' | 'store' | 'name'>,
	content: AsyncIterable<Uint8Array>,
	rows: () => number | null,
): Promise<BackupFile> {
	const path = join(directory, file.path)
	// Quarantined records of the log are in a folder of their own.
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

/** The manifest is written last: without it a directory does not count as a backup. */
export async function writeManifest(directory: string, manifest: BackupManifest): Promise<void> {
	const path = join(directory, manifestName)
	await writeFile(`${path}.new`, renderManifest(manifest), { mode: 0o600, flush: true })
	await rename(`${path}.new`, path)
	const handle = await open(directory, 'r')
	await handle.sync()
	await handle.close()
}

/** The content of a file in a backup. Checks its size and hash, and throws at the end if they do not match. */
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
