import type { Gateway } from '../gateway.ts'
import type { Caller } from '../operation.ts'

/** About 20,000 tokens: from then on definitions cost a model more than a search does. */
const autoCharacters = 80_000

/** Whether an endpoint shows a search in place of the tools: only the aggregate does, by the agent's setting. */
export function isSearchFace(
	{ enforcement }: Pick<Gateway, 'enforcement'>,
	{ agentId, serverId }: Caller,
): boolean {
	if (serverId !== null) return false
	const face = enforcement.agent(agentId)?.toolFace ?? 'all'
	if (face !== 'auto') return face === 'search'
	let characters = 0
	for (const server of enforcement.serversOf(agentId))
		for (const { tool } of enforcement.toolsOf(agentId, server)) {
			characters += lengthOf(tool)
			if (characters > autoCharacters) return true
		}
	return false
}

const lengths = new WeakMap<object, number>()

function lengthOf(tool: object): number {
	const known = lengths.get(tool)
	if (known !== undefined) return known
	const length = JSON.stringify(tool).length
	lengths.set(tool, length)
	return length
}
