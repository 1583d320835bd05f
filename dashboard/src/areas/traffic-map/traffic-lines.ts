import type { Schemas } from '../../api.ts'

export type Kind = 'tool_call' | 'model_call'

/** Something that calls or is called. */
export interface Party {
	/** Unique within its column. */
	key: string
	name: string
	/** Id of the object with a screen of its own; '' if there is none. */
	id: string
}

/** Calls of one agent to one tool of one server, or to one model over one connection. */
export interface TrafficLine {
	kind: Kind
	agent: Party
	/** The server or the connection. */
	through: Party
	/** The tool or the model. */
	target: Party
	calls: number
	errors: number
	p95: number | null
}

type Usage = Pick<Schemas['UsageFigures'], 'group' | 'calls' | 'errors' | 'latency_ms'>

/** The lines of an answer that is grouped by agent, server or connection, and tool or model. */
export function toLines(kind: Kind, usage: readonly Usage[]): TrafficLine[] {
	return usage.map(({ group, calls, errors, latency_ms: { p95 } }) => {
		const agent = partyOf('agent', group.agent, group.agent_name || 'No agent')
		const through =
			kind === 'tool_call'
				? partyOf('server', group.server, group.server_name || 'Not registered')
				: partyOf('connection', '', group.connection || group.provider || 'No connection')
		const name = (kind === 'tool_call' ? group.tool : group.model) || 'Unknown'
		const target = { key: `${through.key} ${name}`, name, id: '' }
		return { kind, agent, through, target, calls, errors, p95 }
	})
}

function partyOf(what: string, id: string | undefined, name: string): Party {
	return { key: `${what} ${id || name}`, name, id: id ?? '' }
}
