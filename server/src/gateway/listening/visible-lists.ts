import { createHash } from 'node:crypto'
import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'
import type { Gateway } from '../gateway.ts'
import type { Viewer } from '../operation.ts'
import { partOf } from '../perform/parts/list-parts.ts'
import { exposedTools } from '../tool-names.ts'

/** What a client may see, as short texts to compare: all tools together; prompts and resources per server. */
export interface VisibleLists {
	tools: string
	/** By server; null while the server's list is unknown. */
	prompts: ReadonlyMap<string, string | null>
	resources: ReadonlyMap<string, string | null>
}

type Views = Pick<Gateway, 'enforcement' | 'catalog'>

export function visibleLists(views: Views, caller: Viewer): VisibleLists {
	const servers = serversAt(views, caller)
	const partsOf = (kind: 'prompts' | 'resources') =>
		new Map(servers.map((server) => [server.id, visibleParts(views, caller, server, kind)]))
	return {
		tools: visibleTools(views, caller.agentId, servers),
		prompts: partsOf('prompts'),
		resources: partsOf('resources'),
	}
}

/** The endpoint's servers that the agent may use now. */
export function serversAt(
	{ enforcement }: Pick<Gateway, 'enforcement'>,
	{ agentId, serverId }: Pick<Viewer, 'agentId' | 'serverId'>,
): ServerEntry[] {
	const servers = enforcement.serversOf(agentId)
	return serverId === null ? servers : servers.filter(({ id }) => id === serverId)
}

/** Whether the lists differ. A list that becomes known does not count as changed. */
export function hasListChanged(before: ReadonlyMap<string, string | null>, now: typeof before): boolean {
	if (before.size !== now.size) return true
	for (const [id, text] of now) {
		const old = before.get(id)
		if (old === undefined || (old !== null && text !== null && old !== text)) return true
	}
	return false
}

function visibleTools({ enforcement }: Views, agentId: string, servers: readonly ServerEntry[]): string {
	const hash = createHash('sha256').update(enforcement.agent(agentId)?.toolListing ?? 'all')
	for (const server of servers)
		for (const { tool, needsApproval } of enforcement.toolsOf(agentId, server))
			hash.update(digestOf(server, tool)).update(needsApproval ? '?' : '.')
	return hash.digest('base64url')
}

function visibleParts(
	{ enforcement, catalog }: Views,
	viewer: Viewer,
	server: ServerEntry,
	kind: 'prompts' | 'resources',
): string | null {
	const listing = catalog.known(server, kind, viewer)
	if (!listing) return null
	const keys = listing.items.map(({ key }) => key)
	const allowed = keys.filter((key) => enforcement.mayUse(viewer.agentId, server, partOf(kind, key)))
	return createHash('sha256').update(JSON.stringify(allowed)).digest('base64url')
}

const digests = new WeakMap<ToolDefinition, string>()

function digestOf(server: ServerEntry, tool: ToolDefinition): string {
	const known = digests.get(tool)
	if (known) return known
	const digest = createHash('sha256')
		.update(
			`${exposedTools(server).names.get(tool.name)}\n${server.maxResultBytes !== null}\n${JSON.stringify(tool)}`,
		)
		.digest('base64url')
	digests.set(tool, digest)
	return digest
}
