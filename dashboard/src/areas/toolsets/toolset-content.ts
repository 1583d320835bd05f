import type { ToolsetContent } from './queries.ts'

/** The content in canonical order, so that equal contents are equal as text. */
export function ordered({ tools, groups }: ToolsetContent): ToolsetContent {
	return {
		tools: tools
			.map(({ server_id, tools: names }) => ({ server_id, tools: names.toSorted() }))
			.toSorted((a, b) => (a.server_id < b.server_id ? -1 : 1)),
		groups: groups.toSorted(),
	}
}

/** The content with other tools of one server; null removes the server. */
export function withServer(
	content: ToolsetContent,
	serverId: string,
	names: readonly string[] | null,
): ToolsetContent {
	const others = content.tools.filter(({ server_id }) => server_id !== serverId)
	return ordered({
		...content,
		tools: names ? [...others, { server_id: serverId, tools: [...names] }] : others,
	})
}
