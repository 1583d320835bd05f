import { type FrozenTable, freezeTable } from '../../platform/clickhouse/frozen-table.ts'
import { telemetryVersion } from '../../platform/clickhouse/migrate.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type ControlSnapshot, openControlSnapshot } from '../../platform/database/control-copy.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { type LogSnapshot, type Recorder, telemetryTables } from '../../telemetry/index.ts'
import {
	abandonBackup,
	type BackupFile,
	type BackupManifest,
	backupFormat,
	makeBackupDirectory,
	writeBackupFile,
	writeManifest,
} from './manifest.ts'

export { summarise } from './restore-backup.ts'

export interface BackupSource {
	control: ControlStore
	telemetry: TelemetryStore
	recorder: Recorder
	/** The ring of the running program: a rotation of the master key may begin or end before the copy. */
	keys: Pick<Keyring, 'keyIds'>
	version: string
	clock: Clock
}

interface Frozen {
	control: ControlSnapshot
	/** The keys that open the secrets in the snapshot. */
	keyIds: readonly string[]
	tables: FrozenTable[]
}

/**
 * Copies both stores and the log into a new directory while everything runs. The copy contains everything acknowledged before the
 * call, each row once. Shipping from the log to the store pauses while the log's own files are copied.
 */
export async function createBackup(source: BackupSource, directory: string): Promise<BackupManifest> {
	makeBackupDirectory(directory)
	const nowMs = source.clock.nowMs()
	const open: (() => Promise<unknown>)[] = []
	try {
		const { frozen, logFiles, pendingRows } = await source.recorder.snapshot(async (log) => {
			const frozen = await freeze(source, nowMs, open)
			return { frozen, logFiles: await copyLog(directory, log), pendingRows: log.pendingRows }
		})
		const files = [
			...logFiles,
			...(await copyControl(directory, frozen.control)),
			...(await copyTelemetry(directory, frozen.tables)),
		]
		const manifest: BackupManifest = {
			format: backupFormat,
			created_at: toIso(nowMs),
			program_version: source.version,
			master_key_ids: [...frozen.keyIds],
			control_store: { migrations: frozen.control.migrations },
			telemetry_store: {
				version: await telemetryVersion(source.telemetry),
				columns: Object.fromEntries(frozen.tables.map(({ table, columns }) => [table, columns])),
			},
			log: { pending_rows: pendingRows },
			files,
		}
		await writeManifest(directory, manifest)
		return manifest
	} catch (error) {
		throw abandonBackup(directory, error)
	} finally {
		for (const close of open) await close().catch(() => undefined)
	}
}

/** A consistent snapshot of both stores, because the log is not being shipped meanwhile. `open` collects cleanup functions. */
async function freeze(
	{ control, telemetry, keys }: BackupSource,
	nowMs: number,
	open: (() => Promise<unknown>)[],
): Promise<Frozen> {
	const snapshot = await openControlSnapshot(control)
	open.push(snapshot.close)
	const { keyIds } = keys
	const tables: FrozenTable[] = []
	for (const table of telemetryTables) {
		const frozen = await freezeTable(telemetry, table, nowMs)
		open.push(frozen.drop)
		tables.push(frozen)
	}
	return { control: snapshot, keyIds, tables }
}

async function copyLog(directory: string, log: LogSnapshot): Promise<BackupFile[]> {
	const files: BackupFile[] = []
	for (const { path, read } of log.files) {
		const file = { path: `log/${path}.zst`, store: 'log' as const, name: path }
		files.push(await writeBackupFile(directory, file, read(), () => null))
	}
	return files
}

async function copyControl(directory: string, snapshot: ControlSnapshot): Promise<BackupFile[]> {
	const files: BackupFile[] = []
	for (const table of snapshot.tables) {
		let rows = 0
		const lines = async function* () {
			for await (const batch of snapshot.rows(table)) {
				rows += batch.length
				yield Buffer.from(batch.map((row) => `${JSON.stringify(row)}\n`).join(''))
			}
		}
		const file = { path: `control/${table}.jsonl.zst`, store: 'control' as const, name: table }
		files.push(await writeBackupFile(directory, file, lines(), () => rows))
	}
	return files
}

async function copyTelemetry(directory: string, tables: readonly FrozenTable[]): Promise<BackupFile[]> {
	const files: BackupFile[] = []
	for (const { table, chunks } of tables)
		for await (const { rows, read } of chunks()) {
			const number = String(files.length + 1).padStart(6, '0')
			const file = {
				path: `telemetry/${table}-${number}.rowbinary.zst`,
				store: 'telemetry' as const,
				name: table,
			}
			files.push(await writeBackupFile(directory, file, read(), () => rows))
		}
	return files
}
