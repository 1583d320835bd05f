import type { ServerEntry } from '../../../servers/index.ts'
import type { CarriedTool } from './carried-tools-repository.ts'
import type { ToolCallSums } from './tool-calls-repository.ts'

interface Ref {
	id: string
	name: string
}

/** One tool of one agent. */
export interface Selected {
	agent: Ref
	/** Null: a tool that is on no registered server. */
	server: Ref | null
	tool: string
	listed: boolean
	offered: number
	chosen: number
	calls: number
	errors: number
	lastMs: number | null
}

/** Puts together what is listed, what was called and what models were offered: three names of one tool. */
export class SelectionTable {
	readonly #rows = new Map<string, Selected>()
	/** By agent and each name that a model may know a tool by. */
	readonly #byName = new Map<string, { row: Selected; prefixes: readonly string[] }[]>()

	get size(): number {
		return this.#rows.size
	}

	addListed(agent: Ref, server: ServerEntry, tool: string): void {
		this.#rowOf(agent, server, tool, server).listed = true
	}

	addCalls(sums: ToolCallSums, server: ServerEntry | undefined): void {
		const agent = { id: sums.agent, name: sums.agent_label }
		const row = this.#rowOf(agent, { id: sums.server, name: sums.server_label }, sums.tool, server)
		row.calls += Number(sums.calls)
		row.errors += Number(sums.errors)
		row.lastMs = Math.max(row.lastMs ?? 0, Number(sums.last_ms))
	}

	/** Last, when all tools are known. */
	addCarried({ agent, agent_label, name, offered, chosen }: CarriedTool): void {
		const row = this.#find(agent, name) ?? this.#rowOf({ id: agent, name: agent_label }, null, name)
		row.offered += Number(offered)
		row.chosen += Number(chosen)
	}

	rows(): Selected[] {
		return [...this.#rows.values()]
	}

	#rowOf(agent: Ref, server: Ref | null, tool: string, entry?: ServerEntry): Selected {
		const key = `${agent.id} ${server?.id ?? ''} ${tool}`
		const known = this.#rows.get(key)
		if (known) return known
		const figures = { listed: false, offered: 0, chosen: 0, calls: 0, errors: 0, lastMs: null }
		const row: Selected = { agent, server: server && { id: server.id, name: server.name }, tool, ...figures }
		this.#rows.set(key, row)
		if (server) this.#name(row, entry)
		return row
	}

	#name(row: Selected, entry: ServerEntry | undefined): void {
		const prefixes = entry ? [entry.slug, entry.toolPrefix] : []
		for (const name of new Set([row.tool, entry?.toolAliases.get(row.tool) ?? row.tool])) {
			const key = `${row.agent.id} ${name}`
			const others = this.#byName.get(key)
			if (others) others.push({ row, prefixes })
			else this.#byName.set(key, [{ row, prefixes }])
		}
	}

	/** Clients and the aggregate put names before `__`: `mcp__github__search`. What fits several tools is none of them. */
	#find(agentId: string, name: string): Selected | undefined {
		const parts = name.split('__')
		for (const at of parts.keys()) {
			const found = this.#byName.get(`${agentId} ${parts.slice(at).join('__')}`)
			if (!found) continue
			const before = parts.slice(0, at)
			const fitting = found.filter(({ prefixes }) => prefixes.some((prefix) => before.includes(prefix)))
			const [only, ...others] = fitting.length > 0 ? fitting : found
			if (others.length === 0) return only?.row
		}
		return undefined
	}
}
