import { describe, expect, it } from 'vitest'
import { diffDefinitions } from '../read-versions.ts'
import { findRenamed } from '../settle-tools.ts'
import { findIncompatibility, keepApproved } from './narrowing.ts'

const text = { type: 'string' }
const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const tool = {
	name: 'read_file',
	description: 'Read the whole of a file',
	inputSchema: schema({ path: text }),
	outputSchema: schema({ content: text }, { required: ['content'] }),
	annotations: { readOnlyHint: true, destructiveHint: false },
}

describe('the difference of two definitions', () => {
	it('contains part, pointer and both sides, with hidden characters escaped', () => {
		const after = {
			...tool,
			description: 'Read the whole of a file\u{e0041}',
			inputSchema: schema({ path: { ...text, maxLength: 3 }, 'a/b': text }),
			annotations: { destructiveHint: false },
			_meta: { for: 'programs' },
		}
		expect(diffDefinitions(tool, after)).toEqual([
			{
				part: 'description',
				pointer: '',
				change: 'changed',
				from: tool.description,
				to: after.description,
				text: 'description changed from "Read the whole of a file" to "Read the whole of a file\\u{E0041}"',
			},
			{
				part: 'inputSchema',
				pointer: '/properties/path/maxLength',
				change: 'added',
				from: null,
				to: 3,
				text: 'inputSchema/properties/path/maxLength was added: 3',
			},
			expect.objectContaining({ pointer: '/properties/a~1b', change: 'added' }),
			expect.objectContaining({ part: 'annotations', pointer: '/readOnlyHint', change: 'removed' }),
		])
		expect(diffDefinitions(tool, { ...tool, _meta: { for: 'programs' } })).toEqual([])
	})

	it('is limited in size', () => {
		const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`p${index}`, text]))
		expect(diffDefinitions(tool, { ...tool, inputSchema: schema(many) })).toHaveLength(500)
	})
})

describe('a changed tool', () => {
	it.each<[string, object]>([
		['another description', { description: 'Reads' }],
		['one more optional argument', { inputSchema: schema({ path: text, head: { type: 'number' } }) }],
		['annotations that are safer', { annotations: { ...tool.annotations, idempotentHint: true } }],
		['a narrower result', { outputSchema: schema({ content: { const: 'x' } }, { required: ['content'] }) }],
	])('keeps its complete approved definition with %s', (_what, change) => {
		expect(findIncompatibility(tool, { ...tool, ...change })).toBeNull()
		expect(keepApproved(tool, { ...tool, ...change })).toEqual(tool)
	})

	it('cannot keep the approved definition when it requires more', () => {
		const inputSchema = schema({ path: text, why: text }, { required: ['why'] })
		expect(findIncompatibility(tool, { ...tool, inputSchema })).toBe('inputSchema/required: now requires why')
	})

	it.each<[string, object]>([
		[
			'a wider result',
			{ outputSchema: schema({ content: { type: ['string', 'null'] } }, { required: ['content'] }) },
		],
		['no structured result', { outputSchema: undefined }],
	])('loses its output schema with %s', (_what, change) => {
		const { outputSchema: _, ...rest } = tool
		expect(keepApproved(tool, { ...tool, ...change })).toEqual(rest)
	})

	it('is never shown as safer than its server now declares', () => {
		const kept = (annotations: object) => keepApproved(tool, { ...tool, annotations }).annotations
		expect(kept({ destructiveHint: true })).toEqual({ readOnlyHint: false, destructiveHint: true })
		expect(kept({})).toEqual({ readOnlyHint: false, destructiveHint: true })
		expect(kept(tool.annotations)).toEqual(tool.annotations)
	})

	it.each<[string, object, object, object]>([
		['reaches an open world', { openWorldHint: false }, { openWorldHint: true }, { openWorldHint: true }],
		['no longer says that its world is closed', { openWorldHint: false }, {}, { openWorldHint: true }],
		['may no longer be repeated', { idempotentHint: true }, {}, { idempotentHint: false }],
		[
			'destroys, though it still says that it only reads',
			{ readOnlyHint: true },
			{ readOnlyHint: true, destructiveHint: true },
			{ readOnlyHint: true, destructiveHint: true },
		],
	])('is shown at once as one that %s', (_what, before, now, shown) => {
		const approved = { ...tool, annotations: before }
		expect(keepApproved(approved, { ...tool, annotations: now }).annotations).toEqual(shown)
	})
})

describe('a rename', () => {
	const gone = [
		tool,
		{ name: 'write_file', description: 'Write a file', inputSchema: schema({ path: text, content: text }) },
	]
	it('is recognised by the schema and most of the words', () => {
		expect(findRenamed({ ...tool, name: 'readFile', description: 'Read the whole of one file' }, gone)).toBe(
			'read_file',
		)
	})
	it.each<[string, object]>([
		['other arguments', { inputSchema: schema({ url: text }) }],
		['another description', { description: 'Sends your mail to somebody' }],
	])('is not recognised in a tool with %s', (_what, change) => {
		expect(findRenamed({ ...tool, name: 'readFile', ...change }, gone)).toBeNull()
	})
	it('is not guessed between two candidates', () => {
		expect(findRenamed({ ...tool, name: 'third' }, [tool, { ...tool, name: 'second' }])).toBeNull()
	})
})
