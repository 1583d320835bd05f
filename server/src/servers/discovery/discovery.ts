import type { Dispatcher } from 'undici'
import type { ToolDefinition } from '../server-entry.ts'
import {
	type Conversation,
	DiscoveryClient,
	type DiscoveryTimeouts,
	noServer,
	type Target,
} from './discovery-client.ts'
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

export type { DiscoveryTimeouts, Target }

export interface Discovery {
	transportType: 'http' | 'sse'
	/** The newest protocol revision that both sides speak. */
	protocolVersion: string
	introduction: Introduction
	/** Null if they are unknown although the server responds. */
	tools: ToolDefinition[] | null
	/** Why they could not be listed. */
	toolsFailure: string | null
	/** Whether that is because the list timed out. */
	areToolsLate?: boolean
	/** Whether `tools` may lack those that the server lists only for some clients. */
	isPartial?: boolean
	/** Of the first request that it answered as a server of its era. */
	latencyMs: number
}

/**
 * Queries a server's introduction and tools: first in the era of 2026-07-28, then by `initialize`, then over the 2024 transport.
 * Rejects with an `UpstreamFailure`.
 */
export async function discoverServer(
	dispatcher: Dispatcher,
	target: Target,
	patience: DiscoveryTimeouts,
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

/** Queries only the revision that a server speaks. Rejects with an `UpstreamFailure`. */
export function probeRevision(
	dispatcher: Dispatcher,
	target: Target,
	patience: DiscoveryTimeouts,
): Promise<string> {
	return inConversation(dispatcher, target, patience, async ({ protocolVersion }) => protocolVersion)
}

/** The tools of a discovered server, as a client with the target's capabilities sees them. */
function listToolsAs(
	dispatcher: Dispatcher,
	target: Target,
	known: Pick<Discovery, 'transportType' | 'protocolVersion'>,
	patience: DiscoveryTimeouts,
): Promise<ToolDefinition[]> {
	return inConversation(
		dispatcher,
		target,
		patience,
		(conversation) => conversation.listTools(),
		async (asking) =>
			(await asking.reopen(known)) ?? noServer('No MCP server answers at this address any more.'),
	)
}

async function inConversation<T>(
	dispatcher: Dispatcher,
	target: Target,
	patience: DiscoveryTimeouts,
	use: (conversation: Conversation) => Promise<T>,
	open = (asking: DiscoveryClient) => asking.open(target),
): Promise<T> {
	const asking = new DiscoveryClient(dispatcher, target, patience)
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

/** The tools that a server lists only for some clients. */
interface Conditional {
	tools: ToolDefinition[]
	conditions: ConditionalTools
	/** Whether the abilities that open each are known; otherwise the tools are only for clients with every ability. */
	areConditionsKnown: boolean
}

export interface DiscoveryOptions {
	/** The extent: `names` takes one conversation, `conditions` one more for each ability. */
	depth: 'names' | 'conditions'
	patience: DiscoveryTimeouts
	/** Whether conversations run one after the other: for programs, where each is another process. */
	inTurn: boolean
}

/**
 * Lists the tools of a server as a client with every ability, to find those that are hidden from a client without any. Then it
 * tests which ability opens each tool, unless `known` covers the same names. Rejects with an `UpstreamFailure` if the names could
 * not be listed.
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
	const list = (abilities: readonly Ability[]) => {
		const capabilities = capabilitiesWith(abilities)
		return listToolsAs(dispatcher, { ...target, transportType: null, capabilities, signal }, plain, patience)
	}
	const all = abilitiesAt(plain.protocolVersion)
	const open = new Set(plain.tools?.map(({ name }) => name))
	const tools = (await list(all)).filter(({ name }) => !open.has(name))
	const names = tools.map(({ name }) => name)
	if (names.length === 0) return { tools, conditions: {}, areConditionsKnown: true }
	if (known.areConditionsKnown && isFor(names, known.conditions)) return { ...known, tools }
	const lists = depth === 'conditions' ? await listByAbility(all, list, inTurn) : null
	return {
		tools,
		conditions: conditionsOf(names, all, known.conditions, lists),
		areConditionsKnown: lists !== null,
	}
}

type ByAbility = readonly (readonly [Ability, ToolDefinition[]])[]

/** Null if one list failed: with only some of the lists, tools would be hidden from clients that they are for. */
async function listByAbility(
	all: readonly Ability[],
	list: (abilities: readonly Ability[]) => Promise<ToolDefinition[]>,
	inTurn: boolean,
): Promise<ByAbility | null> {
	try {
		if (!inTurn)
			return await Promise.all(all.map(async (ability) => [ability, await list([ability])] as const))
		const lists: [Ability, ToolDefinition[]][] = []
		for (const ability of all) lists.push([ability, await list([ability])])
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
	// Few clients show MCP Apps, and few tools need that in addition to another ability.
	const most = all.filter((ability) => ability !== 'ui')
	const entries = names.map((name): [string, readonly (readonly Ability[])[]] => {
		if (lists === null) return [name, Object.hasOwn(known, name) ? (known[name] ?? [most]) : [most]]
		const opening = lists.filter(([, tools]) => tools.some((tool) => tool.name === name))
		return [name, opening.length > 0 ? opening.map(([ability]) => [ability]) : [most]]
	})
	return Object.fromEntries(entries)
}

/** If every tool needs all abilities, the individual abilities were never tested. */
function isFor(names: readonly string[], known: ConditionalTools): boolean {
	const wasAsked = Object.values(known).some((sets) => sets.some((needed) => needed.length === 1))
	const isSame =
		names.length === Object.keys(known).length && names.every((name) => Object.hasOwn(known, name))
	return isSame && wasAsked
}
