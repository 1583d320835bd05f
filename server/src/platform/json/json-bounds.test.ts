import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkJsonBounds } from './json-bounds.ts'
import { JsonScan, requestLimits } from './json-scan.ts'

const plenty = { depth: 1000, values: 1_000_000, containers: 1_000_000 }
const check = (text: string, limits = plenty) => checkJsonBounds(Buffer.from(text), limits)

function depthOf(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 0
	return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

test('objects, arrays and depth are counted as the strict scan counts them, and values are never counted too low', () => {
	fc.assert(
		fc.property(fc.json({ maxDepth: 6 }), fc.nat({ max: 2 }), (text, indent) => {
			// The strict scan refuses this key.
			fc.pre(!text.includes('__proto__'))
			const value = JSON.parse(text)
			const written = JSON.stringify(value, null, indent)
			const { containers, values } = JsonScan.read(Buffer.from(written), { limits: plenty })
			const depth = depthOf(value)
			expect(() => check(written, { ...plenty, depth, containers })).not.toThrow()
			if (containers > 0) {
				expect(() => check(written, { ...plenty, containers: containers - 1 })).toThrow('objects and arrays')
				expect(() => check(written, { ...plenty, depth: depth - 1 })).toThrow(
					`deeper than ${depth - 1} levels`,
				)
			}
			expect(() => check(written, { ...plenty, values: values - 1 })).toThrow()
		}),
	)
})

test('a number that a float may not represent is found anywhere but in texts', () => {
	for (const text of [
		'{"a":1234567890123456}',
		'[ -1234567890123456]',
		'1234567890123456',
		'[1,0.1234567890123456]',
	])
		expect(check(text), text).toEqual({ hasLongNumber: true })
	for (const text of [
		'{"a":123456789012345}',
		'["1234567890123456"]',
		'{"1234567890123456":1}',
		'["\\"", 5]',
		'["\\\\"]',
	])
		expect(check(text), text).toEqual({ hasLongNumber: false })
})

test('what is not JSON is bounded, too', () => {
	expect(() => check('['.repeat(100_000), requestLimits)).toThrow('Nesting is deeper than 64 levels.')
	expect(() => check('{},'.repeat(200_000), requestLimits)).toThrow('more than 100000 objects and arrays')
	expect(() => check(`[${'1,'.repeat(600_000)}`, requestLimits)).toThrow('more than 500000 values')
	for (const text of ['', '"', '"\\', ']]]]', '}', '\u0000'])
		expect(() => check(text, requestLimits)).not.toThrow()
})
