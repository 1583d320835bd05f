import { setTimeout } from 'node:timers/promises'
import type { GuideBlock } from './read-guide.ts'
import { openShell, type ShellOptions } from './shell.ts'

export interface GuideRun extends ShellOptions {
	/** What stands in the page for something of the reader's own, and what it is here. */
	own: Readonly<Record<string, string>>
}

const soonMs = 60_000

/** Runs the blocks of a guide in one shell, as a reader would paste them; throws at the first that does not do what the page says. */
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
	// What comes soon is asked for again, and an answer of “not there” on the way ends nothing.
	const commands = block.soon ? `(set -e\n${filled}) || true` : filled
	const wanted = block.shown.map((line) => fillIn(line, own))
	const deadline = performance.now() + soonMs
	for (;;) {
		const output = await run(commands)
		const missing = firstMissing(wanted, output)
		if (missing === null) return
		if (!block.soon || performance.now() > deadline)
			throw new Error(`“${missing}” is not printed by\n${commands}\nbut\n${output}`)
		// Each command is a start of its program, which would keep a core from what is waited for.
		await setTimeout(1000)
	}
}

function fillIn(text: string, own: GuideRun['own']): string {
	return Object.entries(own).reduce((filled, [word, value]) => filled.replaceAll(word, value), text)
}

/** The first line that does not stand in the output after those before it. */
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
