import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkConstraintSchema, checkConstraints, constraintOf } from './constraint.ts'

const refusal = (schema: unknown, values: unknown) => constraintOf(schema).refusal(values)
const nested = (levels: number): object => (levels === 0 ? {} : { items: nested(levels - 1) })
const doubled = (levels: number) => ({
	$ref: '#/$defs/d0',
	$defs: Object.fromEntries(
		Array.from({ length: levels }, (_, level) => {
			const next = level + 1 < levels ? { $ref: `#/$defs/d${level + 1}` } : {}
			return [`d${level}`, { allOf: [next, next] }]
		}),
	),
})

describe('a constraint', () => {
	it.each([
		[{ required: ['a'] }, { a: 1 }, {}],
		[{ properties: { a: { enum: ['x'] } } }, { a: 'x' }, { a: 'y' }],
		[{ properties: { a: { pattern: '^/data/[^.]+$' } } }, { a: '/data/x' }, { a: '/data/../etc' }],
		[{ properties: { a: { pattern: '^b' }, c: { pattern: '^d' } } }, { a: 'b', c: 'd' }, { a: 'b', c: 'b' }],
		[{ patternProperties: { '^x-': { type: 'number' } } }, { 'x-a': 1, y: 'z' }, { 'x-a': 'z' }],
		[{ properties: { a: { format: 'email' } } }, { a: 'a@b.org' }, { a: 'nobody' }],
		[{ properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { maximum: 5 } } }, { a: 5 }, { a: 6 }],
		[{ unevaluatedProperties: false, properties: { a: {} } }, { a: 1 }, { b: 1 }],
		[{ properties: { a: { uniqueItems: true, maxItems: 3 } } }, { a: [1, 2] }, { a: [1, 1] }],
		[{ prefixItems: [{ const: 1 }] }, [1], [2]],
		[{ required: ['toString'] }, { toString: 1 }, {}],
		[{ additionalProperties: false }, {}, JSON.parse('{"__proto__":1}')],
		[true, {}, undefined],
		[{ dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
	])('%j tells what satisfies it from what does not', (schema, good, bad) => {
		expect(checkConstraintSchema(schema)).toBeNull()
		expect(refusal(schema, good)).toBeNull()
		if (bad !== undefined) expect(refusal(schema, bad)).toEqual(expect.any(String))
	})

	it('refuses a name in another case, which some servers would read instead of the checked one', () => {
		const schema = { properties: { path: { const: '/data' }, inner: { properties: { user_ids: {} } } } }
		for (const key of ['Path', 'PATH', 'pAth'])
			expect(refusal(schema, { path: '/data', [key]: '/etc' })).toContain(key)
		expect(refusal(schema, { inner: [{ 'user_id\u017f': 1 }] })).toContain('another case')
		expect(refusal(schema, { path: '/data', Other: 1 })).toBeNull()
		expect(refusal({ properties: { id: {}, ID: {} } }, { id: 1, ID: 2 })).toBeNull()
	})

	it('names the place of the violation', () => {
		const schema = {
			properties: { to: { items: { pattern: '@example\\.org$' } } },
			additionalProperties: false,
		}
		expect(refusal(schema, { to: ['a@example.org', 'b@evil.org'] })).toMatch(/^\/to\/1 must match pattern/)
		expect(refusal(schema, { bcc: [] })).toMatch(/^\/bcc must NOT have additional/)
	})

	it('changes nothing in the arguments', () => {
		const values = Object.freeze({ a: '1' })
		expect(refusal({ properties: { a: { type: 'number' }, b: { default: 1 } } }, values)).toBeTruthy()
		expect(refusal({ properties: { b: { default: 1 } } }, values)).toBeNull()
		expect(values).toEqual({ a: '1' })
	})

	it('matches patterns in linear time, and refuses to guess about longer texts', () => {
		const schema = { properties: { a: { pattern: '^(a+)+$' } } }
		const before = process.cpuUsage()
		expect(refusal(schema, { a: `${'a'.repeat(16_000)}b` })).toEqual(expect.any(String))
		expect(process.cpuUsage(before).user / 1000).toBeLessThan(500)
		expect(() => refusal(schema, { a: 'a'.repeat(20_000) })).toThrow('too long')
		expect(() => refusal({ not: schema }, { a: 'a'.repeat(20_000) })).toThrow('too long')
	})

	it.each([
		[{ patern: 'x' }, '/patern is no keyword'],
		[{ properties: { a: { minlength: 1 } } }, '/properties/a/minlength is no keyword'],
		[{ $id: 'https://example.org/x' }, '/$id is no keyword'],
		[{ $dynamicRef: '#x' }, 'is no keyword'],
		[{ $schema: 'http://json-schema.org/draft-07/schema#' }, 'is no keyword'],
		[{ $ref: 'https://example.org/schema.json' }, 'must point into the schema itself'],
		[{ $ref: 'file:///etc/passwd' }, 'must point into the schema itself'],
		[{ $ref: '#/$defs/none' }, 'points at nothing'],
		[{ $ref: '#' }, 'leads to itself'],
		[{ $defs: { a: { items: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' }, 'leads to itself'],
		[{ $ref: '#/__proto__/x' }, 'points at nothing'],
		[{ pattern: '(?=a)b' }, 'cannot be matched in linear time'],
		[{ pattern: '(a)\\1' }, 'cannot be matched in linear time'],
		[{ patternProperties: { '(?<!a)b': {} } }, 'cannot be matched in linear time'],
		[{ pattern: '(a{1,1000}){1,1000}' }, 'cannot be matched in linear time'],
		[{ format: 'regex' }, 'is none of'],
		[{ items: { uniqueItems: true } }, 'needs maxItems'],
		[nested(30), 'nested deeper than 20'],
		[doubled(9), 'more than 1000 parts'],
		[{ enum: [Array(20_000).fill(1).join('')] }, 'larger than 16384'],
		[{ properties: { a: { const: 2 ** 60 } } }, '/properties/a/const has an integer beyond 2^53'],
		[{ enum: ['a', { b: [-(2 ** 60)] }] }, '/enum has an integer beyond 2^53'],
		[{ allOf: {} }, 'is no keyword'],
		[{ items: [{}] }, 'must be a schema'],
		['text', 'must be a schema'],
		[null, 'must be a schema'],
	])('cannot be %j', (schema, why) => {
		expect(checkConstraintSchema(schema)).toContain(why)
	})

	it.each([{ type: 'strin' }, { minimum: 'x' }, { required: 'a' }, { enum: [] }])(
		'cannot be %j, which is no schema',
		(schema) => {
			expect(() => checkConstraints({ tool: schema })).toThrow(/constraints\/tool: is no JSON Schema/)
		},
	)

	it('is checked quickly for any accepted schema and any arguments', () => {
		const leaf = fc.constantFrom({ type: 'string' }, { pattern: '^(a|a)*$' }, { minimum: 1 }, true, {
			enum: ['a', 1],
		})
		const schemas = fc.letrec((tie) => ({
			schema: fc.oneof(
				{ maxDepth: 4 },
				leaf,
				fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')) }),
				fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
				fc.record({ items: tie('schema'), not: tie('schema') }),
			),
		})).schema
		fc.assert(
			fc.property(schemas, fc.jsonValue(), (schema, values) => {
				if (checkConstraintSchema(schema) !== null) return
				const before = process.cpuUsage()
				const reason = constraintOf(schema).refusal(values)
				expect(reason === null || typeof reason === 'string').toBe(true)
				expect(process.cpuUsage(before).user / 1000).toBeLessThan(300)
			}),
			{ numRuns: 200 },
		)
	})
})
