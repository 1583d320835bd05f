import type { agentOperations, OutputOf } from '@signalbox/contract'

type Install = OutputOf<(typeof agentOperations)['install']>
type ClientInstall = Install['clients'][number]
type Step = ClientInstall['steps'][number]

export const keyPlaceholder = 'YOUR_AGENT_KEY'
const keyVariable = 'SIGNALBOX_AGENT_KEY'

/**
 * Configuration for MCP clients. `base` is our origin; `slug` of one server, or null for all that is granted. The
 * address is the one without OAuth metadata, since some clients ignore a key where they find metadata.
 */
export function installFor(base: string, slug: string | null): Install {
	const url = `${base.replace(/\/+$/, '')}/mcp-key${slug === null ? '' : `/${slug}`}`
	const name = slug ?? 'signalbox'
	const clients = [
		{ client: 'claude-code', name: 'Claude Code', steps: claudeCode(name, url) },
		{ client: 'codex', name: 'Codex', steps: codex(name, url) },
		{ client: 'cursor', name: 'Cursor', steps: cursor(name, url) },
		{ client: 'vs-code', name: 'VS Code', steps: vsCode(name, url) },
		{ client: 'windsurf', name: 'Windsurf', steps: windsurf(name, url) },
		{ client: 'claude-desktop', name: 'Claude Desktop', steps: claudeDesktop(name, url) },
		{ client: 'gemini-cli', name: 'Gemini CLI', steps: geminiCli(name, url) },
		{ client: 'generic', name: 'Any other client', steps: generic(name, url) },
	] satisfies ClientInstall[]
	return { url, key_placeholder: keyPlaceholder, clients }
}

const headers = { Authorization: `Bearer ${keyPlaceholder}` }

function claudeCode(name: string, url: string): Step[] {
	const server = { type: 'http', url, headers: { Authorization: `Bearer \${${keyVariable}}` } }
	return [
		command(
			`claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer ${keyPlaceholder}"`,
		),
		jsonFile('.mcp.json', { mcpServers: { [name]: server } }),
	]
}

function codex(name: string, url: string): Step[] {
	const table = [
		`[mcp_servers.${name}]`,
		`url = ${JSON.stringify(url)}`,
		`bearer_token_env_var = "${keyVariable}"`,
	]
	return [
		command(
			`export ${keyVariable}=${keyPlaceholder}\ncodex mcp add ${name} --url ${url} --bearer-token-env-var ${keyVariable}`,
		),
		{ kind: 'file', path: '~/.codex/config.toml', language: 'toml', text: `${table.join('\n')}\n` },
	]
}

function cursor(name: string, url: string): Step[] {
	const config = encodeURIComponent(Buffer.from(JSON.stringify({ url, headers })).toString('base64'))
	const link = `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${config}`
	return [
		jsonFile('~/.cursor/mcp.json', { mcpServers: { [name]: { url, headers } } }),
		{ kind: 'link', text: link },
	]
}

/** The editor asks for the key, so that none stands in a link or file. */
function vsCode(name: string, url: string): Step[] {
	const id = `${name}-key`
	const inputs = [{ id, type: 'promptString', description: 'Agent key', password: true }]
	const server = { type: 'http', url, headers: { Authorization: `Bearer \${input:${id}}` } }
	const link = `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...server, inputs }))}`
	return [{ kind: 'link', text: link }, jsonFile('.vscode/mcp.json', { servers: { [name]: server }, inputs })]
}

function windsurf(name: string, url: string): Step[] {
	return [
		jsonFile('~/.codeium/windsurf/mcp_config.json', { mcpServers: { [name]: { serverUrl: url, headers } } }),
	]
}

/** Its file knows programs only, so a bridge program carries the calls; the header's space would be split in `args`. */
function claudeDesktop(name: string, url: string): Step[] {
	const args = ['-y', 'mcp-remote', url, '--header', `Authorization:\${AUTHORIZATION}`]
	const server = { command: 'npx', args, env: { AUTHORIZATION: headers.Authorization } }
	return [jsonFile('claude_desktop_config.json', { mcpServers: { [name]: server } })]
}

function geminiCli(name: string, url: string): Step[] {
	return [
		command(
			`gemini mcp add --transport http --header "Authorization: Bearer ${keyPlaceholder}" ${name} ${url}`,
		),
		jsonFile('~/.gemini/settings.json', { mcpServers: { [name]: { httpUrl: url, headers } } }),
	]
}

function generic(name: string, url: string): Step[] {
	return [jsonFile('mcp.json', { mcpServers: { [name]: { type: 'http', url, headers } } })]
}

function command(text: string): Step {
	return { kind: 'command', language: 'shell', text }
}

function jsonFile(path: string, content: object): Step {
	return { kind: 'file', path, language: 'json', text: `${JSON.stringify(content, null, 2)}\n` }
}
