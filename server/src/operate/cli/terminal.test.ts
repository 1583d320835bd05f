import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { toTable } from './answer.ts'
import { toYaml } from './config-as-code/plan.ts'
import { printResult } from './outcome.ts'

/** Text that outsiders could put into names, descriptions and tool results, and its parts that must not reach a terminal. */
const hostile = {
	'a sequence that clears the screen': 'a\u001b[2J\u001b[Hb',
	'a title that some terminals type back': 'a\u001b]0;rm -rf ~\u0007b',
	'a link over another address': 'a\u001b]8;;https://evil.example\u001b\\b',
	'the clipboard': 'a\u001b]52;c;ZXZpbA==\u0007b',
	'a sequence in one character': 'a\u009b2Jb',
	'a line that is written over': 'safe\rb',
	'a step back': 'a\u0008\u0008b',
	'a bell and nothing': 'a\u0007\u0000b',
	'text that runs backwards': 'a\u202eb\u2066c',
	'tags that nobody sees': 'a\u{e0041}\u{e0042}b',
	'half a sequence': 'a\u001b',
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters.
const acting = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u

function written(json: boolean, value: unknown, lines: readonly string[]): string {
	const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
	try {
		printResult(json, value, lines)
		return write.mock.calls.map(([text]) => String(text)).join('')
	} finally {
		write.mockRestore()
	}
}

it.each(Object.entries(hostile))('%s does not reach the terminal', (_what, text) => {
	const shown = written(false, null, [text, ...toTable([['NAME'], [text], [`${text}\nforged line`]])])
	expect(shown).not.toMatch(acting)
	expect(shown.split('\n')).toHaveLength(5)
	const json = written(true, { name: text }, [])
	expect(json).not.toMatch(acting)
	expect(JSON.parse(json)).toEqual({ name: text })
})

it('an export that is redirected to a file keeps every character', () => {
	const names = [...Object.values(hostile), 'several\nlines \u200f of text\n', '\ufefftrue', 'true', 'plain']
	const content = { version: 1, agents: names.map((name) => ({ name })) } as const
	const shown = written(false, null, [toYaml(content).trimEnd()])
	expect(shown).not.toMatch(acting)
	expect(parse(shown)).toEqual(content)
})

it('everything else is shown unchanged', () => {
	const text = 'Ünïcode → 日本語 🙂 "quoted"\n\tindented'
	expect(written(false, null, [text])).toBe(`${text}\n`)
	expect(JSON.parse(written(true, text, []))).toBe(text)
})

it('no command writes to the terminal directly', () => {
	const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
	const writing = files
		.filter((name) => name.endsWith('.ts') && !/\.(test|testing)\.ts$/.test(name))
		.filter((name) =>
			/process\.std(out|err)\.write|console\./.test(readFileSync(join(import.meta.dirname, name), 'utf8')),
		)
	// These write only our own text.
	expect(writing.sort()).toEqual(['config-file-commands.ts', 'terminal.ts'])
})
