import { createWriteStream, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { migrateTelemetryStore } from '../../platform/clickhouse/migrate.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import {
	type ControlRow,
	loadControlStore,
	requireEmptyControlStore,
	requireKnownMigrations,
} from '../../platform/database/control-copy.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { telemetryMigrations, telemetryTables } from '../../telemetry/index.ts'
import {
	type BackupFile,
	type BackupManifest,
	BackupRefused,
	readBackupFile,
	readManifest,
} from './manifest.ts'

export interface RestoreTarget {
	/** Absolute path; the log is restored to `wal/` in it. */
	dataDir: string
	/** Ids of the keys with which the instance will be started. */
	masterKeyIds: readonly string[]
	/** Whether the telemetry store is in the directory. The control store is filled in one transaction, wherever it is. */
	hasTelemetry: boolean
	/** Called only after the backup was verified and the directory found empty. */
	openStores(): Promise<{ control: ControlStore; telemetry: TelemetryStore; close(): Promise<void> }>
}

const marker = 'restore.incomplete'

/** Refuses a data directory in which a restore was interrupted. */
export function refuseHalfRestored(dataDir: string): void {
	if (existsSync(join(dataDir, marker)))
		throw new Error(
			`A restore into ${dataDir} was cut off. Restore again; if CLICKHOUSE_URL is set, first empty its database and the directory (keep master.key).`,
		)
}

/** Verifies a backup and fills an empty instance from it. Throws BackupRefused with one sentence. */
export async function restoreBackup(target: RestoreTarget, directory: string): Promise<BackupManifest> {
	const manifest = await verifyBackup(directory)
	refuseUnusable(manifest, target)
	// The directory was empty when the marker was written, so the rest is of the restore that was killed.
	if (!target.hasTelemetry) refuseHalfRestored(target.dataDir)
	else if (existsSync(join(target.dataDir, marker))) emptyDirectory(target.dataDir)
	requireEmptyDirectory(target.dataDir)
	const stores = await openEmptyStores(target, manifest)
	try {
		await restoreTelemetry(stores.telemetry, directory, manifest)
		await restoreLog(target.dataDir, directory, manifest)
		await loadControlStore(stores.control, controlCopy(directory, manifest))
	} catch (error) {
		await stores.close().catch(() => {})
		// What is in a ClickHouse server stays there, and so does the marker.
		if (target.hasTelemetry) emptyDirectory(target.dataDir)
		throw error
	}
	rmSync(join(target.dataDir, marker))
	await stores.close()
	return manifest
}

async function openEmptyStores(target: RestoreTarget, { created_at }: BackupManifest) {
	let stores: Awaited<ReturnType<RestoreTarget['openStores']>> | null = null
	try {
		// Before the stores are opened: a start on what a killed restore left of them would begin a new instance.
		writeFileSync(join(target.dataDir, marker), `${created_at}\n`, { mode: 0o600, flush: true })
		stores = await target.openStores()
		await requireEmptyControlStore(stores.control)
		await requireEmptyTelemetry(stores.telemetry)
		return stores
	} catch (error) {
		await stores?.close()
		emptyDirectory(target.dataDir)
		throw error
	}
}

/** Removes the stores that were opened in a directory that was empty, so that the restore can be repeated. The marker goes last. */
function emptyDirectory(dataDir: string): void {
	const made = readdirSync(dataDir).filter((name) => !mayStay.test(name) && name !== marker)
	for (const name of [...made, marker]) rmSync(join(dataDir, name), { recursive: true, force: true })
}

