import { createHash } from 'node:crypto'
import { namedFailure, type RpcFailure, rpcCodes } from '../mcp-client/index.ts'
import {
	type Ability,
	abilitiesIn,
	capabilitiesWith,
	type ServerEntry,
	type ToolDefinition,
} from '../servers/servers.ts'
import type { ClientProgram } from './operation.ts'

/** Whether a server has a tool for clients with these abilities. Most tools are for every client. */
export function isOfferedToClient(
	server: ServerEntry,
	tool: string,
	abilities: ReadonlySet<Ability>,
): boolean {
	const sets = conditionsOf(server, tool)
	return !sets || sets.some((needed) => needed.every((ability) => abilities.has(ability)))
}

/** Whether a server has a tool for every client. */
export function isOfferedToEveryClient(server: ServerEntry, tool: string): boolean {
	return conditionsOf(server, tool) === undefined
}

/** Why a call is refused whose client lacks the abilities that the tool is conditional on, or null. */
export function refusalOfClient(
	server: ServerEntry,
	tool: string,
	exposed: string,
	{ era, capabilities }: Pick<ClientProgram, 'era' | 'capabilities'>,
): RpcFailure | null {
	const [needed] = conditionsOf(server, tool) ?? []
	if (!needed || isOfferedToClient(server, tool, abilitiesIn(capabilities))) return null
	const text = `The tool ${exposed} is for clients that can be asked for ${needed.join(', ')}, which this one has not declared.`
	const code = era === 'modern' ? rpcCodes.missingCapability : rpcCodes.invalidParams
	const requiredCapabilities = capabilitiesWith(needed)
	return namedFailure(code, 'client_ability_missing', text, {
		facts: { tool: exposed, requiredCapabilities },
	})
}

/** Tool names come from the server and may equal properties that every object inherits. */
function conditionsOf({ introduction }: ServerEntry, tool: string) {
	const all = introduction?.conditionalTools
	return all && Object.hasOwn(all, tool) ? all[tool] : undefined
}

const longest = 64
const kept = 57

export interface ExposedTools {
	/** Each name that the aggregate accepts for a tool → the server's definition. */
	byName: ReadonlyMap<string, ToolDefinition>
	/** The server's own name → definition. */
	own: ReadonlyMap<string, ToolDefinition>
	/** The server's own name → the name that is listed. */
	names: ReadonlyMap<string, string>
}

const known = new WeakMap<ServerEntry, ExposedTools>()

/**
 * The names of a server's tools on the aggregate endpoint. They depend on this server alone, so adding another server changes
 * none of them. A tool with an alias, or of a server with a prefix, is also found by its usual names.
 */
export function exposedTools(server: ServerEntry): ExposedTools {
	const found = known.get(server)
	if (found) return found
	const made = exposeTools(server)
	known.set(server, made)
	return made
}

function exposeTools(server: ServerEntry): ExposedTools {
	const { slug, toolPrefix, toolAliases, tools } = server
	const owns = tools.map(({ name }) => name)
	const usual = exposeNames(toolPrefix, owns)
	const bySlug = slug === toolPrefix ? usual : exposeNames(slug, owns)
	const names = new Map([...usual].map(([name, exposed]) => [name, toolAliases.get(name) ?? exposed]))
	const byName = new Map<string, ToolDefinition>()
	const own = new Map<string, ToolDefinition>()
	for (const tool of tools) {
		if (!names.has(tool.name) || own.has(tool.name)) continue
		own.set(tool.name, tool)
		for (const given of [bySlug, usual, names]) byName.set(given.get(tool.name) ?? '', tool)
	}
	return { byName, own, names }
}

/** Maps a server's own names of tools or prompts to their names on the aggregate. All values are distinct. */
export function exposeNames(prefix: string, owns: readonly string[]): Map<string, string> {
	const taken = new Map<string, number>()
	for (const own of owns) {
		const plain = plainName(prefix, own)
		taken.set(plain, (taken.get(plain) ?? 0) + 1)
	}
	const names = new Map<string, string>()
	const given = new Set<string>()
	for (const own of owns) {
		const exposed = exposedName(prefix, own, (plain) => (taken.get(plain) ?? 0) > 1)
		if (names.has(own) || given.has(exposed)) continue
		names.set(own, exposed)
		given.add(exposed)
	}
	return names
}

/**
 * `prefix__tool`. If that is too long, or collides with the normalized name of another tool: its first 57 characters and a hash
 * of the tool's name.
 */
function exposedName(prefix: string, tool: string, collides: (name: string) => boolean): string {
	const plain = plainName(prefix, tool)
	const unchanged = plain === `${prefix}__${tool}`
	if (plain.length <= longest && (unchanged || !collides(plain))) return plain
	return `${plain.slice(0, kept)}_${hashOf(tool)}`
}

function plainName(prefix: string, tool: string): string {
	return `${prefix}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, '_')
}

/** The prefix in an exposed name; prefixes contain no `__`. */
export function prefixIn(exposed: string): string {
	const cut = exposed.indexOf('__')
	return cut < 0 ? '' : exposed.slice(0, cut)
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** The first 30 bits of SHA-256 as 6 base32 characters. */
function hashOf(tool: string): string {
	const bits = createHash('sha256').update(tool).digest().readUInt32BE(0) >>> 2
	let text = ''
	for (let shift = 25; shift >= 0; shift -= 5) text += alphabet[(bits >>> shift) & 31]
	return text
}
