import { readBackupFile } from './backup-files.ts'
import { type BackupFile, type BackupManifest, BackupRefused, readManifest } from './manifest.ts'

/** Reads a whole backup: every size, every hash, and the rows of the control store. Throws BackupRefused at the first fault. */
export async function verifyBackup(directory: string): Promise<BackupManifest> {
	const manifest = readManifest(directory)
	for (const file of manifest.files) await verifyFile(directory, file)
	return manifest
}

async function verifyFile(directory: string, file: BackupFile): Promise<void> {
	let lines = 0
	for await (const chunk of readBackupFile(directory, file))
		if (file.store === 'control') for (const byte of chunk) if (byte === 10) lines += 1
	if (file.store === 'control' && lines !== file.rows)
		throw new BackupRefused(`${file.path} has ${lines} rows, the manifest says ${file.rows}.`)
}

/** The sums of a backup, for people. */
export function summarise({ files, log, ...manifest }: BackupManifest) {
	const sum = (store: BackupFile['store'], of: (file: BackupFile) => number) =>
		files.filter((file) => file.store === store).reduce((total, file) => total + of(file), 0)
	return {
		created_at: manifest.created_at,
		program_version: manifest.program_version,
		master_key_ids: manifest.master_key_ids,
		control_rows: sum('control', ({ rows }) => rows ?? 0),
		telemetry_rows: sum('telemetry', ({ rows }) => rows ?? 0),
		log_rows: log.pending_rows,
		files: files.length,
		bytes: files.reduce((total, { bytes }) => total + bytes, 0),
	}
}
