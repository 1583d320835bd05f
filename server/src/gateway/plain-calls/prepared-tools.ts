import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'
import { callTool, findTools, listsSearchTool } from '../context-savers/search-tools.ts'
import type { Gateway } from '../gateway.ts'
import { isReadMore } from '../long-results/read-more.ts'
import type { Caller, ClientProgram } from '../operation.ts'
import { aboutPlan, encode } from '../perform/operation-facts.ts'
import { hasParamHeaders } from '../protocol/param-headers.ts'
import { supportsTasks } from '../tasks/as-task.ts'
import { isOfferedToEveryClient } from '../tool-names.ts'
import type { PlainCallSender } from '../upstreams/plain-call-sender.ts'

/** Everything that the plain calls of one caller to one tool have in common. Any change of settings makes a new one. */
export interface PreparedTool {
	readonly caller: Caller
	/** The tool's name as the caller uses it. */
	readonly name: string
	readonly server: ServerEntry
	/** The server's own name of the tool. */
	readonly tool: string
	readonly definition: ToolDefinition
	/** When the first grant expires, in milliseconds. */
	readonly untilMs: number
	/** Whether the grant constrains arguments, so that access must be decided for each call. */
	readonly decidesByArguments: boolean
	/** The part of the announcement that all its calls share. */
	readonly facts: Buffer
	readonly capturesResults: boolean
	/** Whether a modern client that supports tasks may get a task as its answer. */
	readonly mayBeTask: boolean
	readonly senders: WeakMap<ClientProgram, PlainCallSender>
}

type PreparingParts = Pick<
	Gateway,
	'enforcement' | 'clock' | 'limiter' | 'recordsToolContent' | 'version' | 'upstreams'
>

/** Tools kept for one caller. Bounded, because a caller may name tools that do not exist. */
const maxTools = 1000

/**
 * The tools of plain calls, which are granted without approval and without limits. All are discarded with every change to a view,
 * before the change is answered.
 */
export class PreparedTools {
	readonly #parts: PreparingParts
	#tools = new WeakMap<Caller, Map<string, PreparedTool | null>>()

	constructor(parts: PreparingParts) {
		this.#parts = parts
	}

	/** Discards all tools after a change. */
	clear(): void {
		this.#tools = new WeakMap()
	}

	/** Null if the calls must run as operations. */
	of(caller: Caller, name: string): PreparedTool | null {
		let tools = this.#tools.get(caller)
		if (!tools) {
			tools = new Map()
			this.#tools.set(caller, tools)
		}
		const known = tools.get(name)
		if (known !== undefined && (known === null || this.#parts.clock.nowMs() < known.untilMs)) return known
		const prepared = this.#prepare(caller, name)
		if (tools.size >= maxTools) tools.clear()
		tools.set(name, prepared)
		return prepared
	}

	/** How a client's calls are sent to the server; null if they need more than sending. */
	senderOf(
		{ senders, server, tool, mayBeTask }: PreparedTool,
		client: ClientProgram,
	): PlainCallSender | null {
		const known = senders.get(client)
		// The session may have ended, or a call of this client may need another request first.
		if (known && (known.upstreamSession?.takesAtOnce(client) ?? true)) return known
		if (mayBeTask && client.era === 'modern') return null
		const sender = this.#parts.upstreams.plainCallSender(server, client, tool)
		if (sender) senders.set(client, sender)
		return sender
	}

	#prepare(caller: Caller, name: string): PreparedTool | null {
		const parts = this.#parts
		const { enforcement, recordsToolContent } = parts
		const { agentId, serverId, workspaceId } = caller
		if ((name === findTools || name === callTool) && listsSearchTool(parts, caller)) return null
		if (isReadMore(parts, caller, name)) return null
		const { server, tool, refusal, approval } = enforcement.choose(agentId, serverId, name)
		if (!server || !tool || refusal || approval) return null
		if (hasParamHeaders(tool) || !isOfferedToEveryClient(server, tool.name)) return null
		if (enforcement.boundsOf(agentId, server, tool.name).length > 0) return null
		const about = { server, tool: tool.name }
		return {
			...{ caller, name, ...about, definition: tool },
			untilMs: enforcement.listInputsOf(agentId, server.id).untilMs,
			decidesByArguments: enforcement.decidesByCall(agentId, server.id, tool.name),
			facts: encode(aboutPlan(parts, { caller, request: { method: 'tools/call' } }, about)),
			capturesResults: server.capturesResults ?? recordsToolContent(workspaceId),
			mayBeTask: supportsTasks(tool),
			senders: new WeakMap(),
		}
	}
}
