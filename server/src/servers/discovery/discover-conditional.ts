import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { ToolDefinition } from '../server-entry.ts'
import { type Ability, abilitiesAt, type ConditionalTools, capabilitiesWith } from './abilities.ts'
import { type Discovery, listToolsAs, type Target } from './discover-server.ts'

/** The tools that a server has beyond those that it has for everybody. */
export interface Conditional {
	tools: ToolDefinition[]
	conditions: ConditionalTools
}

/** The share of the work: `names` is one conversation, `conditions` one more for each ability. */
export type Depth = 'names' | 'conditions'

/**
 * Asks a server, as a client with every ability, for tools that it had not for one without any, and then ability by
 * ability which of them each one opens; the latter not for the same names as in `known`. What is not asked counts as for
 * clients with every ability. All within `timeoutMs`. Rejects with an `UpstreamFailure`.
 */
export async function discoverConditional(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	target: Pick<Target, 'url' | 'headers' | 'signal'>,
	plain: Discovery,
	known: ConditionalTools,
	{ depth, timeoutMs }: { depth: Depth; timeoutMs: number },
): Promise<Conditional> {
	const ending = AbortSignal.timeout(timeoutMs)
	const signal = target.signal ? AbortSignal.any([target.signal, ending]) : ending
	const look = (abilities: readonly Ability[]) => {
		const capabilities = capabilitiesWith(abilities)
		return listToolsAs(safeFetch, { ...target, transportType: null, capabilities, signal }, plain, timeoutMs)
	}
	const all = abilitiesAt(plain.protocolVersion)
	const open = new Set(plain.tools?.map(({ name }) => name))
	const tools = (await look(all)).filter(({ name }) => !open.has(name))
	const names = tools.map(({ name }) => name)
	if (isKnown(names, known)) return { tools, conditions: known }
	const conditions = Object.fromEntries(names.map((name) => [name, [] as Ability[][]]))
	if (depth === 'conditions' && names.length > 0)
		for (const ability of all) for (const { name } of await look([ability])) conditions[name]?.push([ability])
	// Few clients show pages, and few tools need that beside something else.
	const most = all.filter((ability) => ability !== 'ui')
	for (const sets of Object.values(conditions)) if (sets.length === 0) sets.push(most)
	return { tools, conditions }
}

/** Where every one needs all abilities, nobody asked which. */
function isKnown(names: readonly string[], known: ConditionalTools): boolean {
	const wasAsked = Object.values(known).some((sets) => sets.some((needed) => needed.length === 1))
	const isSame =
		names.length === Object.keys(known).length && names.every((name) => Object.hasOwn(known, name))
	return isSame && wasAsked
}
