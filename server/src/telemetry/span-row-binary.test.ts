import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AttributeValue, newSpanRow } from './span-row.ts'
import { decodeSpanRows, encodeSpanRow } from './span-row-binary.ts'
import { spanRows } from './span-rows.testing.ts'

const base = {
	workspaceId: 'w',
	traceId: 'a'.repeat(32),
	spanId: 'b'.repeat(16),
	name: 'n',
	source: 'otlp',
	kind: 'other',
	startNs: 1n,
} as const

test('what is written is read back, whatever the values', () => {
	fc.assert(
		fc.property(fc.array(spanRows, { maxLength: 4 }), (rows) => {
			expect(decodeSpanRows(Buffer.concat(rows.map(encodeSpanRow)))).toEqual(rows)
		}),
		{ numRuns: 100 },
	)
})

test('lone surrogates become U+FFFD, in short and in long texts', () => {
	const broken = newSpanRow({ ...base, name: 'a\ud800', statusMessage: `${'x'.repeat(100)}\udfff` })
	const [read] = decodeSpanRows(encodeSpanRow(broken))
	expect(read).toMatchObject({ name: 'a\ufffd', statusMessage: `${'x'.repeat(100)}\ufffd` })
})

test('numbers keep their type: 5 as integer and 5 as double differ, as do 0 and -0', () => {
	const given: [string, AttributeValue][] = [
		['i', 5n],
		['d', 5],
		['t', '5'],
		['z', -0],
		['n', Number.NaN],
		['m', -Infinity],
		['big', 2n ** 63n - 1n],
	]
	const [read] = decodeSpanRows(encodeSpanRow(newSpanRow({ ...base, attributes: new Map(given) })))
	expect([...(read?.attributes ?? [])]).toEqual(given)
})

test('an id that is not hex throws, and does not write a corrupt row', () => {
	expect(() => encodeSpanRow(newSpanRow({ ...base, traceId: 'zz' }))).toThrow(TypeError)
})
