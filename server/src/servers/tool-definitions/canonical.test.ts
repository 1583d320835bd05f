import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseExactNumbers } from '../../platform/json/parse-json.ts'
import type { ToolDefinition } from './definition.ts'
import { canonicalJson, hashDefinition } from './scan/scan-definition.ts'

it('writes JSON with sorted keys and without spaces', () => {
	expect(canonicalJson({ b: [1, { d: null, c: 'ü"' }], a: true })).toBe(
		'{"a":true,"b":[1,{"c":"ü\\"","d":null}]}',
	)
})

it('does not depend on the order of fields and differs for every change of the parts that are read', () => {
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
	expect(hashDefinition(turned)).toBe(hashDefinition(tool))
	expect(hashDefinition({ ...tool, _meta: { version: 2 } })).toBe(hashDefinition(tool))
	const changes = [
		{ description: 'Says it ' },
		{ name: 'Echo' },
		{ title: 'Echo' },
		{ outputSchema: {} },
		{ annotations: {} },
		{ inputSchema: { type: 'object', properties: { a: {} } } },
	]
	const hashes = changes.map((change) => hashDefinition({ ...tool, ...change }))
	expect(new Set([hashDefinition(tool), ...hashes]).size).toBe(changes.length + 1)
	expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/)
})

it('distinguishes numbers by their text, even if they are the same number in JavaScript', () => {
	const tool = (number: string) =>
		parseExactNumbers(`{"name":"n","inputSchema":{"maximum":${number}}}`) as ToolDefinition
	const texts = ['9007199254740992', '9007199254740993', '1', '1.0', '1e0']
	expect(new Set(texts.map((text) => hashDefinition(tool(text)))).size).toBe(texts.length)
})

it('loses nothing: its output parses to an equal value', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
		}),
	)
})
