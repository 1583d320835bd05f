import { expect, test } from 'vitest'
import { aliasLines, parseAliases } from './parse-aliases.ts'

test('aliases are lines of tool = alias, and come back as they were written', () => {
	const aliases = { run: 'go', 'search.all': 'find_all' }
	expect(parseAliases('run = go\n\n search.all=find_all ')).toEqual(aliases)
	expect(parseAliases(aliasLines(aliases))).toEqual(aliases)
	expect(parseAliases('')).toEqual({})
})

test('a line that names no tool or no alias is reported', () => {
	for (const text of ['run', 'run =', '= go', 'run = two words']) expect(parseAliases(text), text).toBeNull()
})
