interface AskedTool {
	/** Null: the name does not tell. */
	serverId: string | null
	/** Its own name at the server, as far as the name tells. */
	tool: string
}

interface NamedServer {
	id: string
	slug: string
	tool_prefix: string | null
	tool_aliases: Readonly<Record<string, string>>
}

/**
 * An agent at `/mcp` names a tool by its alias or with what its server's tools begin with, at `/mcp/{server}` by its own
 * name: which one is meant.
 */
export function readAskedTool(named: string, servers: readonly NamedServer[]): AskedTool {
	for (const { id, slug, tool_prefix, tool_aliases } of servers) {
		const aliased = Object.entries(tool_aliases).find(([, alias]) => alias === named)
		if (aliased) return { serverId: id, tool: aliased[0] }
		for (const prefix of [tool_prefix ?? slug, slug])
			if (named.startsWith(`${prefix}__`)) return { serverId: id, tool: named.slice(prefix.length + 2) }
	}
	const only = servers.length === 1 ? servers[0] : undefined
	return { serverId: only?.id ?? null, tool: named }
}
