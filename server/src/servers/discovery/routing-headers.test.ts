import { expect, it } from 'vitest'
import { hasSoundHeaders } from './list-tools.ts'

const tool = (properties: object) => ({ name: 't', inputSchema: { type: 'object', properties } }) as never
const header = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name })

it.each([
	['none', { a: { type: 'string' } }],
	['of each single type', { a: header('A'), b: header('B', 'integer'), c: header('C', 'boolean') }],
	['of what may be absent', { a: header('A', ['string', 'null']) }],
	['of a nested property', { a: { type: 'object', properties: { b: header('B') } } }],
])('a tool is offered with headers that can be mirrored: %s', (_case, properties) => {
	expect(hasSoundHeaders(tool(properties))).toBe(true)
})

it.each([
	['empty', { a: header('') }],
	['no text', { a: header(5) }],
	['with a space', { a: header('My Region') }],
	['with a colon', { a: header('Region:Primary') }],
	['not ASCII', { a: header('Région') }],
	['with a control character', { a: header('Region\t1') }],
	['of an object', { a: header('A', 'object') }],
	['of a list', { a: header('A', 'array') }],
	['of nothing', { a: header('A', 'null') }],
	['of a number with fractions', { a: header('A', 'number') }],
	['of several types', { a: header('A', ['string', 'object']) }],
	['twice', { a: header('A'), b: header('a') }],
	['twice, once nested', { a: header('A'), b: { type: 'object', properties: { c: header('A') } } }],
])('a tool is not offered with a header that cannot be mirrored: %s', (_case, properties) => {
	expect(hasSoundHeaders(tool(properties))).toBe(false)
})
