import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson, hashTool } from './tool-hash.ts'

it('writes JSON with sorted names and no space', () => {
	expect(canonicalJson({ b: [1, { d: null, c: 'ü"' }], a: true })).toBe(
		'{"a":true,"b":[1,{"c":"ü\\"","d":null}]}',
	)
})

it('is the same for every order of fields and differs for every change', () => {
	const tool = {
		name: 'echo',
		description: 'Says it',
		inputSchema: { type: 'object', properties: { a: {}, b: {} } },
	}
	const turned = {
		inputSchema: { properties: { b: {}, a: {} }, type: 'object' },
		description: 'Says it',
		name: 'echo',
	}
	expect(hashTool(turned)).toBe(hashTool(tool))
	expect(hashTool({ ...tool, description: 'Says it ' })).not.toBe(hashTool(tool))
	expect(hashTool(tool)).toMatch(/^[0-9a-f]{64}$/)
})

it('loses nothing: what it writes reads back equal', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
		}),
	)
})
