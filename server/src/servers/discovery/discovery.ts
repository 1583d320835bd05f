import type { Dispatcher } from 'undici'
import type { ToolDefinition } from '../server-entry.ts'
import { Asking, type Conversation, noServer, type Patience, type Target } from './asking.ts'
import {
	type Ability,
	abilitiesAt,
	type ConditionalTools,
	capabilitiesWith,
	type Introduction,
} from './introduction.ts'
import { toUpstreamFailure } from './upstream-failure.ts'

export {
	type Ability,
	abilitiesIn,
	capabilitiesWith,
	type Introduction,
	uiExtension,
} from './introduction.ts'
export { UpstreamFailure } from './upstream-failure.ts'

export type { Patience, Target }

export interface Discovery {
	transportType: 'http' | 'sse'
	/** The newest protocol revision that both sides speak. */
	protocolVersion: string
	introduction: Introduction
	/** Null when they are not known, although the server answers. */
	tools: ToolDefinition[] | null
	/** Why the server did not list them. */
	toolsFailure: string | null
	/** Whether that is because they did not come in time. */
	areToolsLate?: boolean
	/** Whether `tools` may lack some: those that it has only for some clients. */
	isPartial?: boolean
	/** Of the first request that it answered as a server of its era. */
	latencyMs: number
}

/**
 * Asks a server what it is and which tools it has: first in the era of 2026-07-28, then by
 * `initialize`, then over the 2024 transport. Rejects with an `UpstreamFailure`.
 */
export async function discoverServer(
	dispatcher: Dispatcher,
	target: Target,
	patience: Patience,
): Promise<Discovery> {
	return inConversation(dispatcher, target, patience, async (conversation) => {
		const listed = await conversation.listTools().then(
			(tools) => ({ tools, toolsFailure: null }),
			(error: unknown) => {
				const { message, late } = toUpstreamFailure(error)
				return { tools: null, toolsFailure: message, areToolsLate: late }
			},
		)
		const { transportType, protocolVersion, introduction, latencyMs } = conversation
		return { transportType, protocolVersion, introduction, latencyMs, ...listed }
	})
}

/** Asks a server only which revision it speaks. Rejects with an `UpstreamFailure`. */
export function probeRevision(dispatcher: Dispatcher, target: Target, patience: Patience): Promise<string> {
	return inConversation(dispatcher, target, patience, async ({ protocolVersion }) => protocolVersion)
}

/** The tools of a server that was discovered already, as a client with the target's capabilities sees them. */
function listToolsAs(
	dispatcher: Dispatcher,
	target: Target,
	known: Pick<Discovery, 'transportType' | 'protocolVersion'>,
	patience: Patience,
): Promise<ToolDefinition[]> {
	return inConversation(
		dispatcher,
		target,
		patience,
		(conversation) => conversation.listTools(),
		async (asking) =>
			(await asking.openAgain(known)) ?? noServer('No MCP server answers at this address any more.'),
	)
}

async function inConversation<T>(
	dispatcher: Dispatcher,
	target: Target,
	patience: Patience,
	use: (conversation: Conversation) => Promise<T>,
	open = (asking: Asking) => asking.open(target),
): Promise<T> {
	const asking = new Asking(dispatcher, target, patience)
	try {
		const conversation = await open(asking)
		const result = await use(conversation)
		await conversation.end()
		return result
	} catch (error) {
		throw toUpstreamFailure(error)
	} finally {
		asking.close()
	}
}

/** The tools that a server has beyond those that it has for everybody. */
interface Conditional {
	tools: ToolDefinition[]
	conditions: ConditionalTools
	/** Whether it was found out which abilities open each; else they count as for clients with every ability. */
	areConditionsKnown: boolean
}

export interface DiscoveryOptions {
	/** The share of the work: `names` is one conversation, `conditions` one more for each ability. */
	depth: 'names' | 'conditions'
	patience: Patience
	/** Whether one conversation follows the other: for programs, of which each is one more process. */
	inTurn: boolean
}

/**
 * Asks a server, as a client with every ability, for tools that it had not for one without any, and then ability by
 * ability which of them each one opens; the latter not for the same names as are `known`. Rejects with an `UpstreamFailure`
 * when the names could not be had.
 */
export async function discoverConditional(
	dispatcher: Dispatcher,
	target: Pick<Target, 'url' | 'headers' | 'signal'>,
	plain: Discovery,
	known: Pick<Conditional, 'conditions' | 'areConditionsKnown'>,
	{ depth, patience, inTurn }: DiscoveryOptions,
): Promise<Conditional> {
	const ending = AbortSignal.timeout(patience.totalMs)
	const signal = target.signal ? AbortSignal.any([target.signal, ending]) : ending
	const look = (abilities: readonly Ability[]) => {
		const capabilities = capabilitiesWith(abilities)
		return listToolsAs(dispatcher, { ...target, transportType: null, capabilities, signal }, plain, patience)
	}
	const all = abilitiesAt(plain.protocolVersion)
	const open = new Set(plain.tools?.map(({ name }) => name))
	const tools = (await look(all)).filter(({ name }) => !open.has(name))
	const names = tools.map(({ name }) => name)
	if (names.length === 0) return { tools, conditions: {}, areConditionsKnown: true }
	if (known.areConditionsKnown && isFor(names, known.conditions)) return { ...known, tools }
	const lists = depth === 'conditions' ? await lookByAbility(all, look, inTurn) : null
	return {
		tools,
		conditions: conditionsOf(names, all, known.conditions, lists),
		areConditionsKnown: lists !== null,
	}
}

type ByAbility = readonly (readonly [Ability, ToolDefinition[]])[]

/** Null when one of them failed: half of it would open tools to none of those whom they are for. */
async function lookByAbility(
	all: readonly Ability[],
	look: (abilities: readonly Ability[]) => Promise<ToolDefinition[]>,
	inTurn: boolean,
): Promise<ByAbility | null> {
	try {
		if (!inTurn)
			return await Promise.all(all.map(async (ability) => [ability, await look([ability])] as const))
		const lists: [Ability, ToolDefinition[]][] = []
		for (const ability of all) lists.push([ability, await look([ability])])
		return lists
	} catch {
		return null
	}
}

function conditionsOf(
	names: readonly string[],
	all: readonly Ability[],
	known: ConditionalTools,
	lists: ByAbility | null,
): ConditionalTools {
	// Few clients show pages, and few tools need that beside something else.
	const most = all.filter((ability) => ability !== 'ui')
	const entries = names.map((name): [string, readonly (readonly Ability[])[]] => {
		if (lists === null) return [name, Object.hasOwn(known, name) ? (known[name] ?? [most]) : [most]]
		const opening = lists.filter(([, tools]) => tools.some((tool) => tool.name === name))
		return [name, opening.length > 0 ? opening.map(([ability]) => [ability]) : [most]]
	})
	return Object.fromEntries(entries)
}

/** Where every one needs all abilities, nobody asked which. */
function isFor(names: readonly string[], known: ConditionalTools): boolean {
	const wasAsked = Object.values(known).some((sets) => sets.some((needed) => needed.length === 1))
	const isSame =
		names.length === Object.keys(known).length && names.every((name) => Object.hasOwn(known, name))
	return isSame && wasAsked
}
