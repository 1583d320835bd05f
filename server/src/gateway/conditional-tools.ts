import { namedFailure, type RpcFailure, rpcCodes } from '../mcp-client/index.ts'
import { type Ability, abilitiesIn, capabilitiesWith, type ServerEntry } from '../servers/index.ts'
import type { ClientProgram } from './operation.ts'

/** Whether a server has a tool for clients with these abilities: most tools are for all. */
export function isFor(server: ServerEntry, tool: string, abilities: ReadonlySet<Ability>): boolean {
	const sets = conditionsOf(server, tool)
	return !sets || sets.some((needed) => needed.every((ability) => abilities.has(ability)))
}

/** Of a call by a client that the server would not know the tool for; null when it may go there. */
export function refusalOfClient(
	server: ServerEntry,
	tool: string,
	exposed: string,
	{ era, capabilities }: Pick<ClientProgram, 'era' | 'capabilities'>,
): RpcFailure | null {
	const [needed] = conditionsOf(server, tool) ?? []
	if (!needed || isFor(server, tool, abilitiesIn(capabilities))) return null
	const text = `The tool ${exposed} is for clients that can be asked for ${needed.join(', ')}, which this one has not declared.`
	const code = era === 'modern' ? rpcCodes.missingCapability : rpcCodes.invalidParams
	const requiredCapabilities = capabilitiesWith(needed)
	return namedFailure(code, 'client_ability_missing', text, {
		facts: { tool: exposed, requiredCapabilities },
	})
}

/** Names are the server's: some are those of what every object has. */
function conditionsOf({ introduction }: ServerEntry, tool: string) {
	const all = introduction?.conditionalTools
	return all && Object.hasOwn(all, tool) ? all[tool] : undefined
}
