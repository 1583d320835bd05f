import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExactNumbers } from '../../../platform/json/parse-json.ts'
import { randomCases } from '../../../platform/random-cases.testing.ts'
import { findNarrowing } from './narrowing.ts'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const text = { type: 'string' }
const tree = (leaf: object) => ({
	$ref: '#/$defs/node',
	$defs: { node: object({ value: leaf, next: { $ref: '#/$defs/node' } }) },
})

describe('a schema that is at least as wide', () => {
	it.each<[string, unknown, unknown]>([
		['says the same in another order', object({ a: text, b: text }), object({ b: text, a: text })],
		[
			'differs only in annotations',
			object({ a: text }),
			object({ a: { ...text, description: 'new', default: 'x' } }),
		],
		['knows one more optional property', object({ a: text }), object({ a: text, b: text })],
		[
			'forbids properties that were never named',
			object({ a: text }),
			object({ a: text }, { additionalProperties: false }),
		],
		['requires less', object({ a: text }, { required: ['a'] }), object({ a: text })],
		['allows one more type', object({ a: text }), object({ a: { type: ['string', 'null'] } })],
		['allows numbers for integers', { type: 'integer' }, { type: 'number' }],
		['allows one more value', { enum: ['a'] }, { enum: ['a', 'b'] }],
		['allows any text instead of values', { enum: ['a', 'b'] }, text],
		['allows one more alternative', text, { anyOf: [text, { type: 'number' }] }],
		[
			'turns a list of types into alternatives',
			{ anyOf: [text, { type: 'null' }] },
			{ type: ['string', 'null'] },
		],
		['drops a limit', { ...text, maxLength: 3 }, text],
		['allows longer text', { ...text, maxLength: 3, minLength: 2 }, { ...text, maxLength: 9, minLength: 1 }],
		['names the bounds of safe integers', { type: 'integer' }, { type: 'integer', minimum: -(2 ** 53) + 1 }],
		['refers to itself', tree(text), tree({ type: ['string', 'number'] })],
		['splits its demands with allOf', { ...text, maxLength: 3 }, { allOf: [text, { maxLength: 4 }] }],
		[
			'moves a schema to its definitions',
			object({ a: text }),
			{
				...object({ a: { $ref: '#/definitions/t' } }),
				definitions: { t: text },
			},
		],
		['says that property names are text', { type: 'object' }, { type: 'object', propertyNames: text }],
		['no longer restricts anything', object({ a: text }), {}],
	])('%s', (_what, older, newer) => {
		expect(findNarrowing(older, newer)).toBeNull()
	})
})

describe('a schema that may reject what was valid', () => {
	it.each<[string, unknown, unknown, string]>([
		['requires more', object({ a: text }), object({ a: text }, { required: ['a'] }), '/required'],
		[
			'allows fewer types',
			object({ a: { type: ['string', 'null'] } }),
			object({ a: text }),
			'/properties/a/type',
		],
		['requires a type if there was none', {}, text, '/type'],
		['drops a value', { enum: ['a', 'b'] }, { enum: ['a'] }, '/enum'],
		['allows a few values only', text, { enum: ['a'] }, '/enum'],
		[
			'drops a property and is closed',
			object({ a: text, b: text }),
			object({ a: text }, { additionalProperties: false }),
			'/additionalProperties',
		],
		['restricts a property of an open object', { type: 'object' }, object({ a: text }), '/properties/a/type'],
		[
			'closes an open object',
			{ type: 'object' },
			{ type: 'object', additionalProperties: false },
			'/additionalProperties',
		],
		['sets a bound', { type: 'integer' }, { type: 'integer', maximum: 10 }, '/maximum'],
		['excludes the bound itself', { minimum: 1 }, { exclusiveMinimum: 1 }, '/minimum'],
		['sets a bound besides values', { enum: ['a'] }, { minLength: 2 }, '/minLength'],
		['sets a pattern', text, { ...text, pattern: '^a' }, '/pattern'],
		['sets a format', text, { ...text, format: 'uri' }, '/format'],
		['changes what it refers to', tree(text), tree({ type: 'number' }), '/properties/value/type'],
		[
			'changes what it refers to under not',
			{ not: { $ref: '#/$defs/a' }, $defs: { a: text } },
			{ not: { $ref: '#/$defs/a' }, $defs: { a: {} } },
			'/not',
		],
		[
			'refers elsewhere',
			object({ a: text }),
			object({ a: { $ref: 'https://example.org/x' } }),
			'/properties/a',
		],
		['drops an alternative', { anyOf: [text, { type: 'null' }] }, { anyOf: [text] }, '/anyOf'],
		['requires one of several', text, { oneOf: [text, { minLength: 1 }] }, '/oneOf'],
		[
			'requires an additional header',
			object({ a: text }),
			object({ a: { ...text, 'x-mcp-header': 'A' } }),
			'/properties/a/x-mcp-header',
		],
		[
			'drops a property if there are patterns',
			object({ a: text }, { patternProperties: { '^x': text } }),
			object({ a: text }, { patternProperties: { '^x': { type: 'number' } } }),
			'/patternProperties',
		],
		['allows nothing', text, false, ''],
	])('%s', (_what, older, newer, pointer) => {
		expect(findNarrowing(older, newer)).toMatchObject({ pointer })
	})
})

