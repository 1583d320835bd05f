import type { Principal } from '../../platform/http/index.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'
import { callTool, findTools, isSearchFace } from '../context-savers/search-tools.ts'
import type { Gateway } from '../gateway.ts'
import { isReadMore } from '../long-results/read-more.ts'
import type { Caller, ClientProgram } from '../operation.ts'
import { aboutPlan, encode } from '../perform/operation-facts.ts'
import { hasParamHeaders } from '../protocol/param-headers.ts'
import { supportsTasks } from '../tasks/as-task.ts'
import { isForAll } from '../tool-names.ts'
import type { PlainWay } from '../upstreams/plain-way.ts'

/** What all plain calls of one caller to one tool have in common. A change of whatever it rests on makes a new one. */
export interface ToolPlan {
	readonly caller: Caller
	/** As the caller names it. */
	readonly name: string
	readonly server: ServerEntry
	/** The server's own name of the tool. */
	readonly tool: string
	readonly definition: ToolDefinition
	/** When a grant ends by itself. */
	readonly untilMs: number
	/** Whether each call is judged by its arguments. */
	readonly judgesArguments: boolean
	/** What the announcements of its calls begin with. */
	readonly facts: Buffer
	readonly capturesResults: boolean
	/** Whether a modern client that knows tasks may get one for its answer. */
	readonly mayBeTask: boolean
	readonly ways: WeakMap<ClientProgram, PlainWay>
}

type PlanParts = Pick<
	Gateway,
	'enforcement' | 'clock' | 'limiter' | 'recordsToolContent' | 'version' | 'upstreams'
>

/** Of one caller, who may name what does not exist. */
const mostTools = 1000

/**
 * The plans of plain calls: of tools that are granted without a person's approval and without limits. They are thrown away together
 * whenever anything changes that a view holds, before whoever changed it hears of that.
 */
export class ToolPlans {
	readonly #parts: () => PlanParts
	#callers = new WeakMap<Principal, Map<string, Caller>>()
	#plans = new WeakMap<Caller, Map<string, ToolPlan | null>>()

	constructor(parts: () => PlanParts) {
		this.#parts = parts
	}

	/** Something has changed. */
	clear(): void {
		this.#callers = new WeakMap()
		this.#plans = new WeakMap()
	}

	/** The caller by its credential and the endpoint; the same object each time. */
	callerOf(principal: Principal, endpoint: string, identify: () => Caller): Caller {
		let callers = this.#callers.get(principal)
		if (!callers) {
			callers = new Map()
			this.#callers.set(principal, callers)
		}
		let caller = callers.get(endpoint)
		if (!caller) {
			caller = identify()
			if (callers.size >= mostTools) callers.clear()
			callers.set(endpoint, caller)
		}
		return caller
	}

	/** Null: its calls go the usual way. */
	of(caller: Caller, name: string): ToolPlan | null {
		let plans = this.#plans.get(caller)
		if (!plans) {
			plans = new Map()
			this.#plans.set(caller, plans)
		}
		const known = plans.get(name)
		if (known !== undefined && (known === null || this.#parts().clock.nowMs() < known.untilMs)) return known
		const plan = this.#planned(caller, name)
		if (plans.size >= mostTools) plans.clear()
		plans.set(name, plan)
		return plan
	}

	/** How calls of a client go to the server; null where each needs more than to be sent. */
	wayOf({ ways, server, tool, mayBeTask }: ToolPlan, client: ClientProgram): PlainWay | null {
		const known = ways.get(client)
		if (known?.isOpenFor(client)) return known
		if (mayBeTask && client.era === 'modern') return null
		const way = this.#parts().upstreams.plainWay(server, client, tool)
		if (way) ways.set(client, way)
		return way
	}

	#planned(caller: Caller, name: string): ToolPlan | null {
		const parts = this.#parts()
		const { enforcement, recordsToolContent } = parts
		const { agentId, serverId, workspaceId } = caller
		if ((name === findTools || name === callTool) && isSearchFace(parts, caller)) return null
		if (isReadMore(parts, caller, name)) return null
		const { server, tool, refusal, approval } = enforcement.choose(agentId, serverId, name)
		if (!server || !tool || refusal || approval) return null
		if (hasParamHeaders(tool) || !isForAll(server, tool.name)) return null
		if (enforcement.boundsOf(agentId, server, tool.name).length > 0) return null
		const about = { server, tool: tool.name }
		return {
			...{ caller, name, ...about, definition: tool },
			untilMs: enforcement.listInputsOf(agentId, server.id).untilMs,
			judgesArguments: enforcement.judgesCalls(agentId, server.id, tool.name),
			facts: encode(aboutPlan(parts, { caller, request: { method: 'tools/call' } }, about)),
			capturesResults: server.capturesResults ?? recordsToolContent(workspaceId),
			mayBeTask: supportsTasks(tool),
			ways: new WeakMap(),
		}
	}
}
