import type { Schemas } from '../../api.ts'
import { sessionParam } from '../sessions/session-param.ts'
import type { BreakdownRow, By, CallFilter, Figures } from './breakdowns.ts'

type Lists = {
	[K in By]: K extends 'tools'
		? Schemas['ToolFigures']
		: K extends 'servers'
			? Schemas['ServerFigures']
			: K extends 'agents'
				? Schemas['AgentFigures']
				: K extends 'models'
					? Schemas['ModelFigures']
					: K extends 'users'
						? Schemas['UserFigures']
						: K extends 'clients'
							? Schemas['ClientFigures']
							: K extends 'sessions'
								? Schemas['SessionFigures']
								: Schemas['ErrorFigures']
}
type Named = Omit<BreakdownRow, keyof Figures | 'key'>

const serverLink = (id: string) => ({ to: '/servers/$serverId', params: { serverId: id } })
const orUnknown = (text: string | null) => text || 'unknown'

/** How a line of each list is called, and how its calls are found again. */
const present: { [K in By]: (row: Lists[K]) => Named } = {
	tools: ({ tool, server }) => ({
		name: tool,
		detail: orUnknown(server.name),
		filter: { tool, ...(server.id && { server: server.id }) },
	}),
	servers: ({ server, registered }) => ({
		name: orUnknown(server.name),
		...(!registered && { detail: 'seen in telemetry only' }),
		filter: server.id ? { server: server.id } : null,
		...(server.id && { link: serverLink(server.id) }),
	}),
	agents: ({ agent }) => ({
		name: agent.name || orUnknown(agent.id),
		filter: agent.id ? { agent: agent.id } : null,
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
		// No span has the name of a derived one, so lists of spans would find none.
		filter: is_derived ? null : { session: session_id },
		link: { to: '/sessions/$sessionId', params: { sessionId: sessionParam(session_id) } },
	}),
	errors: (row) => ({
		name: row.error_type || row.status,
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

/** The lines of a list. */
export function presentRows<K extends By>(by: K, rows: readonly Lists[K][]): BreakdownRow[] {
	return rows.map((row) => {
		const named = present[by](row)
		const key = JSON.stringify([named.name, by === 'errors' ? named.filter : named.detail])
		return { ...(row as unknown as Figures), ...named, key }
	})
}
