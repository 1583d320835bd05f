import {
	CallToolResultSchema,
	PromptSchema,
	ResourceSchema,
	ResourceTemplateSchema,
	ToolSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { fitItem, fitTool, legacyOutputSchema, legacyResult } from './legacy-output.ts'

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const tools: [string, Record<string, unknown>, Record<string, unknown>][] = [
	['no input schema', {}, { inputSchema: { type: 'object' } }],
	['an empty one', { inputSchema: {} }, { inputSchema: { type: 'object' } }],
	['null for it', { inputSchema: null }, { inputSchema: { type: 'object' } }],
	['one of another type', { inputSchema: { ...schema, type: 'string' } }, { inputSchema: schema }],
	['a list of types', { inputSchema: { ...schema, type: ['object', 'null'] } }, { inputSchema: schema }],
	[
		'properties that are true and false',
		{ inputSchema: { type: 'object', properties: { a: true, b: false, c: 5 }, additionalProperties: false } },
		{
			inputSchema: {
				type: 'object',
				properties: { a: {}, b: { not: {} }, c: {} },
				additionalProperties: false,
			},
		},
	],
	[
		'properties that are a list',
		{ inputSchema: { type: 'object', properties: [] } },
		{ inputSchema: { type: 'object' } },
	],
	[
		'required that is null',
		{ inputSchema: { ...schema, required: null } },
		{ inputSchema: { type: 'object', properties: schema.properties } },
	],
	['numbers that are required', { inputSchema: { ...schema, required: ['a', 1] } }, { inputSchema: schema }],
	[
		'null everywhere',
		{
			inputSchema: schema,
			title: null,
			description: null,
			annotations: null,
			outputSchema: null,
			icons: null,
			_meta: null,
			execution: null,
		},
		{ inputSchema: schema },
	],
	[
		'null within its fields',
		{
			inputSchema: schema,
			annotations: { title: null, readOnlyHint: true },
			icons: [{ src: 'data:,', sizes: null }],
		},
		{ inputSchema: schema, annotations: { readOnlyHint: true }, icons: [{ src: 'data:,' }] },
	],
	[
		'hints that are text',
		{ inputSchema: schema, annotations: { readOnlyHint: 'true' } },
		{ inputSchema: schema },
	],
	[
		'a title that is a number',
		{ inputSchema: schema, title: 5, description: 'd' },
		{ inputSchema: schema, description: 'd' },
	],
	[
		'icons that are text',
		{ inputSchema: schema, icons: ['https://example.org/a.png'] },
		{ inputSchema: schema },
	],
	[
		'an icon without an address',
		{ inputSchema: schema, icons: [{ mimeType: 'image/png' }] },
		{ inputSchema: schema },
	],
	[
		'a support that nobody knows',
		{ inputSchema: schema, execution: { taskSupport: 'maybe' } },
		{ inputSchema: schema },
	],
]

describe('a tool for which a stock client would refuse the whole list', () => {
	it.each(tools)('%s', (_name, given, expected) => {
		const tool = { name: 'run', ...given }
		expect(ToolSchema.safeParse(tool).success).toBe(false)
		expect(fitTool(tool)).toEqual({ name: 'run', ...expected })
		expect(ToolSchema.safeParse(fitTool(tool)).success).toBe(true)
	})
	it('is the same object if it is valid', () => {
		const tool = {
			...{
				name: 'run',
				title: 'Run',
				description: 'd',
				inputSchema: schema,
				outputSchema: schema,
				'x-own': [1],
			},
			annotations: { title: 't', readOnlyHint: true, 'x-own': null },
			...{
				icons: [{ src: 'data:,', sizes: ['any'], theme: 'dark' }],
				execution: { taskSupport: 'optional' },
			},
			_meta: { ui: { resourceUri: 'ui://x' } },
		}
		expect(fitTool(tool)).toBe(tool)
	})
})

const parts = [
	['prompts', PromptSchema, { name: 'p', arguments: null }],
	['prompts', PromptSchema, { name: 'p', arguments: { a: 1 } }],
	['prompts', PromptSchema, { name: 'p', arguments: [{ name: 'a', required: 'yes' }] }],
	['prompts', PromptSchema, { name: 'p', arguments: [{ description: 'nameless' }] }],
	['resources', ResourceSchema, { name: 'r', uri: 'a:b', mimeType: null, size: '5' }],
	['resources', ResourceSchema, { name: 'r', uri: 'a:b', annotations: { priority: 7 } }],
	['resources', ResourceSchema, { name: 'r', uri: 'a:b', annotations: { audience: ['everybody'] } }],
	['resources', ResourceSchema, { name: 'r', uri: 'a:b', annotations: { lastModified: 'yesterday' } }],
	['templates', ResourceTemplateSchema, { name: 't', uriTemplate: 'a:{b}', description: ['d'], _meta: [] }],
] as const

it.each(parts)('one of the %s as well: %#', (kind, form, item) => {
	expect(form.safeParse(item).success).toBe(false)
	expect(form.safeParse(fitItem(kind, item)).success).toBe(true)
	const fine = { ...item, ...{ arguments: undefined, mimeType: 'a/b', size: 5, description: 'd', _meta: {} } }
	const good = {
		...fine,
		annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-11-22T01:02:03Z' },
	}
	expect(fitItem(kind, good)).toBe(good)
})

it('arguments of a prompt are kept if only their absent members are null', () => {
	const prompt = { name: 'p', arguments: [{ name: 'a', description: null, required: true }] }
	expect(fitItem('prompts', prompt)).toEqual({ name: 'p', arguments: [{ name: 'a', required: true }] })
})

describe('output of 2026-07-28 for a legacy client', () => {
	const list = { type: 'array', items: { type: 'number' } }

	it('is declared as an object, and its results match', () => {
		expect(legacyOutputSchema(list)).toEqual({
			...{ type: 'object', properties: { result: list }, required: ['result'] },
		})
		const result = { content: [], structuredContent: [1, 2] }
		expect(CallToolResultSchema.safeParse(result).success).toBe(false)
		const legacy = legacyResult(result, list)
		expect(legacy).toEqual({
			content: [{ type: 'text', text: '[1,2]' }],
			structuredContent: { result: [1, 2] },
		})
		expect(CallToolResultSchema.safeParse(legacy).success).toBe(true)
	})

	it('keeps its text, and an object that was declared', () => {
		const content = [{ type: 'text', text: 'one, two' }]
		expect(legacyResult({ content, structuredContent: 'x' }, undefined)).toEqual({
			...{ content, structuredContent: { result: 'x' } },
		})
		const plain = { content, structuredContent: { a: 1 } }
		expect(legacyResult(plain, { type: 'object' })).toBe(plain)
		expect(legacyResult(plain, { anyOf: [{ type: 'object' }] }).structuredContent).toEqual({
			result: { a: 1 },
		})
	})

	it('is not declared if the schema refers to places in itself', () => {
		const recursive = { anyOf: [{ type: 'null' }, { type: 'array', items: { $ref: '#' } }] }
		expect(legacyOutputSchema(recursive)).toBeNull()
		expect(legacyResult({ content: [], structuredContent: { a: 1 } }, recursive).structuredContent).toEqual({
			a: 1,
		})
	})
})
