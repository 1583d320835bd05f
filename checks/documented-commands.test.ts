import { expect, it } from 'vitest'
import { createProgram } from '../server/src/operate/cli/program.ts'
import { readSource, repositoryFiles } from './src/source-files.ts'

type Program = Awaited<ReturnType<typeof createProgram>>

/** Placeholders. A command that contains one cannot be parsed. */
const unfinished = /…|\.\.\.|<[a-z][^>]*>(?!.*file)/

/** All `signalbox` commands in the code blocks and backticks of a page, without redirections and pipes. */
function commandsOf(path: string): string[] {
	const source = readSource(path)
	const blocks = [...source.matchAll(/^```(?!text)\w*[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, body = '']) =>
		body.split('\n'),
	)
	const inline = [...source.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`((?:npx )?signalbox [^`\n]+)`/g)]
	return [...blocks, ...inline.map(([, text = '']) => text)]
		.map((line) => line.trim().replace(/^\$ /, ''))
		.filter((line) => /^(npx )?signalbox (--|[a-z])/.test(line))
		.map((line) => line.replace(/^(npx )?signalbox /, '').replace(/\s+(#|<|>|\|\|?|&&)\s.*$/, ''))
		.filter((line) => !unfinished.test(line) && (line.match(/'/g) ?? []).length % 2 === 0)
}

/** Splits a command into words like a shell, without expanding variables. */
function wordsOf(line: string): string[] {
	return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/['"]/g, ''))
}

/** Parses a command without running it. Returns the error, or null. */
async function mistakeIn(words: readonly string[]): Promise<string | null> {
	const program = await createProgram(words)
	const tame = (command: Program) => {
		command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
		if (command.commands.length === 0) command.action(() => undefined)
		for (const inner of command.commands) tame(inner)
	}
	tame(program)
	try {
		await program.parseAsync([...words], { from: 'user' })
		return null
	} catch (error) {
		const { code, message } = error as { code?: string; message: string }
		// A command group without a subcommand shows its help.
		const isNamed = code === 'commander.help' || code === 'commander.helpDisplayed'
		// Prose may mention a command without its argument.
		return isNamed || (words.length === 2 && code === 'commander.missingArgument') ? null : message
	}
}

it('the command line accepts every command in the pages', async () => {
	const pages = repositoryFiles('.md').filter((path) =>
		/^(README\.md|docs\/(guides\/)?[^/]+\.md|sdk\/)/.test(path),
	)
	const wrong: string[] = []
	let count = 0
	for (const page of pages)
		for (const line of commandsOf(page)) {
			count += 1
			const mistake = await mistakeIn(wordsOf(line))
			if (mistake !== null) wrong.push(`${page}: signalbox ${line} – ${mistake}`)
		}
	expect(wrong).toEqual([])
	expect(count).toBeGreaterThan(50)
})
