import type { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { isJson } from './config-commands.ts'
import { printResult } from './outcome.ts'

export function addTelemetryCommands(program: Command): void {
	program
		.command('telemetry')
		.description('Telemetry schema for a ClickHouse cluster')
		.command('ddl')
		.description('Print the statements that create the tables on every node of a cluster; changes nothing')
		.requiredOption('--cluster <name>', 'name of the cluster in the servers’ configuration')
		.action(async ({ cluster }: { cluster: string }, command: Command) => {
			const { clusterDdl } = await import('./cluster-ddl.ts')
			const statements = await clusterDdl(cluster, readConfig().RETENTION_DAYS)
			printResult(
				isJson(command),
				{ statements },
				statements.map((statement) => `${statement};\n`),
			)
		})
}
