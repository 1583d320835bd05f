import { expect, test } from 'vitest'
import { parseLines } from './parse-lines.ts'

test.each([
	['', []],
	[' 192.0.2.7 \n\n2001:db8::/32', ['192.0.2.7', '2001:db8::/32']],
	['10.0.0.0/8, 192.168.0.0/16', ['10.0.0.0/8', '192.168.0.0/16']],
])('%j has the lines %j', (text, lines) => {
	expect(parseLines(text)).toEqual(lines)
})