describe('any two schemas', () => {
	const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
		schema: fc.oneof(
			{ maxDepth: 3, withCrossShrink: true },
			fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null') }),
			fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'bb', 1, 2.5, null), { minLength: 1 }) }),
			fc.record({
				type: fc.constant('string'),
				minLength: fc.nat(2),
				maxLength: fc.integer({ min: 1, max: 3 }),
			}),
			fc.record({
				type: fc.constant('integer'),
				minimum: fc.nat(2),
				exclusiveMaximum: fc.integer({ min: 1, max: 3 }),
			}),
			fc.record({ type: fc.constant('array'), items: tie('schema') }),
			fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
			fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
			fc.record({ not: tie('schema') }),
			fc.record(
				{
					type: fc.constant('object'),
					properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
					required: fc.uniqueArray(fc.constantFrom('a', 'b')),
					additionalProperties: fc.boolean(),
				},
				{ requiredKeys: ['type', 'properties'] },
			),
		),
	}))
	const value = fc.letrec((tie) => ({
		any: fc.oneof(
			{ maxDepth: 3 },
			fc.constantFrom<unknown>('', 'a', 'bb', 'ccc', 0, 1, 2, 2.5, 3, null, true),
			fc.array(tie('any'), { maxLength: 2 }),
			fc.dictionary(fc.constantFrom('a', 'b'), tie('any')),
		),
	})).any
	const ajv = new Ajv2020({ strict: false, validateSchema: false })
	/** Closes objects that name properties, because agents send only what they were shown. Schemas under `not` stay open. */
	const closed = (of: unknown): unknown => {
		if (Array.isArray(of)) return of.map(closed)
		if (typeof of !== 'object' || of === null) return of
		const inner = Object.fromEntries(
			Object.entries(of).map(([name, each]) => [name, name === 'not' ? each : closed(each)]),
		)
		return inner.type === 'object' ? { ...inner, additionalProperties: false } : inner
	}

	it('compares numbers, however they are written', () => {
		const compare = (older: string, newer: string) =>
			findNarrowing(parseExactNumbers(older), parseExactNumbers(newer))
		// Python writes the bounds of numbers this way.
		expect(compare('{"minimum":0.0,"maximum":1.0}', '{"minimum":0,"maximum":1.0,"title":"Share"}')).toBeNull()
		expect(compare('{"enum":[1.0]}', '{"enum":[1,2]}')).toBeNull()
		expect(compare('{"minimum":0.0}', '{"minimum":1e0}')).toMatchObject({ pointer: '/minimum' })
		expect(compare('{"type":"integer","multipleOf":4.0}', '{"type":"integer","multipleOf":2.0}')).toBeNull()
	})

	it('never accepts a schema that rejects what the other allowed', () => {
		const tried = randomCases(1500)
		let wide = 0
		const pairs = fc.oneof(
			fc.tuple(schema, schema),
			schema.map((one) => [one, { anyOf: [one, { type: 'null' }] }]),
		)
		fc.assert(
			fc.property(pairs, fc.array(value, { minLength: 20, maxLength: 40 }), ([older, newer], values) => {
				if (findNarrowing(older, newer)) return
				wide += 1
				const was = ajv.compile(closed(older) as object)
				const is = ajv.compile(newer as object)
				for (const each of values)
					if (was(each)) expect([each, older, newer, is(each)]).toEqual([each, older, newer, true])
			}),
			{ numRuns: tried },
		)
		expect(wide).toBeGreaterThan(tried / 5)
	})
})
