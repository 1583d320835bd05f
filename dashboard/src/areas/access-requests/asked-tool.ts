interface AskedTool {
	/** Null: the name does not tell. */
	serverId: string | null
	/** Its own name at the server, as far as the name tells. */
	tool: string
}

/** An agent at `/mcp` names a tool `server__tool`, at `/mcp/{server}` by its own name: which one is meant. */
export function readAskedTool(named: string, servers: readonly { id: string; slug: string }[]): AskedTool {
	const server = servers.find(({ slug }) => named.startsWith(`${slug}__`))
	if (server) return { serverId: server.id, tool: named.slice(server.slug.length + 2) }
	const only = servers.length === 1 ? servers[0] : undefined
	return { serverId: only?.id ?? null, tool: named }
}
