import { setImmediate } from 'node:timers/promises'
import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import type { ServerEntry } from '../../../servers/index.ts'
import type { Findings, InsightContext, InsightRequest } from './tool-insight-context.ts'
import { sumToolCalls } from './tool-insight-repository.ts'

const shortest = 3

/** `listOpenIssues`, `list_open_issues` and `list-open-issues` are the same words. */
function wordsOfName(name: string): string[] {
	const parts = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
	return parts.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

/** Short words say nothing, and a long text is compared by its beginning. */
function wordsOfText(text: string): Set<string> {
	const words = text
		.slice(0, 2000)
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
	return new Set(words.filter((word) => word.length >= shortest))
}

/** Words in both of all words in either (Jaccard); 0 where one has none. */
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
	/** The words of the name in their order. */
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

/** Pairs that are compared at most: half a second of work. */
const mostPairs = 500_000
/** A word of more tools (`get`, `list`) says nothing of what they do. */
const rareTools = 100
const pairsPerTurn = 5000

/** Below these two tools are different ones. */
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

/** Pairs of tools of different servers that are nearly the same. Only tools with a rare word in common are compared. */
async function findOverlaps(
	tools: readonly ComparedTool[],
): Promise<{ overlaps: Overlap[]; truncated: boolean }> {
	const overlaps: Overlap[] = []
	let pairs = 0
	for (const [first, second] of candidatePairs(tools)) {
		if (pairs === mostPairs) return { overlaps, truncated: true }
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

/** A whole name is always a reason to compare. */
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

/** Null when they are different tools. */
export function compare(first: ComparedTool, second: ComparedTool): Overlap | null {
	const nameSimilarity = similarity(first.name, second.name)
	const descriptionSimilarity = similarity(first.description, second.description)
	const isAlike = nameSimilarity >= alike.name || descriptionSimilarity >= alike.description
	if (!isAlike) return null
	const sameName = first.spelling === second.spelling
	return { ...{ first, second, sameName }, nameSimilarity, descriptionSimilarity }
}

type Row = OutputOf<(typeof spotlightMcpOperations)['overlaps']>['overlaps'][number]

/** Tools that several servers have, the most alike first. */
export async function readOverlaps(context: InsightContext, asked: InsightRequest): Promise<Findings<Row>> {
	const { agent, server, limit } = asked
	const servers = serversOf(context, asked).toSorted((a, b) => (a.id < b.id ? -1 : 1))
	const found = await findOverlaps(comparedTools(servers))
	const overlaps = found.overlaps.filter(
		({ first, second }) => server === undefined || [first.server.id, second.server.id].includes(server),
	)
	overlaps.sort(mostAlikeFirst)
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

function mostAlikeFirst(a: Overlap, b: Overlap): number {
	return scoreOf(b) - scoreOf(a) || (namesOf(a) < namesOf(b) ? -1 : 1)
}

const scoreOf = ({ nameSimilarity, descriptionSimilarity }: Overlap) => nameSimilarity + descriptionSimilarity
const namesOf = ({ first, second }: Overlap) =>
	`${first.server.id} ${first.tool} ${second.server.id} ${second.tool}`
