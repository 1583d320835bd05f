import { expect, it } from 'vitest'
import vectors from '../../../contract/redaction-vectors.json' with { type: 'json' }
import { boundedJson } from './observe/bounded-json.ts'
import { capturedText } from './observe/captured-text.ts'
import { redact } from './redaction.ts'

it.each(vectors.redacted)('finds what the platform finds: $detector: $text', ({ text, result }) => {
	expect(redact(text).text).toBe(result)
})

it('writes JSON, and only the beginning of a long value', () => {
	const value = { a: [1, 'two', null, true, undefined], b: { c: undefined, d: 'x' } }
	expect(boundedJson(value, 1000)).toBe(JSON.stringify(value))
	expect(boundedJson({ text: 'x'.repeat(1e7) }, 20)).toBe(`{"text":"${'x'.repeat(11)}`)
})

it('keeps nothing of a secret across the truncation limit', () => {
	const key = `sk-ant-api03-${'A'.repeat(100)}`
	expect(capturedText({ text: `${'x '.repeat(100)}${key}` }, 230)).not.toContain('sk-ant')
})

it('handles circular values', () => {
	const circle: Record<string, unknown> = {}
	circle.self = circle
	expect(capturedText(circle, 100).length).toBeLessThanOrEqual(100)
})
