import type { Dispatcher } from 'undici'
import type { ToolDefinition } from '../server-entry.ts'
import { type Ability, abilitiesAt, type ConditionalTools, capabilitiesWith } from './abilities.ts'
import { type Discovery, listToolsAs, type Patience, type Target } from './discover-server.ts'

/** The tools that a server has beyond those that it has for everybody. */
export interface Conditional {
	tools: ToolDefinition[]
	conditions: ConditionalTools
	/** Whether it was found out which abilities open each; else they count as for clients with every ability. */
	areConditionsKnown: boolean
}

export interface Look {
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
	{ depth, patience, inTurn }: Look,
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
