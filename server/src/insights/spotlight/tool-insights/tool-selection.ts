import { setImmediate } from 'node:timers/promises'
import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import { decideAccess } from '../../../access/grants/index.ts'
import { toIso } from '../../../platform/clock.ts'
import type { ServerEntry } from '../../../servers/index.ts'
import type { Findings, InsightContext, InsightRequest } from './tool-insight-context.ts'
import {
	type CarriedTool,
	listAgents,
	sumCarriedTools,
	sumToolCalls,
	type ToolCallSums,
} from './tool-insight-repository.ts'

/** The names of the tools of a server that the gateway lists for an agent, by the judge that it asks itself. */
function listedTools(
	{ agents, grants, clock }: Pick<InsightContext, 'agents' | 'grants' | 'clock'>,
	agentId: string,
	server: ServerEntry,
): string[] {
	const granted = grants.of(agentId, server.id)
	const asked = { agent: agents.get(agentId), server, grants: granted, nowMs: clock.nowMs() }
	return server.tools
		.filter((definition) => {
			const tool = definition.name
			const pin = server.suspended.has(tool) ? 'suspended' : 'open'
			return decideAccess({ ...asked, tool, definition, pin }).allowed
		})
		.map(({ name }) => name)
}

interface Ref {
	id: string
	name: string
}

/** One tool of one agent. */
interface Selected {
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
class SelectionTable {
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

type Row = OutputOf<(typeof spotlightMcpOperations)['tool_selection']>['tool_selection'][number]

/** Agents times tools may be far more than anybody reads. */
const mostRows = 200_000

/** What agents were offered and what they called: what was never called, but offered the most often, first. */
export async function readToolSelection(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<Row>> {
	const [calls, carried] = await Promise.all([sumToolCalls(context, asked), sumCarriedTools(context, asked)])
	const table = new SelectionTable()
	const truncated = !(await addListed(table, context, asked))
	for (const sums of calls) if (sums.agent !== '') table.addCalls(sums, context.servers.get(sums.server))
	for (const tool of carried) table.addCarried(tool)
	const rows = table.rows().filter(({ server }) => asked.server === undefined || server?.id === asked.server)
	rows.sort(rarestFirst)
	return { rows: rows.slice(0, asked.limit).map(present), total: rows.length, truncated }
}

/** False when there were too many. */
async function addListed(
	table: SelectionTable,
	context: InsightContext,
	{ workspaceId, agent, server }: InsightRequest,
): Promise<boolean> {
	for (const each of await listAgents(context.store.db, workspaceId, agent)) {
		const ids = context.grants.serversOf(each.id).filter((id) => server === undefined || id === server)
		for (const entry of ids.map((id) => context.servers.get(id))) {
			if (table.size >= mostRows) return false
			if (!entry) continue
			for (const tool of listedTools(context, each.id, entry)) table.addListed(each, entry, tool)
		}
		await setImmediate()
	}
	return true
}

function rarestFirst(a: Selected, b: Selected): number {
	const byUse = a.calls + a.chosen - b.calls - b.chosen
	return byUse || b.offered - a.offered || Number(b.listed) - Number(a.listed) || compareNames(a, b)
}

function compareNames(a: Selected, b: Selected): number {
	const [first, second] = [a, b].map((row) => [
		row.agent.name,
		row.server?.name ?? '',
		row.tool,
		row.agent.id,
	])
	return String(first) < String(second) ? -1 : 1
}

function present({ lastMs, ...row }: Selected): Row {
	return {
		...row,
		choice_rate: row.offered === 0 ? null : row.chosen / row.offered,
		last_called_at: lastMs === null ? null : toIso(lastMs),
	}
}
