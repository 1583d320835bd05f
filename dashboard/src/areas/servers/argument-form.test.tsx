import { expect, test } from 'vitest'
import { argumentFields, readArguments } from './argument-form.ts'

const schema = {
	type: 'object',
	properties: {
		message: { type: 'string', description: 'What to say' },
		times: { type: 'integer', default: 2 },
		ratio: { type: 'number' },
		loud: { type: 'boolean' },
		color: { enum: ['red', 'blue'] },
		tags: { type: 'array', items: { type: 'string' } },
	},
	required: ['message'],
}
const fields = argumentFields(schema) ?? []

test('a plain schema becomes one field for each property', () => {
	expect(fields.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
		'message: text',
		'times: integer',
		'ratio: number',
		'loud: boolean',
		'color: choice',
		'tags: json',
	])
	expect(fields[0]).toMatchObject({ required: true, description: 'What to say' })
	expect(fields[1]?.initial).toBe('2')
})

test('a schema with alternatives can be filled in only as JSON', () => {
	expect(argumentFields({ anyOf: [schema, { type: 'null' }] })).toBeNull()
	expect(argumentFields('nothing')).toBeNull()
	expect(argumentFields({ type: 'object' })).toEqual([])
})

test('texts become values of their types, and empty optional fields are left out', () => {
	const texts = { message: '', ratio: '0.5', loud: 'false', color: 'blue', tags: '["a"]' }
	expect(readArguments(fields, texts)).toEqual({
		arguments: { message: '', times: 2, ratio: 0.5, loud: false, color: 'blue', tags: ['a'] },
	})
	expect(readArguments(fields, { message: 'x', times: '' })).toEqual({ arguments: { message: 'x' } })
})

test('invalid values are reported by name', () => {
	expect(readArguments(fields, { message: 'x', times: '1.5', ratio: 'much', tags: '[' })).toEqual({
		errors: { times: 'is not a whole number', ratio: 'is not a number', tags: 'is not JSON' },
	})
	const needed = fields.map((field) => ({ ...field, required: true, initial: '' }))
	expect(readArguments(needed, { message: 'x' })).toMatchObject({ errors: { color: 'is required' } })
})
