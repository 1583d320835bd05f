import type { AgentEntry } from '../../access/agents/index.ts'
import type { GrantEntry } from '../../access/grants/index.ts'
import type { CallLimits } from '../../platform/limits/call-limit.ts'
import type { Bound } from '../../platform/limits/limiter.ts'
import type { ServerEntry } from '../../servers/index.ts'

const none: readonly Bound[] = []

/** Every limit that counts for a call: of the agent, of the server and its tool, and of all its grants that are in force. */
export function boundsOfCall(
	agent: AgentEntry | undefined,
	server: ServerEntry,
	tool: string,
	grants: readonly GrantEntry[],
	nowMs: number,
): readonly Bound[] {
	const granted = grants.some(({ callLimits }) => callLimits !== null)
	if (!granted && server.callLimits === null && (agent?.callLimit ?? null) === null) return none
	const bounds: Bound[] = []
	if (agent?.callLimit)
		bounds.push({ key: agent.id, limit: agent.callLimit, subject: `The agent ${agent.name}` })
	if (server.callLimits)
		bounds.push(
			...boundsIn(server.callLimits, tool, server.id, `The server ${server.name}`, `The tool ${tool}`),
		)
	for (const grant of grants) {
		if (!grant.callLimits || !isInForce(grant, nowMs)) continue
		const by = `by ${agent?.name ?? 'this agent'}`
		bounds.push(
			...boundsIn(
				grant.callLimits,
				tool,
				grant.id,
				`The server ${server.name} ${by}`,
				`The tool ${tool} ${by}`,
			),
		)
	}
	return bounds
}

function isInForce({ enabled, expiresAtMs }: GrantEntry, nowMs: number): boolean {
	return enabled && (expiresAtMs === null || expiresAtMs > nowMs)
}

/** The limits of a tool and of all tools together, where they are set. */
function boundsIn(limits: CallLimits, tool: string, key: string, whole: string, single: string): Bound[] {
	const [all, own] = [limits.get('*'), limits.get(tool)]
	return [
		...(all ? [{ key, limit: all, subject: whole }] : []),
		...(own ? [{ key: `${key} ${tool}`, limit: own, subject: single }] : []),
	]
}