function refuseUnusable(manifest: BackupManifest, { masterKeyIds }: RestoreTarget): void {
	requireKnownMigrations(manifest.control_store.migrations)
	const { version } = manifest.telemetry_store
	if (version > telemetryMigrations.length)
		throw new BackupRefused(
			`The backup was written by a newer Signalbox (telemetry schema ${version}): restore it with that version.`,
		)
	const missing = manifest.master_key_ids.filter((id) => !masterKeyIds.includes(id))
	const other = masterKeyIds.length > 0 ? `, and the one found here is ${masterKeyIds.join(' and ')}` : ''
	if (missing.length === 0) return
	const [newer, older] = manifest.master_key_ids
	const remedy = older
		? `it was made while the master key was being replaced. Put ${newer} into master.key of the data directory and ${older} into master.key.previous (0600), or give SIGNALBOX_MASTER_KEY and SIGNALBOX_MASTER_KEY_PREVIOUS.`
		: 'put it into master.key of the data directory (0600), or give SIGNALBOX_MASTER_KEY.'
	throw new BackupRefused(
		`The backup needs the master key ${missing.join(' and ')}, which is not in it${other}: ${remedy}`,
	)
}

const mayStay = /^(master\.key(\.previous)?|engine\.(lock(-journal)?|json|sock))$/

function requireEmptyDirectory(dataDir: string): void {
	const found = readdirSync(dataDir).find((name) => !mayStay.test(name))
	if (found) throw new BackupRefused(`${dataDir} is not empty (${found}): restore into a new data directory.`)
}

async function requireEmptyTelemetry(store: TelemetryStore): Promise<void> {
	const [found] = await store.query<{ name: string }>(
		'SELECT name FROM system.tables WHERE database = currentDatabase() LIMIT 1',
	)
	if (found)
		throw new BackupRefused(`The telemetry store is not empty (${found.name}): restore into a new database.`)
}

async function restoreTelemetry(
	store: TelemetryStore,
	directory: string,
	{ telemetry_store, files }: BackupManifest,
): Promise<void> {
	await migrateTelemetryStore(store, telemetryMigrations.slice(0, telemetry_store.version))
	// Backups of older versions have fewer tables.
	const known = telemetryTables.filter((table) => Object.hasOwn(telemetry_store.columns, table))
	const expected = new Map<string, number>(known.map((table) => [table, 0]))
	for (const file of files.filter(({ store }) => store === 'telemetry')) {
		const rows = await buffer(readBackupFile(directory, file))
		const columns = telemetry_store.columns[file.name]
		if (!columns || !expected.has(file.name))
			throw new BackupRefused(`${file.path} belongs to an unknown table.`)
		await store.insertRowBinary({
			table: file.name,
			columns,
			rows,
			deduplicationToken: `${file.path}:${file.sha256}`,
		})
		expected.set(file.name, (expected.get(file.name) ?? 0) + (file.rows ?? 0))
	}
	for (const [table, rows] of expected) {
		const [counted] = await store.query<{ n: string }>(`SELECT count() AS n FROM ${table}`)
		if (Number(counted?.n) !== rows)
			throw new BackupRefused(`${table} has ${counted?.n} rows after the restore, the backup has ${rows}.`)
	}
}

async function restoreLog(dataDir: string, directory: string, { files }: BackupManifest): Promise<void> {
	for (const file of files.filter(({ store }) => store === 'log')) {
		const path = join(dataDir, 'wal', file.name)
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
		const content = Readable.from(readBackupFile(directory, file), { objectMode: false })
		await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
	}
}

function controlCopy(directory: string, { control_store, files }: BackupManifest) {
	const tables = files.filter(({ store }) => store === 'control')
	return {
		migrations: control_store.migrations,
		tables: tables.map(({ name }) => name),
		rows: (table: string) => rowsOf(directory, tables.find(({ name }) => name === table) as BackupFile),
	}
}

/** Splits lines only at line feeds: the text may contain any other line separator. */
async function* rowsOf(directory: string, file: BackupFile): AsyncIterable<ControlRow[]> {
	let rest = Buffer.alloc(0)
	for await (const chunk of readBackupFile(directory, file)) {
		const source = Buffer.concat([rest, chunk])
		const end = source.lastIndexOf(10) + 1
		rest = source.subarray(end)
		const lines = source.toString('utf8', 0, end).split('\n').slice(0, -1)
		if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as ControlRow)
	}
}

/**
 * Reads a whole backup and checks every size, every hash, and the rows of the control store. Throws BackupRefused at the first
 * error.
 */
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

/** The totals of a backup, for people. */
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
