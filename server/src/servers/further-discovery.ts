import { createHash } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { isObject } from '../mcp-client/index.ts'
import { parseExactNumbers } from '../platform/json/parse-json.ts'
import {
	type Discovery,
	type DiscoveryOptions,
	discoverConditional,
	type Introduction,
	UpstreamFailure,
} from './discovery/discovery.ts'
import type { ServerContext } from './server-context.ts'
import type { ToolDefinition } from './server-entry.ts'
import type { ServerRow } from './server-repository.ts'
import { listTools } from './tool-definitions/tool-definitions.ts'

type Seen = Pick<Discovery, 'tools' | 'introduction' | 'isPartial'>
type Stored = Pick<ServerContext, 'store' | 'clock'>

/** How to reach a server that has just been discovered. */
export interface DiscoveryTarget {
	dispatcher: Dispatcher
	url: string
	headers: ReadonlyMap<string, string>
	signal: AbortSignal
}

/** Adds the tools that a server lists only for clients with certain capabilities to a discovery. */
export type DiscoverFurther = (way: DiscoveryTarget, found: Discovery, leftMs: number) => Promise<Discovery>

const goesOn = 'It goes on in the background.'
const lateText = `Its tools for clients with certain capabilities were not all found in time. ${goesOn}`
const conditionsText = `For which clients some of its tools are was not asked in time. ${goesOn}`

/** Discovers them in the remaining time; the rest is discovered in the background. */
export const discoverFurtherNow: DiscoverFurther = async (way, found, leftMs) => {
	if (!mayHaveMore(found)) return found
	if (leftMs <= 0) return partial(found, lateText)
	const patience = { messageMs: leftMs, totalMs: leftMs }
	const discovered = await discoverFurther(way, found, null, { depth: 'conditions', patience, inTurn: false })
	return discovered instanceof Error ? partial(found, lateText) : discovered
}

function mayHaveMore({ tools, introduction }: Discovery): boolean {
	return tools !== null && isObject(introduction.capabilities.tools)
}

function partial(found: Discovery, pending: string): Discovery {
	return { ...found, isPartial: true, introduction: { ...found.introduction, pending } }
}

/** All tools that a server lists for any client, or the reason why they could not be listed. */
async function discoverFurther(
	{ dispatcher, ...target }: DiscoveryTarget,
	found: Discovery,
	before: string | null,
	options: DiscoveryOptions,
): Promise<Discovery | UpstreamFailure> {
	if (!mayHaveMore(found)) return found
	const known = knownConditions(before, found)
	try {
		const { tools, conditions, areConditionsKnown } = await discoverConditional(
			dispatcher,
			target,
			found,
			known,
			options,
		)
		const whole = withConditional(found, tools, conditions)
		if (areConditionsKnown) return whole
		return { ...whole, introduction: { ...whole.introduction, pending: conditionsText } }
	} catch (error) {
		if (!(error instanceof UpstreamFailure)) throw error
		// The server has nothing for such clients, and never had.
		return error.refused && Object.keys(known.conditions).length === 0 ? found : error
	}
}

/** Adds them as they are stored, if they are not discovered now. */
async function asStored({ store }: Stored, row: ServerRow, found: Discovery): Promise<Discovery> {
	const open = new Set(found.tools?.map(({ name }) => name))
	const known = Object.entries(readConditions(row.introduction)).filter(([name]) => !open.has(name))
	if (known.length === 0) return found
	const conditions = Object.fromEntries(known)
	const stored = await listTools(store.db, row.workspace_id, row.id)
	const tools = stored.filter(({ name }) => Object.hasOwn(conditions, name))
	const definitions = tools.map(({ definition }) => parseExactNumbers(definition) as ToolDefinition)
	return withConditional(found, definitions, conditions)
}

function withConditional(
	found: Discovery,
	tools: readonly ToolDefinition[],
	conditionalTools: NonNullable<Introduction['conditionalTools']>,
): Discovery {
	if (Object.keys(conditionalTools).length === 0) return found
	return {
		...found,
		tools: found.tools && [...found.tools, ...tools],
		introduction: { ...found.introduction, conditionalTools },
	}
}

/** The conditions found for another release do not apply to this one. */
function knownConditions(before: string | null, { introduction }: Discovery) {
	const { serverInfo = {} } = readIntroductionText(before)
	const isSame = JSON.stringify(serverInfo) === JSON.stringify(introduction.serverInfo)
	const { pending } = readIntroductionText(before)
	return {
		conditions: isSame ? readConditions(before) : {},
		areConditionsKnown: isSame && pending === undefined,
	}
}

function hasConditionalTools({ introduction }: Pick<ServerRow, 'introduction'>): boolean {
	return Object.keys(readConditions(introduction)).length > 0
}

