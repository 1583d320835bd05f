import type { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { isJson } from './config-commands.ts'
import type { MigrationStatus } from './migrate-stores.ts'
import { printResult } from './outcome.ts'

export function addMigrateCommands(program: Command): void {
	const migrate = program
		.command('migrate')
		.description('Schemas of the stores; a start migrates them automatically')
	migrate
		.command('status')
		.description('Show the applied and pending migrations of both stores; changes nothing')
		.action(async (_options: object, command: Command) => {
			const { readMigrationStatus } = await import('./migrate-stores.ts')
			const status = await readMigrationStatus(readConfig())
			printResult(isJson(command), status, toLines(status))
		})
	migrate
		.command('up')
		.description('Migrate both stores to the newest schema, without starting the program')
		.action(async (_options: object, command: Command) => {
			const { migrateStores, readMigrationStatus } = await import('./migrate-stores.ts')
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
