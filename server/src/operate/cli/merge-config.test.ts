import { describe, expect, it } from 'vitest'
import { mergeConfig } from './mcp-commands.ts'

const entry = '{"mcpServers":{"box":{"url":"https://box.test/mcp-key"}}}'
const table = '[mcp_servers.box]\nurl = "https://box.test/mcp-key"\n'

describe('the entry in a configuration file', () => {
	it('is the whole file if there is none', () => {
		expect(mergeConfig('mcp.json', null, entry)).toBe(entry)
		expect(mergeConfig('config.toml', '\n', table)).toBe(table)
	})

	it('leaves the rest of a JSON file unchanged, with its indentation', () => {
		const before =
			'{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"other": { "command": "x" },\n\t\t"box": 1\n\t}\n}\n'
		const after = mergeConfig('mcp.json', before, entry)
		expect(JSON.parse(after)).toEqual({
			theme: 'dark',
			mcpServers: { other: { command: 'x' }, box: { url: 'https://box.test/mcp-key' } },
		})
		expect(after).toContain('\n\t"theme"')
		expect(mergeConfig('mcp.json', after, entry)).toBe(after)
	})

	it('keeps the inputs of other servers', () => {
		const before = '{"inputs":[{"id":"a"},{"id":"b","old":true}]}'
		expect(JSON.parse(mergeConfig('mcp.json', before, '{"inputs":[{"id":"b"}]}')).inputs).toEqual([
			{ id: 'a' },
			{ id: 'b' },
		])
	})

	it('replaces its own table in a TOML file', () => {
		const before =
			'model = "x"\n\n[mcp_servers.box]\nurl = "old"\nextra = 1\n\n[mcp_servers.other]\nurl = "y"\n'
		const after = mergeConfig('config.toml', before, table)
		expect(after).toBe(`model = "x"\n\n${table}\n[mcp_servers.other]\nurl = "y"\n`)
		expect(mergeConfig('config.toml', after, table)).toBe(after)
		expect(mergeConfig('config.toml', 'model = "x"\n', table)).toBe(`model = "x"\n\n${table}`)
	})

	it('does not change a file that it cannot parse', () => {
		expect(() => mergeConfig('mcp.json', '{ // comment\n}', entry)).toThrow('--print')
	})
})
