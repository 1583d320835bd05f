import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { systemClock, toIso } from '../../platform/clock.ts'
import type { BackupSummary } from './backup-stores.ts'
import { isJson } from './config-commands.ts'
import { printResult } from './outcome.ts'

export function addBackupCommands(program: Command): void {
	const backup = program.command('backup').description('Backups of everything except the master key')
	backup
		.command('create [directory]')
		.description('Back up both stores and the log into a new directory, whether the program runs or not')
		.action(async (given: string | undefined, _options: object, command: Command) => {
			const { makeBackup } = await import('./backup-stores.ts')
			const directory = resolve(given ?? defaultName())
			const summary = await makeBackup(readConfig(), directory)
			printResult(isJson(command), { directory, ...summary }, [
				`The backup is in ${directory}: ${describe(summary)}.`,
				'The master key is not in it. Keep that elsewhere: without it no secret inside can be opened.',
			])
		})
	backup
		.command('verify <directory>')
		.description('Check every size, hash and count of a backup')
		.action(async (directory: string, _options: object, command: Command) => {
			const { summarise, verifyBackup } = await import('../backup/index.ts')
			const summary = summarise(await verifyBackup(resolve(directory)))
			printResult(isJson(command), { directory: resolve(directory), ...summary }, [
				`The backup is whole: ${describe(summary)}.`,
			])
		})
	backup
		.command('restore <directory>')
		.description('Restore a backup into a new data directory or new databases')
		.action(async (directory: string, _options: object, command: Command) => {
			const { restore } = await import('./backup-stores.ts')
			const config = readConfig()
			const summary = await restore(config, resolve(directory))
			printResult(isJson(command), { data_dir: config.dataDir, ...summary }, [
				`${config.dataDir} holds the backup: ${describe(summary)}. Start Signalbox on it.`,
			])
		})
}

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
	const size = `${(bytes / 1_000_000).toFixed(1)} MB in ${files} files`
	return `of ${created_at}, ${control_rows} rows of the control store, ${telemetry_rows + log_rows} of telemetry, ${size}`
}
