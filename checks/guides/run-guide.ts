import { setTimeout } from 'node:timers/promises'
import type { GuideBlock } from './read-guide.ts'
import { openShell, type ShellOptions } from './shell.ts'

export interface GuideRun extends ShellOptions {
	/** Placeholders in the page for the reader's own values → the values in this test. */
	own: Readonly<Record<string, string>>
}

const soonMs = 60_000

/** Runs the blocks of a guide in one shell, as a reader pastes them. Throws at the first block whose output differs from the page. */
export async function runGuide(blocks: readonly GuideBlock[], run: GuideRun): Promise<void> {
	const shell = openShell(run)
	try {
		for (const block of blocks) await runBlock(block, run.own, shell.run)
	} finally {
		shell.end()
	}
}

async function runBlock(
	block: GuideBlock,
	own: GuideRun['own'],
	run: (commands: string) => Promise<string>,
): Promise<void> {
	const filled = fillIn(block.commands, own)
	// Commands that are repeated may fail until their result is available.
	const commands = block.soon ? `(set -e\n${filled}) || true` : filled
	const wanted = block.shown.map((line) => fillIn(line, own))
	const deadline = performance.now() + soonMs
	for (;;) {
		const output = await run(commands)
		const missing = firstMissing(wanted, output)
		if (missing === null) return
		if (!block.soon || performance.now() > deadline)
			throw new Error(`“${missing}” is not printed by\n${commands}\nbut\n${output}`)
		// Each command starts a program, whose processor time would delay the awaited result.
		await setTimeout(1000)
	}
}

function fillIn(text: string, own: GuideRun['own']): string {
	return Object.entries(own).reduce((filled, [word, value]) => filled.replaceAll(word, value), text)
}

/** Finds the first line that does not follow the previous ones in the output. */
function firstMissing(wanted: readonly string[], output: string): string | null {
	const lines = output.split('\n').map((line) => line.trimEnd())
	let from = 0
	for (const line of wanted) {
		const pattern = patternOf(line)
		const at = lines.findIndex((given, index) => index >= from && pattern.test(given))
		if (at < 0) return line
		from = at + 1
	}
	return null
}

function patternOf(line: string): RegExp {
	const parts = line.trimEnd().split('…')
	const escaped = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/ +/g, ' +'))
	return new RegExp(`^${escaped.join('.*')}$`)
}
