import { expect, it } from 'vitest'
import vectors from '../../../contract/redaction-vectors.json' with { type: 'json' }
import { boundedJson } from './observe/bounded-json.ts'
import { capturedText, redactedMessage } from './observe/captured-text.ts'
import { redact } from './redaction.ts'

it.each(vectors.redacted)('finds what the platform finds: $detector: $text', ({ text, result }) => {
	expect(redact(text).text).toBe(result)
})

it('writes JSON, and only the beginning of a long value', () => {
	const value = { a: [1, 'two', null, true, undefined], b: { c: undefined, d: 'x' } }
	expect(boundedJson(value, 1000)).toBe(JSON.stringify(value))
	const others = { at: new Date(0), b: () => {}, c: [Symbol('d')] }
	expect(boundedJson(others, 1000)).toBe(JSON.stringify(others))
	expect(boundedJson({ text: 'x'.repeat(1e7) }, 20)).toBe(`{"text":"${'x'.repeat(11)}`)
})

it('keeps nothing of a secret across the truncation limit', () => {
	const key = `sk-ant-api03-${'A'.repeat(100)}`
	expect(capturedText({ text: `${'x '.repeat(100)}${key}` }, 230)).not.toContain('sk-ant')
	// Redacted texts become shorter, so that the end of what is searched comes into view.
	const keys = `sk-${'a'.repeat(190)} `.repeat(200)
	for (const cut of ['', 'b ', 'bc ']) {
		expect(redactedMessage(cut + keys).replaceAll('[redacted:key]', '')).not.toContain('aa')
		expect(capturedText(cut + keys, 1000).replaceAll('[redacted:key]', '')).not.toContain('aa')
		expect(capturedText(cut + keys, 1000)).toHaveLength(1000)
	}
	const token = `eyJhbGciOiJIUzI1NiJ9.${'A'.repeat(1500)}.${'s'.repeat(43)}`
	expect(redactedMessage(`invalid token ${token}`)).toBe('invalid token [redacted:jwt]')
})

it('handles circular values', () => {
	const circle: Record<string, unknown> = {}
	circle.self = circle
	expect(capturedText(circle, 100).length).toBeLessThanOrEqual(100)
})
