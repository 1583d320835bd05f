import type { Entered } from '../../platform/limits/limiter.ts'
import type { ServerEntry } from '../../servers/index.ts'
import type { Gateway } from '../gateway.ts'
import type { Operation } from '../operation.ts'
import { refuseReached } from './refuse-reached.ts'

/** Runs a call within the limits that count for it; throws what the client shall read when one is reached. */
export function withinLimits<T>(
	gateway: Gateway,
	operation: Operation,
	called: { server: ServerEntry; tool: string },
	run: () => Promise<T>,
): Promise<T> {
	const leave = enterLimits(gateway, operation, called)
	if (leave instanceof Promise) return leave.then((leaveLater) => run().finally(leaveLater))
	return leave === unlimited ? run() : run().finally(leave)
}

const unlimited = () => {}

/** Counts a call against the limits that count for it, until the returned function is called; throws as `withinLimits`. */
export function enterLimits(
	gateway: Gateway,
	operation: Operation,
	{ server, tool }: { server: ServerEntry; tool: string },
): (() => void) | Promise<() => void> {
	const { enforcement, limiter } = gateway
	const { agentId } = operation.caller
	const bounds = enforcement.boundsOf(agentId, server, tool)
	if (bounds.length === 0) return unlimited
	const judge = (entered: Entered) => {
		const agent = enforcement.agent(agentId)?.name ?? null
		if (entered.reached) throw refuseReached(operation, entered.reached, { agent, server: server.name, tool })
		return () => entered.leave()
	}
	const entered = limiter.enter(bounds)
	return entered instanceof Promise ? entered.then(judge) : judge(entered)
}
