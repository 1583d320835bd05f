import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../mcp-client/index.ts'
import { capResult, sizeOf } from './cap-result.ts'

const text = (said: string) => ({ type: 'text', text: said })
const pagesOf = (result: JsonObject, limitBytes: number) => {
	const capped = capResult(result, limitBytes)
	if (!capped) throw new Error('It was not cut.')
	return [capped.result.content as JsonObject[], ...capped.rest.map(({ content }) => content)]
}
const textIn = (pages: JsonObject[][]) =>
	pages
		.flat()
		.map((block) => block.text)
		.join('')

describe('a result over the limit', () => {
	it('loses nothing, is never cut within a character, and no page exceeds the limit', () => {
		const unit = fc.oneof(
			fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
			fc.constantFrom('\n', 'a'),
		)
		const blocks = fc.array(fc.string({ unit, maxLength: 200 }), { minLength: 1, maxLength: 8 })
		fc.assert(
			fc.property(blocks, fc.integer({ min: 8, max: 120 }), (texts, limit) => {
				const content = texts.map((each) => text(each.toWellFormed()))
				const capped = capResult({ content }, limit)
				const whole = textIn([content])
				if (!capped) {
					expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(limit)
					return
				}
				const pages = pagesOf({ content }, limit)
				expect(textIn(pages)).toBe(whole)
				for (const page of pages)
					expect(page.reduce((sum, block) => sum + sizeOf(block), 0)).toBeLessThanOrEqual(limit)
			}),
			{ numRuns: 300 },
		)
	})

	it('is cut where a page is full, even if it was full before the text began', () => {
		const lines = 'line\n'.repeat(50)
		const pages = pagesOf({ content: [text('a'.repeat(100)), text(lines)] }, 100)
		expect(pages.map((page) => textIn([page]).length)).toEqual([100, 100, 100, 50])
	})

	it('is cut at a line break if one is near, and keeps its other fields', () => {
		const lines = Array.from({ length: 10 }, (_, at) => `line ${at} ${'.'.repeat(10)}\n`).join('')
		const given = { content: [text(lines)], isError: true, _meta: { a: 1 } }
		const capped = capResult(given, 100)
		expect(capped?.result).toMatchObject({ isError: true, _meta: { a: 1 } })
		expect(textIn(pagesOf(given, 100).slice(0, 1)).endsWith('\n')).toBe(true)
		expect(capped?.wholeBytes).toBe(lines.length)
	})

	it('counts images, moves them whole to the next page, and names those too large for any page', () => {
		const image = (bytes: number) => ({ type: 'image', mimeType: 'image/png', data: 'A'.repeat(bytes) })
		const [first, second] = pagesOf({ content: [text('a'.repeat(60)), image(80)] }, 100)
		expect(first).toEqual([text('a'.repeat(60))])
		expect(second).toEqual([image(80)])
		const [named] = pagesOf({ content: [image(200)] }, 100)
		expect(named?.[0]?.text).toBe('[image/png, 200 bytes, is left out: it is larger than a result may be.]')
	})

	it('cuts the text of an embedded resource and keeps its URI with each part', () => {
		const resource = { uri: 'file:///a', mimeType: 'text/plain', text: 'x'.repeat(150) }
		const pages = pagesOf({ content: [{ type: 'resource', resource }] }, 100)
		expect(pages.flat().map((block) => (block.resource as JsonObject).uri)).toEqual([
			'file:///a',
			'file:///a',
		])
		expect(pages.flat().map((block) => String((block.resource as JsonObject).text).length)).toEqual([100, 50])
	})
})

describe('structured content', () => {
	it('stays whole if it fits, and text gets the remaining space', () => {
		const structuredContent = { rows: 'x'.repeat(50) }
		const given = { content: [text('t'.repeat(90))], structuredContent }
		expect(capResult(given, 100)?.result.structuredContent).toEqual(structuredContent)
		const [shown = []] = pagesOf(given, 100)
		expect(textIn([shown]).length).toBe(100 - JSON.stringify(structuredContent).length)
	})

	it('is continued as text if it does not fit, and only once if the text repeats it', () => {
		const structuredContent = { rows: 'x'.repeat(150) }
		const said = JSON.stringify(structuredContent, null, 2)
		const same = capResult({ content: [text(said)], structuredContent }, 100)
		expect(same?.result).not.toHaveProperty('structuredContent')
		expect(textIn(pagesOf({ content: [text(said)], structuredContent }, 100))).toBe(said)
		const other = pagesOf({ content: [text('2 rows. ')], structuredContent }, 100)
		expect(textIn(other)).toBe(`2 rows. ${JSON.stringify(structuredContent)}`)
	})
})
