import { isObject } from '../../mcp-client/index.ts'
import type { ConditionalTools } from './abilities.ts'

/** What a server says of itself when it is asked what it is; unverified, and none of it a ground for a decision. */
export interface Introduction {
	capabilities: Record<string, unknown>
	serverInfo: Record<string, unknown>
	instructions: string
	/** The tools that it has only for clients with certain abilities; found by looks of ours, not said by it. */
	conditionalTools?: ConditionalTools
	/** Why the last look did not see all of its tools, or not whom each is for; absent when it did. */
	pending?: string
}

const instructionsMost = 65_536
const factsMost = 65_536

/** Out of the result of `initialize` or `server/discover`; what is not of the right type, or too long, is left out. */
export function readIntroduction(result: Record<string, unknown>): Introduction {
	const { capabilities, instructions } = result
	const meta = isObject(result._meta) ? result._meta : {}
	const serverInfo = result.serverInfo ?? meta['io.modelcontextprotocol/serverInfo']
	return {
		capabilities: shortObject(capabilities),
		serverInfo: shortObject(serverInfo),
		instructions:
			typeof instructions === 'string' ? instructions.slice(0, instructionsMost).toWellFormed() : '',
	}
}

function shortObject(value: unknown): Record<string, unknown> {
	return isObject(value) && JSON.stringify(value).length <= factsMost ? value : {}
}
