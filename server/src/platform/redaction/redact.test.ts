import { readFileSync } from 'node:fs'
import { tokenPrefixes } from '@signalbox/contract/constants'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import vectors from '../../../../contract/redaction-vectors.json' with { type: 'json' }
import { randomCases } from '../random-cases.testing.ts'
import { detectors, redact, redactText } from './redact.ts'
import { findEmail, findSecret } from './searches.ts'

describe('redaction', () => {
	it.each(vectors.redacted)('$detector: $text', ({ detector, text, result }) => {
		const redacted = redact(text)
		expect(redacted.text).toBe(result)
		expect([...redacted.found.keys()]).toContain(detector)
	})

	it.each(vectors.kept)('leaves unchanged: %s', (text) => {
		expect(redact(text)).toEqual({ text, found: new Map() })
	})

	it('has a vector for every detector', () => {
		const named = new Set(vectors.redacted.map(({ detector }) => detector))
		expect(detectors.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([])
	})

	it.each(Object.values(tokenPrefixes))('finds credentials of Signalbox that begin with %s', (prefix) => {
		const text = `It sent ${prefix}${'a1B2'.repeat(12)}.`
		expect(redact(text).text).toBe('It sent [redacted:key].')
		expect(redactText(text)).toBe('It sent [redacted].')
		const python = new URL('../../../../sdk/python/src/signalbox_sdk/redaction/detectors.py', import.meta.url)
		const [, prefixes = ''] = /r"\(\?:([a-z|]+)\)_service_/.exec(readFileSync(python, 'utf8')) ?? []
		expect(prefixes.split('|')).toContain(prefix.split('_')[0])
	})

	it('finds nothing in redacted text', () => {
		const text = vectors.redacted.map((vector) => vector.text).join('\n')
		const once = redact(text).text
		expect(redact(once).text).toBe(once)
	})

	it('finds each of many, wherever they are', () => {
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

	// The pattern that is equivalent to the search around each at sign.
	it('finds the same e-mail addresses as their pattern', () => {
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
			{ numRuns: randomCases(3000) },
		)
	})

	// The patterns equivalent to the hand-written searches. They are tried on short texts of relevant characters, where they do not
	// take forever.
	it.each<[string, string[], RegExp, ((match: string) => boolean)?]>([
		[
			'private_key',
			['-----BEGIN ', '-----END ', 'RSA ', 'PRIVATE KEY-----', '-----', 'MIIB', '\n', 'x'.repeat(16_380)],
			/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
		],
		[
			'jwt',
			[
				'eyJ',
				'eyJ',
				'.',
				'.',
				'-',
				'a',
				'a'.repeat(7),
				'a'.repeat(8),
				'b'.repeat(4090),
				'c'.repeat(2049),
				' ',
				'_',
				'é',
			],
			/\beyJ[\w-]{8,4096}\.[\w-]{8,8192}\.[\w-]{0,2048}/g,
		],
		[
			'phone',
			[
				'+',
				' +1',
				'+49',
				'1',
				'22',
				'333',
				'4444',
				'(12)',
				'(',
				') ',
				' ',
				'-',
				'.',
				'x',
				'(555) ',
				'555-123-4567',
				'\n',
			],
			/(?<![\w+.])(?:\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])/g,
			(match) => {
				const digits = match.replace(/\D/g, '').length
				return digits >= 9 && digits <= 15
			},
		],
	])('finds the same as the pattern of %s', (name, signs, pattern, accepts = () => true) => {
		const detector = detectors.find((one) => one.name === name) as (typeof detectors)[number]
		const text = fc.array(fc.constantFrom(...signs), { maxLength: 20 }).map((some) => some.join(''))
		fc.assert(
			fc.property(text, (some) => {
				const expected: number[][] = []
				pattern.lastIndex = 0
				for (let match = pattern.exec(some); match; match = pattern.exec(some)) {
					if (accepts(match[0])) expected.push([match.index, pattern.lastIndex])
					else pattern.lastIndex = match.index + 1
				}
				const found: number[][] = []
				for (let next = detector.find(some, 0); next; next = detector.find(some, next.end))
					found.push([next.start, next.end])
				expect([some, found]).toEqual([some, expected])
			}),
			{ numRuns: randomCases(5000) },
		)
	})

	// The pattern that is equivalent to the search before each colon and equals sign.
	it('finds the same secret values as their pattern', () => {
		const pattern =
			/((?:password|passwd|passphrase|secret|client_secret|api[_-]?key|access[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|credential)s?\\?["']?\s{0,3}[:=]\s{0,3})(?:(\\?["'])[^"'\\[]{6,256}|[^\s"',;&<>\\{}[\]]{6,256})/gi
		const pieces = fc.constantFrom(
			...[
				'password',
				'Secret',
				'client_secrets',
				'API-KEY',
				'access_token',
				'credential',
				's',
				'S',
				':',
				'=',
				' ',
				'\u2003',
				'\n',
			],
			...[
				'"',
				"'",
				'\\',
				'\\"',
				'hunter2hunter2',
				'abcdef',
				'x'.repeat(300),
				'[',
				',',
				'{"',
				'é',
				'ſ',
				'日本語日本語',
			],
		)
		const text = fc
			.array(fc.oneof(pieces, fc.string({ maxLength: 6 })), { maxLength: 14 })
			.map((parts) => parts.join(''))
		fc.assert(
			fc.property(text, (text) => {
				const expected = [...text.matchAll(pattern)].map(
					({ index, 0: whole, 1: lead = '', 2: quote = '' }) => ({
						...{ start: index, end: index + whole.length, kept: lead.length + quote.length },
					}),
				)
				const found: unknown[] = []
				for (let next = findSecret(text, 0); next; next = findSecret(text, next.end)) found.push(next)
				expect(found).toEqual(expected)
			}),
			{ numRuns: randomCases(20_000) },
		)
	})

	it('searches every text that contains something', () => {
		fc.assert(
			fc.property(anyText, (text) => {
				for (const { mayHold, find } of detectors) if (!mayHold(text)) expect(find(text, 0)).toBeNull()
			}),
			{ numRuns: randomCases(2000) },
		)
	})

	// The repeated parts make detectors start over again and again. Still, each character is examined only a few times; before that
	// was ensured, the worst of these took 2,000 times as long as plain text.
	it('takes about the same time for every text', () => {
		const plain = costOf(repeated(vectors.kept.join(' ')))
		const slow = vectors.hostile
			.map((piece) => [piece.slice(0, 40), Math.round(costOf(repeated(piece)) / plain)] as const)
			.filter(([, times]) => times > 40)
		expect(slow).toEqual([])
	})
})

const repeated = (piece: string) => piece.repeat(Math.ceil(200_000 / piece.length))

/** CPU time in ms, the minimum of three runs. */
function costOf(text: string): number {
	const costs = [1, 2, 3].map(() => {
		const before = process.cpuUsage()
		redact(text)
		const { user, system } = process.cpuUsage(before)
		return (user + system) / 1000
	})
	return Math.max(0.5, Math.min(...costs))
}

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
/** Random fragments of detectable text, including whole vectors. */
const anyText = fc
	.array(fc.constantFrom(...pieces, ...vectors.redacted.map(({ text }) => text)), { maxLength: 12 })
	.map((parts) => parts.join(''))
