import { expect, test } from 'vitest'
import { aliasLines, parseAliases } from './parse-aliases.ts'

test('aliases are lines of tool = alias, and are shown as they were written', () => {
	const aliases = { run: 'go', 'search.all': 'find_all' }
	expect(parseAliases('run = go\n\n search.all=find_all ')).toEqual(aliases)
	expect(parseAliases(aliasLines(aliases))).toEqual(aliases)
	expect(parseAliases('')).toEqual({})
})

test('a line without a tool or an alias is reported', () => {
	for (const text of ['run', 'run =', '= go', 'run = two words']) expect(parseAliases(text), text).toBeNull()
})
