import { fillRefusal, type RefusalCode, type RefusalPart, refusals } from '@signalbox/contract'
import type { AgentEntry } from '../agents/index.ts'

export interface ModelAccessQuery {
	agent: Pick<AgentEntry, 'name' | 'status' | 'modelAccess'> | undefined
	/** The connection's name in the proxy path. */
	connection: string
	/** Null for a call that names no model; undefined asks whether the connection may be used at all. */
	model: string | null | undefined
}

export interface ModelAccessDecision {
	allowed: boolean
	reason: 'granted' | 'agent_unknown' | 'agent_not_active' | 'connection_not_granted' | 'model_not_granted'
	/** A sentence for people and agents. */
	text: string
}

/** The judge of model calls by agents. Pure; what is not clearly allowed is denied. Names are compared with their case. */
export function decideModelAccess({ agent, connection, model }: ModelAccessQuery): ModelAccessDecision {
	if (!agent) return refuse('agent_unknown')
	if (agent.status !== 'active')
		return refuse('agent_not_active', { agent: agent.name, status: agent.status })
	if (agent.modelAccess.mode === 'all') return granted
	const patterns = agent.modelAccess.connections.get(connection)
	if (!patterns) return refuse('connection_not_granted', { agent: agent.name, detail: connection })
	if (model === undefined || patterns.some((pattern) => matchesModel(pattern, model))) return granted
	const asked = model === null ? 'A call that names no model' : `The model ${model.slice(0, 200)}`
	return refuse('model_not_granted', { agent: agent.name, detail: `${asked} of ${connection}` })
}

const granted: ModelAccessDecision = { allowed: true, reason: 'granted', text: 'The model is granted.' }

function refuse(
	reason: ModelAccessDecision['reason'] & RefusalCode,
	parts: Partial<Record<RefusalPart, string>> = {},
): ModelAccessDecision {
	return { allowed: false, reason, text: fillRefusal(refusals[reason].text, parts) }
}

/** `*` stands for any characters; a call without a model needs the pattern that takes every one. */
export function matchesModel(pattern: string, model: string | null): boolean {
	if (pattern === '*' || pattern === model) return true
	if (model === null || !pattern.includes('*')) return false
	const [first = '', ...rest] = pattern.split('*')
	const last = rest.pop() ?? ''
	if (!model.startsWith(first) || model.length < first.length + last.length || !model.endsWith(last))
		return false
	let at = first.length
	const end = model.length - last.length
	for (const part of rest) {
		const found = model.indexOf(part, at)
		if (found < 0 || found + part.length > end) return false
		at = found + part.length
	}
	return true
}
