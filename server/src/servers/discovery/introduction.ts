import { isObject } from '../../mcp-client/index.ts'

/** Client features on which servers make tools depend; the names are the same in both eras. */
export type Ability =
	| 'roots'
	| 'sampling'
	| 'sampling.tools'
	| 'elicitation'
	| 'elicitation.url'
	| 'ui'
	| 'tasks'

/** Tools that a server has only for some clients: for each, alternative sets of abilities, any one of which opens it. */
export type ConditionalTools = Readonly<Record<string, readonly (readonly Ability[])[]>>

const askable: readonly Ability[] = ['roots', 'sampling', 'sampling.tools', 'elicitation', 'elicitation.url']
const modernFrom = '2026-07-28'
const tasks = 'io.modelcontextprotocol/tasks'
/** MCP Apps: pages of a server that the client displays. */
export const uiExtension = 'io.modelcontextprotocol/ui'
const pages = { mimeTypes: ['text/html;profile=mcp-app'] }

/** All abilities of a client that the gateway can pass on to a server of this revision. */
export function abilitiesAt(protocolVersion: string): readonly Ability[] {
	return protocolVersion < modernFrom ? [...askable, 'ui'] : [...askable, 'ui', 'tasks']
}

/** The capabilities of a client with these abilities, as servers read them. */
export function capabilitiesWith(abilities: readonly Ability[]): Record<string, unknown> {
	const has = (ability: Ability) => abilities.includes(ability)
	const extensions = { ...(has('ui') && { [uiExtension]: pages }), ...(has('tasks') && { [tasks]: {} }) }
	return {
		...(has('roots') && { roots: {} }),
		...(has('sampling') && { sampling: {} }),
		...(has('sampling.tools') && { sampling: { tools: {} } }),
		...(has('elicitation') && { elicitation: { form: {} } }),
		...(has('elicitation.url') && { elicitation: { form: {}, url: {} } }),
		...(Object.keys(extensions).length > 0 && { extensions }),
	}
}

/** The abilities in the capabilities that a client announced. */
export function abilitiesIn(capabilities: Readonly<Record<string, unknown>>): ReadonlySet<Ability> {
	const { roots, sampling, elicitation, extensions } = capabilities
	const found: readonly [Ability, boolean][] = [
		['roots', isObject(roots)],
		['sampling', isObject(sampling)],
		['sampling.tools', isObject(sampling) && isObject(sampling.tools)],
		['elicitation', isObject(elicitation) && (isObject(elicitation.form) || elicitation.url === undefined)],
		['elicitation.url', isObject(elicitation) && isObject(elicitation.url)],
		['ui', isObject(extensions) && isObject(extensions[uiExtension])],
		['tasks', isObject(extensions) && isObject(extensions[tasks])],
	]
	return new Set(found.flatMap(([ability, isThere]) => (isThere ? [ability] : [])))
}

/** A server's own description of itself. It is unverified, and no decision may depend on it. */
export interface Introduction {
	capabilities: Record<string, unknown>
	serverInfo: Record<string, unknown>
	instructions: string
	/** The tools that it has only for clients with certain abilities; found by our checks, not reported by the server. */
	conditionalTools?: ConditionalTools
	/** Why the last check did not see all of its tools or their conditions; absent if it did. */
	pending?: string
}

const maxInstructions = 65_536
const maxFacts = 65_536

/** Read from the result of `initialize` or `server/discover`; values that are too long or of the wrong type are omitted. */
export function readIntroduction(result: Record<string, unknown>): Introduction {
	const { capabilities, instructions } = result
	const meta = isObject(result._meta) ? result._meta : {}
	const serverInfo = result.serverInfo ?? meta['io.modelcontextprotocol/serverInfo']
	return {
		capabilities: shortObject(capabilities),
		serverInfo: shortObject(serverInfo),
		instructions:
			typeof instructions === 'string' ? instructions.slice(0, maxInstructions).toWellFormed() : '',
	}
}

function shortObject(value: unknown): Record<string, unknown> {
	return isObject(value) && JSON.stringify(value).length <= maxFacts ? value : {}
}
