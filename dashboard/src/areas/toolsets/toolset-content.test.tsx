import { expect, test } from 'vitest'
import { isSameContent, withServer } from './toolset-content.ts'

const content = { tools: [{ server_id: 'a', tools: ['x', 'y'] }], groups: ['g', 'h'] }

test('the order of tools and groups does not count as a change', () => {
	expect(isSameContent(content, { tools: [{ server_id: 'a', tools: ['y', 'x'] }], groups: ['h', 'g'] })).toBe(
		true,
	)
	expect(isSameContent(content, { ...content, groups: ['g'] })).toBe(false)
	expect(isSameContent(content, withServer(content, 'a', ['x']))).toBe(false)
})

test('a server is added, changed and removed without affecting the others', () => {
	const added = withServer(content, 'b', [])
	expect(added.tools.map(({ server_id }) => server_id)).toEqual(['a', 'b'])
	expect(withServer(added, 'a', ['z']).tools[0]).toEqual({ server_id: 'a', tools: ['z'] })
	expect(isSameContent(withServer(added, 'b', null), content)).toBe(true)
})
