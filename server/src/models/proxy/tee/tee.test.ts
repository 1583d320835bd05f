import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomCases } from '../../../platform/random-cases.testing.ts'
import { fieldsOf, JsonFields, SseParser } from './answer-parsers.ts'
import { JsonItems } from './response-tee.ts'

const wanted = new Set(['model', 'usage', 'a', '', 'incomplete_details'])

const inPieces = (bytes: Buffer, cuts: number[], push: (piece: Buffer) => void) => {
	const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
	for (let index = 1; index < edges.length; index += 1) push(bytes.subarray(edges[index - 1], edges[index]))
}

describe('top-level fields of JSON', () => {
	it('are found as JSON.parse finds them, in any chunking', () => {
		const anyObject = fc.dictionary(
			fc.oneof(fc.constantFrom('model', 'usage', 'a', ''), fc.string({ unit: 'binary', maxLength: 5 })),
			fc.jsonValue({ maxDepth: 3 }),
		)
		const anyCuts = fc.array(fc.nat(2000), { maxLength: 8 })
		const property = fc.property(anyObject, anyCuts, fc.constantFrom(0, 2), (object, cuts, indent) => {
			const text = JSON.stringify(object, null, indent)
			const fields = new JsonFields(wanted)
			inPieces(Buffer.from(text), cuts, (piece) => fields.push(piece))
			const parsed = Object.entries(JSON.parse(text) as object).filter(([name]) => wanted.has(name))
			expect(Object.fromEntries(fields.found)).toEqual(Object.fromEntries(parsed))
		})
		fc.assert(property, { numRuns: randomCases(2000) })
	})

	it('are found behind long strings full of escapes', () => {
		const text = JSON.stringify({
			messages: ['"\\'.repeat(500), '\\'.repeat(77), 'x'.repeat(5000)],
			model: 'm"\\',
		})
		for (let cut = 0; cut < text.length; cut += 1) {
			const fields = new JsonFields(wanted)
			inPieces(Buffer.from(text), [cut], (piece) => fields.push(piece))
			if (fields.found.get('model') !== 'm"\\') expect.fail(`cut at ${cut}`)
		}
	})

	it('are found under the longest name with all of its characters escaped', () => {
		const name = [...'incomplete_details']
			.map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
			.join('')
		expect([...fieldsOf(Buffer.from(`{"${name}":1}`), wanted)]).toEqual([['incomplete_details', 1]])
	})

	it.each([
		['the last of two', '{"model":"a","model":"b"}', 'b'],
		['an escaped name', '{"\\u006dodel":"b"}', 'b'],
		['behind a byte order mark', '\ufeff {"model":"b"}', 'b'],
		['not a nested one', '{"x":{"model":"a"},"y":["model"]}', undefined],
		['not of a list', '["model","a"]', undefined],
		['of a document that breaks off later', '{"model":"b","messages":[{"ro', 'b'],
		['not of one that breaks off inside', '{"model":"b', undefined],
		['not a value larger than 1 MiB', `{"model":"${'x'.repeat(1_100_000)}"}`, undefined],
		['nothing of nonsense', '}}}:::,,,"model"::"a"', undefined],
	])('%s', (_name, text, expected) => {
		expect(fieldsOf(Buffer.from(text), wanted).get('model')).toBe(expected)
	})
})

describe('server-sent events', () => {
	const read = (bytes: Buffer, cuts: number[]) => {
		const events: string[] = []
		const parser = new SseParser((data, name) => events.push(`${name}|${data}`))
		inPieces(bytes, cuts, (piece) => parser.push(piece))
		parser.end()
		return events
	}

	it('are the same for every chunking and line end', () => {
		const lines = [
			'event: a',
			'data: {"ü":"👋"}',
			'',
			': comment',
			'',
			'data:no space',
			'data: two',
			'',
			'id: 4',
			'data',
			'',
			'data: last',
		]
		const anyCase = fc.tuple(
			fc.constantFrom('\n', '\r\n', '\r'),
			fc.array(fc.nat(300), { maxLength: 20 }),
			fc.boolean(),
		)
		const property = fc.property(anyCase, ([lineEnd, cuts, bom]) => {
			const bytes = Buffer.from((bom ? '\ufeff' : '') + lines.join(lineEnd))
			expect(read(bytes, cuts)).toEqual(['a|{"ü":"👋"}', '|no space\ntwo', '|', '|last'])
		})
		fc.assert(property, { numRuns: randomCases(1000) })
	})

	it('an event over 8 MiB is skipped, the next is read', () => {
		const huge = `data: ${'x'.repeat(9 * 1024 * 1024)}\n\ndata: after\n\n`
		expect(read(Buffer.from(huge), [3_000_000, 6_000_000, 9_000_000])).toEqual(['|after'])
		expect(read(Buffer.from(huge), [])).toEqual(['|after'])
	})

	it('know whether the position is between two events', () => {
		const parser = new SseParser(() => {})
		expect(parser.atBoundary).toBe(true)
		for (const [text, expected] of [
			['data: a', false],
			['\n', false],
			['\n', true],
			[': c', false],
			['\n', true],
		] as const) {
			parser.push(Buffer.from(text))
			expect(parser.atBoundary).toBe(expected)
		}
	})
})

describe('the lists of a field', () => {
	it('are the only ones read, wherever they are and wherever chunks end', () => {
		const items = [{ id: 1, text: 'a ] b "rows": [ {' }, { rows: [{ id: 2 }] }, { id: 3 }]
		const whole = { name: '"rows": [ {', first: { rows: items }, skipped: [{ id: 4 }], rows: [{ id: 5 }] }
		const bytes = Buffer.from(JSON.stringify(whole, null, 1))
		for (let cut = 0; cut <= bytes.length; cut += 1) {
			const found: unknown[] = []
			const reader = new JsonItems((text) => found.push(JSON.parse(text)), 'rows')
			for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) reader.push(piece)
			expect(found).toEqual([...items, { id: 5 }])
		}
	})
})
