import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'

export const backupFormat = 1
export const manifestName = 'manifest.json'

const Count = Type.Integer({ minimum: 0 })
/** Restoring writes files of these names: none leads out of its directory. */
const plainPath = '(quarantine/)?[\\w-][\\w.-]*'
const BackupFile = Type.Object({
	/** Inside the backup; zstd. */
	path: Type.String({ pattern: `^(control|telemetry|log)/${plainPath}\\.zst$` }),
	store: Type.Union([Type.Literal('control'), Type.Literal('telemetry'), Type.Literal('log')]),
	/** The table, or the path inside the log's directory. */
	name: Type.String({ pattern: `^${plainPath}$` }),
	/** Null for files of the log. */
	rows: Type.Union([Count, Type.Null()]),
	bytes: Count,
	/** Of the file as it lies there. */
	sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})
const Manifest = Type.Object({
	format: Type.Literal(backupFormat),
	/** Everything acknowledged before is inside. */
	created_at: Type.String(),
	program_version: Type.String(),
	/** The master keys that open the secrets inside; the keys themselves are not in a backup. */
	master_key_ids: Type.Array(Type.String()),
	control_store: Type.Object({ migrations: Type.Array(Type.String()) }),
	telemetry_store: Type.Object({
		version: Count,
		/** Columns by table, in the order of the rows. */
		columns: Type.Record(Type.String(), Type.Array(Type.String())),
	}),
	/** Rows of the log that the telemetry store did not have yet. */
	log: Type.Object({ pending_rows: Count }),
	files: Type.Array(BackupFile),
})

export type BackupFile = Static<typeof BackupFile>
export type BackupManifest = Static<typeof Manifest>

/** What is wrong with a backup, in one sentence. */
export class BackupRefused extends Error {
	override name = 'BackupRefused'
}

/** The text of a manifest, with a checksum over itself. */
export function renderManifest(manifest: BackupManifest): string {
	return `${JSON.stringify({ ...manifest, digest: digestOf(manifest) }, null, '\t')}\n`
}

/** Reads and checks the manifest of a backup; the files are not looked at. */
export function readManifest(directory: string): BackupManifest {
	const { digest, ...manifest } = parse(directory)
	if (Number(manifest.format) > backupFormat)
		throw new BackupRefused(
			`The backup has format ${manifest.format}, this program knows ${backupFormat}: restore it with the newer Signalbox that made it.`,
		)
	if (digest !== digestOf(manifest) || !isManifest(manifest))
		throw new BackupRefused(`${manifestName} is damaged: its checksum does not fit.`)
	return manifest
}

function isManifest(value: unknown): value is BackupManifest {
	// 300 modules, which a program that only runs does not need.
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
