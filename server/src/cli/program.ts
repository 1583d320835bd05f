import { Command } from 'commander'
import { addAdminCommands } from './admin-commands.ts'
import { addAuditCommands } from './audit-commands.ts'
import { addConfigCommands } from './config-commands.ts'
import { addKeyCommands } from './key-commands.ts'
import { addMigrateCommands } from './migrate-commands.ts'

/** The command line tool `signalbox`. */
export function createProgram(): Command {
	const program = new Command('signalbox')
		.description('Self-hosted platform for running AI agents')
		.option('--json', 'answer with one JSON document')
		.exitOverride()
		.addHelpText('after', '\nExit codes: 0 ok, 1 failed, 2 usage, 3 not allowed, 4 not found')
	program
		.command('start')
		.description('Start the program in the foreground')
		// Imported here: every other command does without the engine and the listeners.
		.action(async () => void (await import('../main.ts')))
	addConfigCommands(program)
	addAuditCommands(program)
	addAdminCommands(program)
	addKeyCommands(program)
	addMigrateCommands(program)
	for (const command of program.commands) overrideExit(command)
	return program
}

function overrideExit(command: Command): void {
	command.exitOverride()
	for (const inner of command.commands) overrideExit(inner)
}
