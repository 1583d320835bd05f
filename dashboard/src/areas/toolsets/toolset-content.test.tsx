import { expect, test } from 'vitest'
import { ordered, withServer } from './toolset-content.ts'

const content = { tools: [{ server_id: 'a', tools: ['x', 'y'] }], groups: ['g', 'h'] }

test('the order of tools and groups does not count as a change', () => {
	expect(ordered({ tools: [{ server_id: 'a', tools: ['y', 'x'] }], groups: ['h', 'g'] })).toEqual(content)
	expect(ordered({ ...content, groups: ['g'] })).not.toEqual(content)
})

test('a server is added, changed and removed without affecting the others', () => {
	const added = withServer(content, 'b', [])
	expect(added.tools.map(({ server_id }) => server_id)).toEqual(['a', 'b'])
	expect(withServer(added, 'a', ['z']).tools[0]).toEqual({ server_id: 'a', tools: ['z'] })
	expect(withServer(added, 'b', null)).toEqual(content)
})
