interface AskedTool {
	/** Null: the name does not determine it. */
	serverId: string | null
	/** The server's own name of the tool, as far as it is known. */
	tool: string
}

interface NamedServer {
	id: string
	slug: string
	tool_prefix: string | null
	tool_aliases: Readonly<Record<string, string>>
}

/**
 * Finds the tool that an agent named. At `/mcp` the name is an alias or has the server's prefix; at `/mcp/{server}` it is the tool's
 * own name.
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
