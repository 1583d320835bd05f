import {
	type Operation,
	operationGroups,
	otherAgentName,
	streamedRoutes,
	webhookOperations,
} from '@signalbox/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { createSerializerCompiler, foldNulls } from './compile-when-used.ts'
import { createValidatorCompiler, toInvalidRequest } from './validation.ts'

interface Schema {
	type?: string
	properties?: Record<string, Schema>
	items?: Schema
	anyOf?: Schema[]
}

/** A place in a request where a schema names an agent: the path of field names, with `*` for the items of a list. */
interface Place {
	way: string[]
	own: keyof typeof otherAgentName
}

const compile = createValidatorCompiler()
const inputs = [
	...Object.values(operationGroups).flatMap((group): Operation[] => Object.values(group)),
	...streamedRoutes,
].flatMap((operation) => {
	const { id, method, query } = operation
	const body = 'body' in operation ? operation.body : undefined
	const parts = [
		{ httpPart: 'querystring', schema: query },
		{ httpPart: 'body', schema: body },
	]
	return parts.flatMap(({ httpPart, schema }) =>
		schema
			? {
					...{ id, httpPart, schema, places: placesIn(schema as Schema) },
					validate: compile({ schema, method, url: '', httpPart }),
				}
			: [],
	)
})
const naming = inputs.flatMap(({ places, ...input }) => places.map((place) => ({ ...input, ...place })))

test('every request schema is valid, which the program itself does not check', () => {
	const ajv = new Ajv2020()
	const wrong = inputs.filter(({ schema }) => !ajv.validateSchema(schema))
	expect(wrong.map(({ id, httpPart }) => `${httpPart} of ${id}`)).toEqual([])
	expect(ajv.validateSchema({ type: 'strin' })).toBe(false)
})

describe('an agent in a request', () => {
	test('is named by one of two fields everywhere', () => {
		const names = inputs
			.flatMap(({ schema }) => textsIn(schema as Schema))
			.filter((name) => name.includes('agent'))
		expect([...new Set(names)].toSorted()).toEqual(['agent', 'agent_uuid'])
		expect(naming.length).toBeGreaterThan(25)
	})

	test.each(naming)('may have either name in the $httpPart of $id ($way $own)', ({ validate, way, own }) => {
		const other = otherAgentName[own]
		const { whole, part } = at(way, { [other]: 'a' })
		validate(whole)
		expect(part[own]).toBe('a')
		expect(part).not.toHaveProperty(other)
		const { whole: twice, part: same } = at(way, { [other]: 'a', [own]: 'a' })
		validate(twice)
		expect(same).not.toHaveProperty(other)
	})

	test.each(naming)(
		'has one name when two differ in the $httpPart of $id ($way $own)',
		({ validate, httpPart, way, own }) => {
			const other = otherAgentName[own]
			const { whole } = at(way, { [other]: 'a', [own]: 'b' })
			expect(validate(whole)).toBe(false)
			const { code, message } = toInvalidRequest(validate.errors ?? [], httpPart)
			expect(code).toBe('invalid_request')
			expect(message).toMatch(new RegExp(`${other}:? names another agent than \`${own}\``))
		},
	)
})

test('says of a change without a field what it needs', () => {
	const validate = compile({
		schema: webhookOperations.update.body,
		method: 'PATCH',
		url: '',
		httpPart: 'body',
	})
	expect(validate({})).toBe(false)
	const { message } = toInvalidRequest(validate.errors ?? [], 'body')
	expect(message).toBe('body: names no field; at least one is needed.')
})

test('names a parameter of the query as one', () => {
	const validate = inputs.find(({ id }) => id === 'agents.list')?.validate
	expect(validate?.({ limit: 1000 })).toBe(false)
	const { message } = toInvalidRequest(validate?.errors ?? [], 'querystring')
	expect(message).toMatch(/^query parameter limit must be <= \d+\.$/)
})

