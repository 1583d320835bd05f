import type { AgentEntry } from '../../access/agents/agents.ts'
import type { GrantEntry } from '../../access/grants/index.ts'
import { namedFailure, type RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { CallLimits } from '../../platform/limits/call-limit.ts'
import type { Bound, EnterResult, Limiter, ReachedLimit } from '../../platform/limits/limiter.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import type { Operation } from '../operation.ts'
import { type RefusalNames, refusalText } from '../refusals/refusals.ts'

const none: readonly Bound[] = []

/** All limits that apply to a call: of the agent, of the server and its tool, and of all its grants in force. */
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

/** The limits of a single tool and of all tools together, where they are set. */
function boundsIn(limits: CallLimits, tool: string, key: string, whole: string, single: string): Bound[] {
	const [all, own] = [limits.get('*'), limits.get(tool)]
	return [
		...(all ? [{ key, limit: all, subject: whole }] : []),
		...(own ? [{ key: `${key} ${tool}`, limit: own, subject: single }] : []),
	]
}

/** Suggested retry delay for a concurrency limit, whose end depends on other calls only. */
const concurrencyRetryMs = 1000

/**
 * The refusal of a call beyond a limit, recorded as denied. Older clients mistake HTTP 429 for a broken connection, so they get
 * 200.
 */
export function refuseReached({ client }: Operation, reached: ReachedLimit, names: RefusalNames): RpcFailure {
	const code = reached.kind === 'rate' ? 'calls_limited' : 'concurrency_limited'
	const retryMs = reached.retryAfterMs ?? concurrencyRetryMs
	const parts = {
		...{ ...names, detail: reached.subject, limit: String(reached.limit) },
		seconds: String(Math.max(1, Math.ceil(retryMs / 1000))),
	}
	return namedFailure(rpcCodes.accessDenied, code, refusalText(code, parts, null), {
		status: 'denied',
		httpStatus: client.era === 'modern' ? 429 : 200,
		facts: { ...names, reason: code, limit: reached.limit, retry_after_ms: retryMs },
	})
}

/** The counters, and the source of the limits. */
interface Limiting {
	limiter: Limiter
	enforcement: {
		agent(agentId: string): AgentEntry | undefined
		boundsOf(agentId: string, server: ServerEntry, tool: string): readonly Bound[]
	}
}

/** Runs a call within the limits that apply to it. Throws the refusal for the client when a limit is reached. */
export function withinLimits<T>(
	gateway: Limiting,
	operation: Operation,
	called: { server: ServerEntry; tool: string },
	run: () => Promise<T>,
): Promise<T> {
	const leave = enterLimits(gateway, operation, called)
	if (leave instanceof Promise) return leave.then((leaveLater) => run().finally(leaveLater))
	return leave === unlimited ? run() : run().finally(leave)
}

const unlimited = () => {}

/** Counts a call against its limits until the returned function is called. Throws like `withinLimits`. */
export function enterLimits(
	gateway: Limiting,
	operation: Operation,
	{ server, tool }: { server: ServerEntry; tool: string },
): (() => void) | Promise<() => void> {
	const { enforcement, limiter } = gateway
	const { agentId } = operation.caller
	const bounds = enforcement.boundsOf(agentId, server, tool)
	if (bounds.length === 0) return unlimited
	const admit = (entered: EnterResult) => {
		const agent = enforcement.agent(agentId)?.name ?? null
		if (entered.reached) throw refuseReached(operation, entered.reached, { agent, server: server.name, tool })
		return () => entered.leave()
	}
	const entered = limiter.enter(bounds)
	return entered instanceof Promise ? entered.then(admit) : admit(entered)
}
