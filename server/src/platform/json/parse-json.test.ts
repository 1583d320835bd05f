import { expect, it } from 'vitest'
import { isSourceNumber, numberOf, parseExactNumbers, withPlainNumbers } from './parse-json.ts'

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
		'0.0000001',
		'123456789012345678',
		'0.1234567890123456789',
	])
		expect(JSON.stringify(parseExactNumbers(text))).toBe(text)
	expect(isSourceNumber(parseExactNumbers('1.0'))).toBe(true)
	expect(parseExactNumbers('{"a":1.5}')).toEqual({ a: 1.5 })
})

it('reads such a number as the number that it is', () => {
	expect(
		['6.0', '60e-1', '6', '-0', '1e400', '"6"', 'null', '{}'].map(parseExactNumbers).map(numberOf),
	).toEqual([...[6, 6, 6, -0, Number.POSITIVE_INFINITY], ...[null, null, null]])
	const values = parseExactNumbers('{"a":[6.0,{"b":1e1}],"c":"1.0"}')
	expect(withPlainNumbers(values)).toEqual({ a: [6, { b: 10 }], c: '1.0' })
	const plain = parseExactNumbers('{"a":[6]}')
	expect(withPlainNumbers(plain)).toBe(plain)
})
