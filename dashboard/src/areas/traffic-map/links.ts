import type { MapNode } from './layout.ts'

interface PlainLink {
	to: string
	params?: Record<string, string>
	search?: Record<string, unknown>
}

/** The screen of an agent or a server; for anything else, its calls in Spotlight. */
export function linkOf({
	column,
	kind,
	id,
	name,
}: Pick<MapNode, 'column' | 'kind' | 'id' | 'name'>): PlainLink {
	if (column === 'agent')
		return id
			? { to: '/agents/$agentId', params: { agentId: id } }
			: { to: '/spotlight', search: { by: 'clients' } }
	if (column === 'through') {
		if (kind === 'model_call') return { to: '/spotlight', search: { by: 'models', connection: name } }
		return id
			? { to: '/servers/$serverId', params: { serverId: id } }
			: { to: '/spotlight', search: { by: 'servers' } }
	}
	return {
		to: '/spotlight',
		search: kind === 'model_call' ? { by: 'agents', model: name } : { by: 'agents', tool: name },
	}
}