test('names the values close to a mistyped one instead of all of a long list', () => {
	const schema = webhookOperations.create.body
	const validate = compile({ schema, method: 'POST', url: '', httpPart: 'body' })
	const refusal = (event: string) => {
		expect(validate({ url: 'https://example.org', events: [event] })).toBe(false)
		return toInvalidRequest(validate.errors ?? [], 'body').message
	}
	expect(refusal('server.helth_changed')).toMatch(
		/^body\/events\/0: must be one of \d+ values; did you mean .* The API reference \(\/docs\) lists all of them\.$/,
	)
	expect(refusal('zzzzzzzz')).toMatch(
		/must be one of \d+ values; the API reference \(\/docs\) lists all of them\.$/,
	)
})

/** A request that contains the given part at the end of a path. */
function at(way: readonly string[], part: Record<string, unknown>) {
	const whole = way.reduceRight<unknown>((inner, name) => (name === '*' ? [inner] : { [name]: inner }), part)
	return { whole, part }
}

function placesIn(schema: Schema, way: string[] = []): Place[] {
	const own = (Object.keys(otherAgentName) as Place['own'][]).filter((name) =>
		isText(schema.properties?.[name]),
	)
	return [
		...own.map((name) => ({ way, own: name })),
		...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => placesIn(inner, [...way, name])),
		...(schema.items ? placesIn(schema.items, [...way, '*']) : []),
		...(schema.anyOf ?? []).flatMap((form) => placesIn(form, way)),
	]
}

function isText(schema: Schema | undefined): boolean {
	return schema?.type === 'string' || (schema?.anyOf ?? []).some(isText)
}

/** The names of the text fields of a schema, at any depth. */
function textsIn(schema: Schema): string[] {
	const fields = Object.entries(schema.properties ?? {})
	const inner = [
		...fields.map(([, field]) => field),
		...(schema.items ? [schema.items] : []),
		...(schema.anyOf ?? []),
	]
	return [...fields.filter(([, field]) => isText(field)).map(([name]) => name), ...inner.flatMap(textsIn)]
}

test('a time is one that can be kept: no leap second, and none outside of the years 0 to 9999', () => {
	const schema = { type: 'string', format: 'date-time' }
	const validate = compile({ schema, method: 'POST', url: '', httpPart: 'body' })
	for (const time of ['2026-11-29T03:10:31.951000+00:00', '2026-11-29T03:10:31Z', '9999-12-31T23:59:59Z'])
		expect(validate(time), time).toBe(true)
	for (const time of ['2026-12-31T23:59:60Z', '2026-12-31T18:59:60-05:00', '9999-12-31T23:59:59-01:00'])
		expect(validate(time), time).toBe(false)
})

test('a response with fields that may be null is written without validating it', () => {
	const name = { type: 'string', maxLength: 2 }
	const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }], description: 'or null' })
	const place = { type: 'object', properties: { name: orNull(name) }, required: ['name'] }
	const either = { anyOf: [name, { type: 'number' }, { type: 'null' }] }
	const schema = {
		...{ type: 'object', required: ['place', 'places', 'either'] },
		properties: { place: orNull(place), places: { type: 'array', items: orNull(place) }, either },
	}
	const folded = { ...place, properties: { name: { ...name, description: 'or null', nullable: true } } }
	expect(foldNulls(schema)).toEqual({
		...schema,
		properties: {
			place: { ...folded, description: 'or null', nullable: true },
			places: { type: 'array', items: { ...folded, description: 'or null', nullable: true } },
			either,
		},
	})
	const write = createSerializerCompiler()({ schema, method: 'GET', url: '', httpStatus: '200' })
	const long = { name: 'longer than the schema says' }
	for (const value of [
		{ place: null, places: [null, { name: null }, long], either: null },
		{ place: long, places: [], either: 'a' },
		{ place: { name: null }, places: [], either: 2 },
	])
		expect(write(value)).toBe(JSON.stringify(value))
	expect(write({ place: { name: 'a', secret: 1 }, places: [], either: 1 })).not.toContain('secret')
})
