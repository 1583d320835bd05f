import { expect, it } from 'vitest'
import { isSourceNumber, parseExactNumbers } from './parse-json.ts'

it('keeps every number in its original notation', () => {
	for (const text of [
		'1.0',
		'1e5',
		'-0',
		'9007199254740993',
		'1e400',
		'0.30',
		'-0.5',
		'12',
		'[1.50,{"a":2E3}]',
	])
		expect(JSON.stringify(parseExactNumbers(text))).toBe(text)
	expect(isSourceNumber(parseExactNumbers('1.0'))).toBe(true)
	expect(parseExactNumbers('{"a":1.5}')).toEqual({ a: 1.5 })
})
