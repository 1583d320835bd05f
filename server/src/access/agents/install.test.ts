import { describe, expect, it } from 'vitest'
import { installFor, keyPlaceholder } from './agents.ts'

const url = 'https://box.example.org/mcp-key/tools'
const { clients } = installFor('https://box.example.org/', 'tools')
const textOf = (client: string, kind: string) =>
	clients.find((entry) => entry.client === client)?.steps.find((step) => step.kind === kind)?.text ?? ''
const fileOf = (client: string) => JSON.parse(textOf(client, 'file'))
const authorization = `Bearer ${keyPlaceholder}`

describe('the configuration for', () => {
	it('Claude Code is a command, or a file that reads the key from the environment', () => {
		expect(textOf('claude-code', 'command')).toBe(
			`claude mcp add --transport http tools ${url} --header "Authorization: ${authorization}"`,
		)
		expect(fileOf('claude-code').mcpServers.tools).toEqual({
			type: 'http',
			url,
			// biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in.
			headers: { Authorization: 'Bearer ${SIGNALBOX_AGENT_KEY}' },
		})
	})

	it('Codex names the variable of the key', () => {
		expect(textOf('codex', 'file')).toBe(
			`[mcp_servers.tools]\nurl = "${url}"\nbearer_token_env_var = "SIGNALBOX_AGENT_KEY"\n`,
		)
		expect(textOf('codex', 'command')).toContain(`codex mcp add tools --url ${url} --bearer-token-env-var`)
	})

	it('Cursor is a link with the server object in base64', () => {
		const link = new URL(textOf('cursor', 'link'))
		expect(link.href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=tools&config=/)
		const config = Buffer.from(link.searchParams.get('config') ?? '', 'base64').toString()
		expect(JSON.parse(config)).toEqual({ url, headers: { Authorization: authorization } })
		expect(fileOf('cursor').mcpServers.tools).toEqual(JSON.parse(config))
	})

	it('VS Code asks for the key, so that the link has none', () => {
		const link = textOf('vs-code', 'link')
		const config = JSON.parse(decodeURIComponent(link.replace('vscode:mcp/install?', '')))
		expect(config).toMatchObject({
			name: 'tools',
			type: 'http',
			url,
			// biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in.
			headers: { Authorization: 'Bearer ${input:tools-key}' },
			inputs: [{ id: 'tools-key', type: 'promptString', password: true }],
		})
		expect(fileOf('vs-code').inputs).toEqual(config.inputs)
		expect(link).not.toContain(keyPlaceholder)
	})

	it.each([
		['windsurf', { serverUrl: url, headers: { Authorization: authorization } }],
		['gemini-cli', { httpUrl: url, headers: { Authorization: authorization } }],
		['generic', { type: 'http', url, headers: { Authorization: authorization } }],
		[
			'claude-desktop',
			{
				command: 'npx',
				// biome-ignore lint/suspicious/noTemplateCurlyInString: the bridge fills it in.
				args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTHORIZATION}'],
				env: { AUTHORIZATION: authorization },
			},
		],
	])('%s has the fields that it reads', (client, server) => {
		expect(fileOf(client).mcpServers.tools).toEqual(server)
	})
})
