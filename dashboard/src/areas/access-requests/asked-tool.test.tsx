import { expect, test } from 'vitest'
import { readAskedTool } from './asked-tool.ts'

const usual = { tool_prefix: null, tool_aliases: {} }
const git = { id: 's1', slug: 'git', ...usual }
const files = { id: 's2', slug: 'files', ...usual }

test('a name at the endpoint for all servers determines the server', () => {
	expect(readAskedTool('files__read', [git, files])).toEqual({ serverId: 's2', tool: 'read' })
	expect(readAskedTool('files__a__b', [git, files])).toEqual({ serverId: 's2', tool: 'a__b' })
})

test('with a plain name the person chooses the server, unless there is only one', () => {
	expect(readAskedTool('read', [git, files])).toEqual({ serverId: null, tool: 'read' })
	expect(readAskedTool('read', [git])).toEqual({ serverId: 's1', tool: 'read' })
	expect(readAskedTool('other__read', [git, files])).toEqual({ serverId: null, tool: 'other__read' })
})

test('a server is found by its prefix and its aliases', () => {
	const forge = { ...git, tool_prefix: 'forge', tool_aliases: { search: 'find_issues' } }
	expect(readAskedTool('forge__read', [files, forge])).toEqual({ serverId: 's1', tool: 'read' })
	expect(readAskedTool('find_issues', [files, forge])).toEqual({ serverId: 's1', tool: 'search' })
	expect(readAskedTool('git__read', [files, forge])).toEqual({ serverId: 's1', tool: 'read' })
})
