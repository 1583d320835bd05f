import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { globalOptions } from './answer.ts'
import { CommandFailure, exitCodes } from './outcome.ts'
import { plainLine } from './terminal.ts'

/** Goes on when the person says yes, or `--yes` said it; where nobody can be asked, `--yes` is needed. */
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
