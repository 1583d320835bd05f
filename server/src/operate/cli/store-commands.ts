import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { systemClock, toIso } from '../../platform/clock.ts'
import { isJson } from './config-commands.ts'
import type { BackupSummary, MigrationStatus } from './offline-stores.ts'
import { printResult } from './outcome.ts'
import { counted } from './terminal.ts'

export function addBackupCommands(program: Command): void {
	const backup = program.command('backup').description('Backups of everything except the master key')
	backup
		.command('create')
		.argument('[directory]', 'a new directory; absent: one in the current directory, named after the time')
		.description('Back up both stores and the log into a new directory, whether the program runs or not')
		.action(async (given: string | undefined, _options: object, command: Command) => {
			const { makeBackup } = await import('./offline-stores.ts')
			const directory = resolve(given ?? defaultName())
			const summary = await makeBackup(readConfig(), directory)
			printResult(isJson(command), { directory, ...summary }, [
				`The backup is in ${directory}: ${describe(summary)}.`,
				'The master key is not in it. Keep that elsewhere: without it no secret inside can be opened.',
				...(summary.master_key_ids.length > 1 ? [needsBothKeys] : []),
			])
		})
	backup
		.command('verify <directory>')
		.description('Check every size, hash and count of a backup')
		.action(async (directory: string, _options: object, command: Command) => {
			const { summarise, verifyBackup } = await import('../backup/restore-backup.ts')
			const summary = summarise(await verifyBackup(resolve(directory)))
			printResult(isJson(command), { directory: resolve(directory), ...summary }, [
				`The backup is whole: ${describe(summary)}.`,
			])
		})
	backup
		.command('restore <directory>')
		.description('Restore a backup into a new data directory or new databases')
		.action(async (directory: string, _options: object, command: Command) => {
			const { restore } = await import('./offline-stores.ts')
			const config = readConfig()
			const summary = await restore(config, resolve(directory))
			printResult(isJson(command), { data_dir: config.dataDir, ...summary }, [
				`${config.dataDir} holds the backup: ${describe(summary)}. Start Signalbox on it.`,
			])
		})
}

const needsBothKeys =
	'The key is being replaced, so the backup needs both: keep master.key.previous too, which is deleted in the end, or make another backup then.'

function defaultName(): string {
	return `signalbox-backup-${toIso(systemClock.nowMs()).replace(/[-:]|\.\d+/g, '')}`
}

function describe({
	created_at,
	control_rows,
	telemetry_rows,
	log_rows,
	bytes,
	files,
}: BackupSummary): string {
	const size = `${sizeOf(bytes)} in ${counted(files, 'file')}`
	return `of ${created_at}, ${counted(control_rows, 'row')} of the control store, ${telemetry_rows + log_rows} of telemetry, ${size}`
}

/** A backup of a new instance has less than a tenth of a megabyte. */
export function sizeOf(bytes: number): string {
	return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

export function addMigrateCommands(program: Command): void {
	const migrate = program
		.command('migrate')
		.description('Schemas of the stores; a start migrates them automatically')
	migrate
		.command('status')
		.description('Show the applied and pending migrations of both stores; changes nothing')
		.action(async (_options: object, command: Command) => {
			const { readMigrationStatus } = await import('./offline-stores.ts')
			const status = await readMigrationStatus(readConfig())
			printResult(isJson(command), status, toLines(status))
		})
	migrate
		.command('up')
		.description('Migrate both stores to the newest schema, without starting the program')
		.action(async (_options: object, command: Command) => {
			const { migrateStores, readMigrationStatus } = await import('./offline-stores.ts')
			const config = readConfig()
			const applied = await migrateStores(config)
			printResult(isJson(command), { applied, ...(await readMigrationStatus(config)) }, [
				applied.length === 0
					? 'The stores have the newest schema already.'
					: `Applied: ${applied.join(', ')}.`,
			])
		})
}

function toLines({ control_store, telemetry_store }: MigrationStatus): string[] {
	const { version, newest } = telemetry_store
	return [
		...control_store.applied.map((name) => `  applied  ${name}`),
		...control_store.pending.map((name) => `  pending  ${name}`),
		...control_store.unknown.map((name) => `  unknown  ${name} (of a newer Signalbox)`),
		`telemetry: ${version === null ? 'in use by the running program, which migrated it at its start' : `version ${version} of ${newest}`}`,
	]
}

export function addTelemetryCommands(program: Command): void {
	program
		.command('telemetry')
		.description('Telemetry schema for a ClickHouse cluster')
		.command('ddl')
		.description('Print the statements that create the tables on every node of a cluster; changes nothing')
		.requiredOption('--cluster <name>', 'name of the cluster in the servers’ configuration')
		.action(async ({ cluster }: { cluster: string }, command: Command) => {
			const { clusterDdl } = await import('./offline-stores.ts')
			const statements = await clusterDdl(cluster, readConfig().RETENTION_DAYS)
			printResult(
				isJson(command),
				{ statements },
				statements.map((statement) => `${statement};\n`),
			)
		})
}
