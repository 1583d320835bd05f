export interface MatrixSearch {
	/** Part of the name of an agent. */
	q?: string
	/** Part of the name of a tool. */
	tool?: string
	/** Id of a server. */
	server?: string
}

export function parseMatrixSearch({ q, tool, server }: Record<string, unknown>): MatrixSearch {
	return {
		...(q ? { q: String(q) } : {}),
		...(tool ? { tool: String(tool) } : {}),
		...(server ? { server: String(server) } : {}),
	}
}
