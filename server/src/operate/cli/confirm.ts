import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { globalOptions } from './answer.ts'
import { CommandFailure, exitCodes } from './outcome.ts'
import { plainLine } from './terminal.ts'

/** Asks for confirmation unless `--yes` was given; without a terminal `--yes` is required. */
export async function requireYes(command: Command, question: string): Promise<void> {
	if (globalOptions(command).yes) return
	if (!process.stdin.isTTY || !process.stderr.isTTY)
		throw new CommandFailure(
			exitCodes.usage,
			`${question} Nobody can be asked here; repeat the command with --yes.`,
		)
	const terminal = createInterface({ input: process.stdin, output: process.stderr })
	const reply = await terminal.question(`${plainLine(question)} [y/N] `)
	terminal.close()
	if (!/^y(es)?$/i.test(reply.trim())) throw new CommandFailure(exitCodes.failed, 'Nothing was changed.')
}
