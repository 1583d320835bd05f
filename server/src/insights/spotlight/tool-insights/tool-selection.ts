import { setImmediate } from 'node:timers/promises'
import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import { decideAccess } from '../../../access/grants/index.ts'
import { toIso } from '../../../platform/clock.ts'
import type { ServerEntry } from '../../../servers/servers.ts'
import type { Findings, InsightContext, InsightRequest } from './tool-insight-context.ts'
import {
	type CarriedTool,
	listAgents,
	sumCarriedTools,
	sumToolCalls,
	type ToolCallSums,
} from './tool-insight-repository.ts'

/** The tools of a server that the gateway lists for an agent, according to the same access decision that the gateway uses. */
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
			const suspended = server.suspended.get(tool)
			return decideAccess({ ...asked, tool, definition, suspended }).allowed
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
	/** Null: a tool on no registered server. */
	server: Ref | null
	tool: string
	listed: boolean
	offered: number
	chosen: number
	calls: number
	errors: number
	lastMs: number | null
}

/** Merges the listed tools, the called tools and the tools offered to models, which have different names for the same tool. */
class SelectionTable {
	readonly #rows = new Map<string, Selected>()
	/** By agent and each name by which a model may know a tool. */
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

	/** Call it last, when all tools are known. */
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

	/**
	 * Clients and the aggregate endpoint add prefixes before `__`: `mcp__github__search`. A name that matches several tools is assigned
	 * to none.
	 */
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

/** Limited, because agents times tools may be far more than anybody reads. */
const maxRows = 200_000

/** The tools that agents were offered and that they called; those that were never called but offered most often come first. */
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

/** False if there were too many. */
async function addListed(
	table: SelectionTable,
	context: InsightContext,
	{ workspaceId, agent, server }: InsightRequest,
): Promise<boolean> {
	for (const each of await listAgents(context.store.db, workspaceId, agent)) {
		const ids = context.grants.serversOf(each.id).filter((id) => server === undefined || id === server)
		for (const entry of ids.map((id) => context.servers.get(id))) {
			if (table.size >= maxRows) return false
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

const shortest = 3

/** `listOpenIssues`, `list_open_issues` and `list-open-issues` have the same words. */
function wordsOfName(name: string): string[] {
	const parts = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
	return parts.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

/** Short words are not significant, and only the beginning of a long text is compared. */
function wordsOfText(text: string): Set<string> {
	const words = text
		.slice(0, 2000)
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
	return new Set(words.filter((word) => word.length >= shortest))
}

/** Jaccard similarity: the words in both divided by the words in either; 0 if one has none. */
function similarity(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
	if (first.size === 0 || second.size === 0) return 0
	let both = 0
	for (const word of first) if (second.has(word)) both += 1
	return both / (first.size + second.size - both)
}

/** A tool in the comparison. */
interface ComparedTool {
	server: ServerEntry
	tool: string
	name: ReadonlySet<string>
	/** The words of the name in order. */
	spelling: string
	description: ReadonlySet<string>
}

interface Overlap {
	first: ComparedTool
	second: ComparedTool
	sameName: boolean
	nameSimilarity: number
	descriptionSimilarity: number
}

/** Maximum number of pairs to compare: half a second of work. */
const maxPairs = 500_000
/** A word that more tools have (`get`, `list`) is not significant. */
const rareTools = 100
const pairsPerTurn = 5000

/** Minimum similarities; tools below both are different. */
const alike = { name: 0.75, description: 0.6 }

export function comparedTools(servers: readonly ServerEntry[]): ComparedTool[] {
	return servers.flatMap((server) =>
		server.tools.map(({ name, description }) => {
			const words = wordsOfName(name)
			const text = typeof description === 'string' ? description : ''
			return {
				...{ server, tool: name },
				name: new Set(words),
				spelling: words.join(' '),
				description: wordsOfText(text),
			}
		}),
	)
}

/** Pairs of nearly equal tools on different servers. Only tools that share a rare word are compared. */
async function findOverlaps(
	tools: readonly ComparedTool[],
): Promise<{ overlaps: Overlap[]; truncated: boolean }> {
	const overlaps: Overlap[] = []
	let pairs = 0
	for (const [first, second] of candidatePairs(tools)) {
		if (pairs === maxPairs) return { overlaps, truncated: true }
		pairs += 1
		if (pairs % pairsPerTurn === 0) await setImmediate()
		const overlap = compare(first, second)
		if (overlap) overlaps.push(overlap)
	}
	return { overlaps, truncated: false }
}

function* candidatePairs(tools: readonly ComparedTool[]): Generator<[ComparedTool, ComparedTool]> {
	const byWord = placesByWord(tools)
	for (const [place, first] of tools.entries()) {
		const near = new Set(keysOf(first).flatMap((key) => rareEnough(byWord.get(key))))
		for (const other of near) {
			const second = tools[other] as ComparedTool
			if (other > place && second.server !== first.server) yield [first, second]
		}
	}
}

/** The whole name is always a key, so equal names are compared. */
function keysOf({ name, description, spelling }: ComparedTool): string[] {
	return [`= ${spelling}`, ...new Set([...name, ...description])]
}

function placesByWord(tools: readonly ComparedTool[]): Map<string, number[]> {
	const places = new Map<string, number[]>()
	for (const [place, tool] of tools.entries())
		for (const key of keysOf(tool)) {
			const known = places.get(key)
			if (known) known.push(place)
			else places.set(key, [place])
		}
	return places
}

function rareEnough(places: readonly number[] = []): readonly number[] {
	return places.length <= rareTools ? places : []
}

/** Null if they are different tools. */
export function compare(first: ComparedTool, second: ComparedTool): Overlap | null {
	const nameSimilarity = similarity(first.name, second.name)
	const descriptionSimilarity = similarity(first.description, second.description)
	const isAlike = nameSimilarity >= alike.name || descriptionSimilarity >= alike.description
	if (!isAlike) return null
	const sameName = first.spelling === second.spelling
	return { ...{ first, second, sameName }, nameSimilarity, descriptionSimilarity }
}

type OverlapRow = OutputOf<(typeof spotlightMcpOperations)['overlaps']>['overlaps'][number]

/** Tools that several servers have, most similar first. */
export async function readOverlaps(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<OverlapRow>> {
	const { agent, server, limit } = asked
	const servers = serversOf(context, asked).toSorted((a, b) => (a.id < b.id ? -1 : 1))
	const found = await findOverlaps(comparedTools(servers))
	const overlaps = found.overlaps.filter(
		({ first, second }) => server === undefined || [first.server.id, second.server.id].includes(server),
	)
	overlaps.sort(maxAlikeFirst)
	const { workspaceId, range } = asked
	const sums = await sumToolCalls(context, { workspaceId, range, ...(agent !== undefined && { agent }) })
	const calls = new Map<string, number>()
	for (const each of sums) {
		const key = `${each.server} ${each.tool}`
		calls.set(key, (calls.get(key) ?? 0) + Number(each.calls))
	}
	const presentTool = ({ server: { id, name }, tool }: ComparedTool) => ({
		...{ server: { id, name }, tool },
		calls: calls.get(`${id} ${tool}`) ?? 0,
	})
	return {
		rows: overlaps.slice(0, limit).map((overlap) => ({
			first: presentTool(overlap.first),
			second: presentTool(overlap.second),
			same_name: overlap.sameName,
			name_similarity: overlap.nameSimilarity,
			description_similarity: overlap.descriptionSimilarity,
		})),
		total: overlaps.length,
		truncated: found.truncated,
	}
}

function serversOf({ servers, grants }: InsightContext, { workspaceId, agent }: InsightRequest) {
	const all = servers.list(workspaceId)
	if (agent === undefined) return all
	const granted = new Set(grants.serversOf(agent))
	return all.filter(({ id }) => granted.has(id))
}

function maxAlikeFirst(a: Overlap, b: Overlap): number {
	return scoreOf(b) - scoreOf(a) || (namesOf(a) < namesOf(b) ? -1 : 1)
}

const scoreOf = ({ nameSimilarity, descriptionSimilarity }: Overlap) => nameSimilarity + descriptionSimilarity
const namesOf = ({ first, second }: Overlap) =>
	`${first.server.id} ${first.tool} ${second.server.id} ${second.tool}`
