import { isObject } from '../../mcp-client/index.ts'

/** What a client can be asked for or show, as far as servers make tools depend on it; the words are the same in both eras. */
export type Ability =
	| 'roots'
	| 'sampling'
	| 'sampling.tools'
	| 'elicitation'
	| 'elicitation.url'
	| 'ui'
	| 'tasks'

/** Tools that a server has only for some clients: for each the sets of abilities that open it, of which one is enough. */
export type ConditionalTools = Readonly<Record<string, readonly (readonly Ability[])[]>>

const askable: readonly Ability[] = ['roots', 'sampling', 'sampling.tools', 'elicitation', 'elicitation.url']
const modernFrom = '2026-07-28'
const tasks = 'io.modelcontextprotocol/tasks'
/** MCP Apps: pages of a server that the client shows. */
export const uiExtension = 'io.modelcontextprotocol/ui'
const pages = { mimeTypes: ['text/html;profile=mcp-app'] }

/** All that the gateway may pass on of a client to a server of this revision. */
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

/** The abilities of a client that introduced itself so. */
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

/** What a server says of itself when it is asked what it is; unverified, and none of it a ground for a decision. */
export interface Introduction {
	capabilities: Record<string, unknown>
	serverInfo: Record<string, unknown>
	instructions: string
	/** The tools that it has only for clients with certain abilities; found by our checks, not said by it. */
	conditionalTools?: ConditionalTools
	/** Why the last check did not see all of its tools, or not whom each is for; absent when it did. */
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
