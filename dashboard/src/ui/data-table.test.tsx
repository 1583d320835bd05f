import { expect, test } from 'vitest'
import { toCsv } from './data-table.tsx'

test.each([
	['=1+1', "'=1+1"],
	[' =1+1', "' =1+1"],
	['|cmd', "'|cmd"],
	['%0A', "'%0A"],
	['\n', '"\'\n"'],
	['a = b', 'a = b'],
])('%j is exported as text that no spreadsheet evaluates', (value, cell) => {
	const column = { key: 'a', label: 'A', value: () => value, show: () => value }
	expect(toCsv([column], [{}])).toBe(`A\r\n${cell}\r\n`)
})
