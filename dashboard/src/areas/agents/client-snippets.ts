export interface ClientSnippet {
	client: string
	/** Where the text goes. */
	place: string
	code: string
	/** Opens the client with the configuration, where it has such a link. */
	link?: string
}

/** What each MCP client needs to connect, in the form that it documents. */
export function clientSnippets(origin: string, key: string): ClientSnippet[] {
	// The path for static keys: some clients ignore one where the server also offers OAuth.
	const url = `${origin}/mcp-key`
	const headers = { Authorization: `Bearer ${key}` }
	const json = (value: unknown) => JSON.stringify(value, null, 2)
	return [
		{
			client: 'Claude Code',
			place: 'Terminal',
			code: `claude mcp add --transport http signalbox \\\n  ${url} \\\n  --header "Authorization: Bearer ${key}"`,
		},
		{
			client: 'Cursor',
			place: '~/.cursor/mcp.json',
			code: json({ mcpServers: { signalbox: { url, headers } } }),
			link: `cursor://anysphere.cursor-deeplink/mcp/install?name=signalbox&config=${encodeURIComponent(btoa(JSON.stringify({ url, headers })))}`,
		},
		{
			client: 'VS Code',
			place: '.vscode/mcp.json (asks for the key once)',
			code: json({
				inputs: [
					{ id: 'signalbox-key', type: 'promptString', description: 'Signalbox agent key', password: true },
				],
				servers: {
					signalbox: { type: 'http', url, headers: { Authorization: `Bearer \${input:signalbox-key}` } },
				},
			}),
		},
		{
			client: 'Codex',
			place: '~/.codex/config.toml, with SIGNALBOX_AGENT_KEY in the environment',
			code: `[mcp_servers.signalbox]\nurl = "${url}"\nbearer_token_env_var = "SIGNALBOX_AGENT_KEY"`,
		},
		{
			client: 'Other clients',
			place: 'Standard mcpServers configuration',
			code: json({ mcpServers: { signalbox: { type: 'http', url, headers } } }),
		},
		{
			client: 'curl',
			place: 'Terminal',
			code: `curl ${url} \\\n  -H "Authorization: Bearer ${key}" \\\n  -H "Content-Type: application/json" \\\n  -H "Accept: application/json, text/event-stream" \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'`,
		},
	]
}
