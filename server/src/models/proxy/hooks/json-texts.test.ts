import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomCases } from '../../../platform/random-cases.testing.ts'
import { CallBody } from '../call-body.ts'
import { replaceModel } from '../routing/plan-route.ts'
import { JsonTexts } from './json-texts.ts'

/** Every text of a value except the top-level `model`. */
function textsIn(value: unknown, depth = 0): string[] {
	if (typeof value === 'string') return [value]
	if (typeof value !== 'object' || value === null) return []
	const inner = Object.entries(value).filter(
		([name, text]) => depth > 0 || Array.isArray(value) || name !== 'model' || typeof text !== 'string',
	)
	return inner.flatMap(([, one]) => textsIn(one, depth + 1))
}

describe('the texts of a JSON document', () => {
	it('are those that JSON.parse finds, and are replaced in place', async () => {
		const names = fc.oneof(fc.constantFrom('model', 'content', '"', '\\x', ''), fc.string())
		// JSON.parse of Node 24 has a bug: it reads the name `"` for `\` after parsing an object with that name.
		const sound = names.filter((name) => !name.endsWith('\\'))
		const anyDocument = fc.dictionary(sound, fc.jsonValue({ maxDepth: 3 }))
		// Refused in every document.
		const usual = anyDocument.filter((document) => !JSON.stringify(document).includes('"__proto__"'))
		const property = fc.asyncProperty(usual, fc.constantFrom(0, 1), async (document, indent) => {
			const body = Buffer.from(JSON.stringify(document, null, indent))
			const read = await JsonTexts.read(body)
			const parsed = textsIn(JSON.parse(body.toString()))
			expect([...(read?.texts ?? [])].sort()).toEqual(parsed.sort())
			expect(read?.replace(new Map())).toEqual(body)
			const marked = new Map(parsed.map((text) => [text, `<${text}>`]))
			const after = JSON.parse(String(read?.replace(marked)))
			expect(textsIn(after).sort()).toEqual(parsed.map((text) => `<${text}>`).sort())
			expect(after.model).toEqual(typeof document.model === 'string' ? document.model : after.model)
		})
		await fc.assert(property, { numRuns: randomCases(500) })
	})

	it('may be as long as a body may be', async () => {
		for (const piece of ['\\n', 'x', '\\\\']) {
			const body = Buffer.from(`{"messages":[{"content":"${piece.repeat(10_000_000)}"}],"model":"m"}`)
			expect((await JsonTexts.read(body))?.texts[0]?.length).toBe(10_000_000)
			const read = await CallBody.read({}, body, body.length)
			expect(replaceModel(read, 'other')?.bytes.subarray(-9).toString()).toBe(':"other"}')
		}
	})

	it.each(['', 'x', '{"a":', '{"a":"\\x"}', '\ufeff{}'])('are none in what is no JSON: %s', async (text) => {
		expect(await JsonTexts.read(Buffer.from(text))).toBeNull()
	})
})
