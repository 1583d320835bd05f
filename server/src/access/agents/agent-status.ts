import type { AgentStatus } from '@signalbox/contract'

export type AgentVerb = 'pause' | 'resume' | 'stop' | 'start'

/** What each verb asks of an agent's status and makes of it. */
export const transitions: Record<AgentVerb, { from: readonly AgentStatus[]; to: AgentStatus }> = {
	pause: { from: ['active'], to: 'paused' },
	resume: { from: ['paused'], to: 'active' },
	stop: { from: ['active', 'paused', 'error'], to: 'stopped' },
	start: { from: ['stopped', 'error'], to: 'active' },
}
