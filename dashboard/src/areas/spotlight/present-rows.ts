import type { Schemas } from '../../api.ts'
import { toPathText } from '../../lib/path-text.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { type BreakdownRow, type By, type CallFilter, combineFilters, type Figures } from './breakdowns.ts'

type Lists = {
	tools: Schemas['ToolFigures']
	resources: Schemas['ResourceFigures']
	prompts: Schemas['PromptFigures']
	servers: Schemas['ServerFigures']
	agents: Schemas['AgentFigures']
	models: Schemas['ModelFigures']
	users: Schemas['UserFigures']
	clients: Schemas['ClientFigures']
	sessions: Schemas['SessionFigures']
	errors: Schemas['ErrorFigures']
	usage: Schemas['UsageFigures']
}
type Named = Omit<BreakdownRow, keyof Figures | 'key'>

const serverLink = (id: string) => ({ to: '/servers/$serverId', params: { serverId: id } })
const orUnknown = (text: string | null) => text || 'unknown'

/** The name of a row in each list, and the condition that selects its calls. */
const present: { [K in By]: (row: Lists[K]) => Named } = {
	tools: ({ tool, server }) => ({
		name: tool,
		detail: orUnknown(server.name),
		filter: { tool, ...(server.id && { server: server.id }) },
	}),
	resources: ({ resource, server }) => ({
		name: resource || 'unknown',
		detail: orUnknown(server.name),
		filter: { kind: 'mcp', ...(resource && { resource }), ...(server.id && { server: server.id }) },
	}),
	prompts: ({ prompt, server }) => ({
		name: prompt || 'unknown',
		detail: orUnknown(server.name),
		filter: { kind: 'mcp', ...(prompt && { prompt }), ...(server.id && { server: server.id }) },
	}),
	servers: ({ server, registered }) => ({
		name: orUnknown(server.name),
		...(!registered && { detail: 'seen in telemetry only' }),
		filter: server.id ? { server: server.id } : null,
		...(server.id && { link: serverLink(server.id) }),
	}),
	agents: ({ agent }) => ({
		name: agent.name || orUnknown(agent.id),
		...(!agent.id && { detail: 'seen in telemetry only' }),
		filter: agent.id ? { agent: agent.id } : { filter: ['!agent', `agent_name=${agent.name}`] },
		...(agent.id && { link: { to: '/agents/$agentId', params: { agentId: agent.id } } }),
	}),
	models: ({ provider, model }) => ({
		name: orUnknown(model),
		detail: orUnknown(provider),
		filter: { ...(provider && { provider }), ...(model && { model }) },
	}),
	users: ({ user_id }) => ({ name: orUnknown(user_id), filter: user_id ? { user: user_id } : null }),
	clients: ({ client }) => ({ name: orUnknown(client), filter: client ? { client } : null }),
	sessions: ({ session_id, is_derived, agent, client }) => ({
		name: session_id,
		detail: [is_derived && 'derived', agent.name, client].filter(Boolean).join(' · '),
		// No span has the id of a derived session, so lists of spans would find none.
		filter: is_derived ? null : { session: session_id },
		link: { to: '/sessions/$sessionId', params: { sessionId: toPathText(session_id) } },
	}),
	// The calls of these rows have only their group in common.
	usage: () => ({ name: '', filter: {} }),
	errors: (row) => ({
		name: (row.error_type || row.status).replaceAll('_', ' '),
		detail: [row.server.name, row.tool || row.model, row.message].filter(Boolean).join(' · '),
		filter: {
			status: row.status as NonNullable<CallFilter['status']>,
			kind: row.kind as NonNullable<CallFilter['kind']>,
			...(row.error_type && { error_type: row.error_type }),
			...(row.server.id && { server: row.server.id }),
			...(row.tool && { tool: row.tool }),
			...(row.model && { model: row.model }),
		},
		link: { to: '/traces/$traceId', params: { traceId: row.trace_id } },
	}),
}

/** The rows of a list. */
export function presentRows<K extends By>(by: K, rows: readonly Lists[K][]): BreakdownRow[] {
	return rows.map((row) => {
		const named = present[by](row)
		const group = Object.entries((row as { group?: Record<string, string> }).group ?? {})
		const key = JSON.stringify([named.name, by === 'errors' ? named.filter : named.detail, group])
		const values = group.map(([name, value]) => value || `no ${name}`)
		return {
			...(row as unknown as Figures),
			...named,
			name: showDirections([named.name, ...values].filter(Boolean).join(' · ')),
			...(named.detail !== undefined && { detail: showDirections(named.detail) }),
			filter: named.filter && combineFilters(named.filter, conditionsOf(group)),
			key,
		}
	})
}

/** The condition that selects exactly the calls of a group. */
function conditionsOf(group: readonly (readonly [name: string, value: string])[]): CallFilter {
	if (group.length === 0) return {}
	return { filter: group.map(([name, value]) => (value === '' ? `!${name}` : `${name}=${value}`)) }
}
