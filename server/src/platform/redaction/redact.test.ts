import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import vectors from '../../../../contract/redaction-vectors.json' with { type: 'json' }
import { detectors } from './detectors.ts'
import { findEmail } from './find-email.ts'
import { redact } from './redact.ts'

describe('redaction', () => {
	it.each(vectors.redacted)('$detector: $text', ({ detector, text, result }) => {
		const redacted = redact(text)
		expect(redacted.text).toBe(result)
		expect([...redacted.found.keys()]).toContain(detector)
	})

	it.each(vectors.kept)('leaves as it is: %s', (text) => {
		expect(redact(text)).toEqual({ text, found: new Map() })
	})

	it('has a vector for every detector', () => {
		const named = new Set(vectors.redacted.map(({ detector }) => detector))
		expect(detectors.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([])
	})

	it('finds nothing in what it has redacted', () => {
		const text = vectors.redacted.map((vector) => vector.text).join('\n')
		const once = redact(text).text
		expect(redact(once).text).toBe(once)
	})

	it('finds each of many, wherever they stand', () => {
		const secret = fc.constantFrom(...vectors.redacted.filter(({ detector }) => detector !== 'secret'))
		const filler = fc.stringMatching(/^[a-z ]{0,40}$/)
		fc.assert(
			fc.property(fc.array(fc.tuple(filler, secret), { minLength: 1, maxLength: 8 }), (parts) => {
				const text = parts.map(([words, vector]) => `${words} ${vector.text} `).join('\n')
				const { found } = redact(text)
				for (const [, { detector }] of parts) expect(found.has(detector)).toBe(true)
			}),
		)
	})

	// The pattern that the search around each at sign stands for.
	it('finds the addresses of e-mail that their pattern finds', () => {
		const pattern =
			/(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])/g
		fc.assert(
			fc.property(anyText, (text) => {
				const expected = [...text.matchAll(pattern)].map(({ index, 0: { length } }) => [
					index,
					index + length,
				])
				const found: number[][] = []
				for (let next = findEmail(text, 0); next; next = findEmail(text, next.end))
					found.push([next.start, next.end])
				expect(found).toEqual(expected)
			}),
			{ numRuns: 3000 },
		)
	})

	it('looks through every text that holds something', () => {
		fc.assert(
			fc.property(anyText, (text) => {
				for (const { mayHold, find } of detectors) if (!mayHold(text)) expect(find(text, 0)).toBeNull()
			}),
			{ numRuns: 2000 },
		)
	})

	// A pattern that backtracks would take minutes for these.
	it.each([
		['digits', '1 '.repeat(500_000)],
		['words before an at sign', `${'a'.repeat(1_000_000)}@`],
		['dots', `a@${'b.'.repeat(500_000)}`],
		['keys without an end', 'sk-'.repeat(300_000)],
		['a key that never ends', `-----BEGIN PRIVATE KEY-----${'A'.repeat(1_000_000)}`],
		['names of secrets', 'password='.repeat(100_000)],
		['plus signs', '+1 '.repeat(300_000)],
		['country codes', 'DE12 '.repeat(200_000)],
		['tokens', 'eyJaaaaaaaa.'.repeat(80_000)],
	])('takes time in proportion to the text: %s', (_name, text) => {
		const quarter = timeOf(text.slice(0, text.length / 4))
		expect(timeOf(text)).toBeLessThan(200 + quarter * 16)
	})
})

const pieces = [
	...[
		'@',
		'.',
		'-',
		'+',
		'_',
		'%',
		' ',
		'é',
		'\u017f',
		'a',
		'Z9',
		'b.io',
		'x@y.org',
		'co.uk',
		'"',
		'@@',
		'\n',
	],
	...['a'.repeat(63), 'a'.repeat(64), 'b'.repeat(25), 'c.'.repeat(8), '(555) 123-4567', '1', '22', '='],
	...['password', 'API_KEY', 'token', ':', 'Bearer ', 'BASIC ', 'sk-', 'hf_', 'A'.repeat(40), 'AKIA', 'eyJ'],
]
/** Random parts of what is looked for, whole vectors among them. */
const anyText = fc
	.array(fc.constantFrom(...pieces, ...vectors.redacted.map(({ text }) => text)), { maxLength: 12 })
	.map((parts) => parts.join(''))

function timeOf(text: string): number {
	const startedMs = performance.now()
	redact(text)
	return performance.now() - startedMs
}