function readConditions(introduction: string | null) {
	return readIntroductionText(introduction).conditionalTools ?? {}
}

function readIntroductionText(text: string | null): Partial<Introduction> {
	return text === null ? {} : (JSON.parse(text) as Introduction)
}

/** Why the last check of a server was incomplete; null if it was not. */
export function pendingOf({ introduction }: Pick<ServerRow, 'introduction'>): string | null {
	return readIntroductionText(introduction).pending ?? null
}

const everyMs = 60 * 60_000
const againMs = 5 * 60_000
const ofPrograms = { messageMs: 15_000, totalMs: 60_000 }
const ofRemotes = { messageMs: 5000, totalMs: 30_000 }

/** `now`: the current tools are requested; `only first`: only the health is. */
export type DiscoverWhen = 'now' | 'if due' | 'only first'

/** The last discovery of a server: a summary of what every client sees, and whether it was complete. */
interface Last {
	sum: string
	isWhole: boolean
	nextMs: number
}

/**
 * Discovers the conditional tools of stored servers periodically. That costs another conversation over HTTP, and for a program
 * another process. So it is done when the tools for all clients have changed, once an hour, and over HTTP at every check while such
 * tools exist.
 */
export class FurtherDiscoveries {
	readonly #servers: Stored
	readonly #last = new Map<string, Last>()

	constructor(servers: Stored) {
		this.#servers = servers
	}

	/**
	 * For a check of this server. For a program that was never understood only the names are discovered, which takes one start. An
	 * incomplete discovery does not change the stored tools.
	 */
	at(row: ServerRow, when: DiscoverWhen): DiscoverFurther {
		return async (way, found) => {
			if (found.tools === null) return unseen(row, found)
			const last = this.#lastOf(row, found)
			if (!this.#isWanted(row, last, when))
				return last?.isWhole ? asStored(this.#servers, row, found) : unseen(row, found)
			const isHosted = row.hosting_mode === 'hosted'
			const depth = isHosted && row.introduction === null && when !== 'now' ? 'names' : 'conditions'
			const patience = isHosted ? ofPrograms : ofRemotes
			const discovered = await discoverFurther(way, found, row.introduction, {
				depth,
				patience,
				inTurn: isHosted,
			})
			if (depth === 'conditions') this.#note(row, found, discovered)
			if (!(discovered instanceof Error)) return discovered
			const pending = `Its tools for clients with certain capabilities could not be listed. ${discovered.message}`
			return withoutPartialTools(row, partial(found, pending))
		}
	}

	forget(serverId: string): void {
		this.#last.delete(serverId)
	}

	#note({ id }: ServerRow, found: Discovery, discovered: Discovery | Error): void {
		const isWhole = !(discovered instanceof Error) && discovered.introduction.pending === undefined
		const nextMs = this.#servers.clock.nowMs() + (isWhole ? everyMs : againMs)
		this.#last.set(id, { sum: sumOf(found), nextMs, isWhole })
	}

	#isWanted(row: ServerRow, last: Last | undefined, when: DiscoverWhen): boolean {
		if (when === 'now' || row.introduction === null || row.tools_refreshed_at === null) return true
		return when === 'if due' && this.#isDue(row, last)
	}

	#isDue(row: ServerRow, last: Last | undefined): boolean {
		if (!last || last.nextMs <= this.#servers.clock.nowMs()) return true
		return last.isWhole && row.hosting_mode !== 'hosted' && hasConditionalTools(row)
	}

	/** The last discovery, if what every client sees has not changed since. */
	#lastOf({ id }: ServerRow, found: Discovery): Last | undefined {
		const last = this.#last.get(id)
		return last?.sum === sumOf(found) ? last : undefined
	}
}

/** Drops the tools of an incomplete discovery if the server was discovered before, so that the stored ones stay. */
export function withoutPartialTools<T extends Seen>(row: ServerRow, outcome: T): T {
	if (!outcome.isPartial) return outcome
	const wasSeen = row.tools_refreshed_at !== null || row.introduction !== null
	return wasSeen ? unseen(row, outcome) : outcome
}

/**
 * Marks the tools as unknown. Their stored conditions are kept, and so is the reason why they were not seen, unless this check
 * gives one.
 */
function unseen<T extends Seen>({ introduction }: ServerRow, found: T): T {
	const { conditionalTools, pending } = readIntroductionText(introduction)
	const kept = { ...(conditionalTools && { conditionalTools }), ...(pending !== undefined && { pending }) }
	return { ...found, tools: null, introduction: { ...kept, ...found.introduction } }
}

function sumOf({ tools, protocolVersion, introduction }: Discovery): string {
	const seen = JSON.stringify([protocolVersion, introduction.serverInfo, tools])
	return createHash('sha256').update(seen).digest('base64url')
}
