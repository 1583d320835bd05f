import { setImmediate } from 'node:timers/promises'
import type { ServerEntry } from '../../../servers/index.ts'
import { similarity, wordsOfName, wordsOfText } from './likeness.ts'

/** A tool in the comparison. */
export interface ComparedTool {
	server: ServerEntry
	tool: string
	name: ReadonlySet<string>
	/** The words of the name in their order. */
	spelling: string
	description: ReadonlySet<string>
}

export interface Overlap {
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
export const alike = { name: 0.75, description: 0.6 }

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
export async function findOverlaps(
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
