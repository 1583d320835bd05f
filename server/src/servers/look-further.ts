import { createHash } from 'node:crypto'
import { parseExactNumbers } from '../platform/exact-numbers.ts'
import type { SafeFetch } from '../platform/safe-fetch.ts'
import { listTools } from '../tool-definitions/index.ts'
import type { ServerContext } from './context.ts'
import {
	type Depth,
	type Discovery,
	discoverConditional,
	type Introduction,
	isObject,
	UpstreamFailure,
} from './discovery/index.ts'
import type { ServerRow } from './repository.ts'
import type { ToolDefinition } from './server-entry.ts'

type Stored = Pick<ServerContext, 'store' | 'clock'>

/** How a server is reached that has just been discovered. */
export interface Way {
	safeFetch: Pick<SafeFetch, 'fetch'>
	url: string
	headers: ReadonlyMap<string, string>
	signal: AbortSignal
}

/** Adds to a discovery the tools that the server has only for clients which can be asked, or have other abilities. */
export type Further = (way: Way, found: Discovery, leftMs: number) => Promise<Discovery>

/** Looks for them in the time that is left; a server that does not tell has none for now. */
export const lookAtOnce: Further = async (way, found, timeoutMs) => {
	if (timeoutMs <= 0) return found
	const told = await lookFurther(way, found, null, { depth: 'conditions', timeoutMs })
	return told instanceof Error ? found : told
}

/** At the first start of a program, so that they are among the tools that it is registered with; each look is one more start. */
export const lookForNames: Further = async (way, found) => {
	const told = await lookFurther(way, found, null, { depth: 'names', timeoutMs: remoteMs })
	return told instanceof Error ? found : told
}

async function lookFurther(
	{ safeFetch, ...target }: Way,
	found: Discovery,
	before: string | null,
	how: { depth: Depth; timeoutMs: number },
): Promise<Discovery | UpstreamFailure> {
	if (!isObject(found.introduction.capabilities.tools)) return found
	const known = knownConditions(before, found)
	try {
		const { tools, conditions } = await discoverConditional(safeFetch, target, found, known, how)
		return withConditional(found, tools, conditions)
	} catch (error) {
		if (error instanceof UpstreamFailure) return error
		throw error
	}
}

/** The same as they are stored, where nobody looks for them now. */
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

/** What was found of another release says nothing of this one. */
function knownConditions(before: string | null, { introduction }: Discovery) {
	const { serverInfo = {} } = readIntroductionText(before)
	const isSame = JSON.stringify(serverInfo) === JSON.stringify(introduction.serverInfo)
	return isSame ? readConditions(before) : {}
}

export function hasConditionalTools({ introduction }: Pick<ServerRow, 'introduction'>): boolean {
	return Object.keys(readConditions(introduction)).length > 0
}

function readConditions(introduction: string | null) {
	return readIntroductionText(introduction).conditionalTools ?? {}
}

function readIntroductionText(text: string | null): Partial<Introduction> {
	return text === null ? {} : (JSON.parse(text) as Introduction)
}

const everyMs = 60 * 60_000
const againMs = 5 * 60_000
const programMs = 30_000
const remoteMs = 5000

/** Somebody wants to know the tools as they are now, or only how the server is. */
export type LookWhen = 'now' | 'if due' | 'only first'

/**
 * Looks at stored servers further from time to time. It costs a conversation over HTTP, and of a program one more process: so
 * it is done when what everybody sees has changed, once an hour, and over HTTP at every check while there are such tools.
 */
export class FurtherLooks {
	readonly #servers: Stored
	readonly #last = new Map<string, { sum: string; nextMs: number }>()

	constructor(servers: Stored) {
		this.#servers = servers
	}

	/**
	 * For a check of this server. Of a program that was never understood only the names are found, which is one start: so they
	 * are among the tools that it has first, and need no approval as new ones.
	 */
	at(row: ServerRow, when: LookWhen): Further {
		return async (way, found) => {
			if (found.tools === null || !this.#isWanted(row, found, when))
				return asStored(this.#servers, row, found)
			const isHosted = row.hosting_mode === 'hosted'
			const depth = isHosted && row.introduction === null && when !== 'now' ? 'names' : 'conditions'
			const timeoutMs = isHosted ? programMs : remoteMs
			const told = await lookFurther(way, found, row.introduction, { depth, timeoutMs })
			const isTold = !(told instanceof Error)
			const nextMs = this.#servers.clock.nowMs() + (isTold ? everyMs : againMs)
			if (depth === 'conditions') this.#last.set(row.id, { sum: sumOf(found), nextMs })
			return isTold ? told : asStored(this.#servers, row, found)
		}
	}

	forget(serverId: string): void {
		this.#last.delete(serverId)
	}

	#isWanted(row: ServerRow, found: Discovery, when: LookWhen): boolean {
		if (when === 'now' || row.introduction === null) return true
		return when === 'if due' && this.#isDue(row, found)
	}

	#isDue({ id, hosting_mode, introduction }: ServerRow, found: Discovery): boolean {
		const last = this.#last.get(id)
		if (!last || last.sum !== sumOf(found) || last.nextMs <= this.#servers.clock.nowMs()) return true
		return hosting_mode !== 'hosted' && hasConditionalTools({ introduction })
	}
}

function sumOf({ tools, protocolVersion, introduction }: Discovery): string {
	const seen = JSON.stringify([protocolVersion, introduction.serverInfo, tools])
	return createHash('sha256').update(seen).digest('base64url')
}
