import MiniSearch from 'minisearch'
import { invalidParams, isObject, type JsonObject } from '../../mcp-client/index.ts'
import { numberOf } from '../../platform/json/parse-json.ts'
import { abilitiesIn, type ServerEntry, type ToolDefinition } from '../../servers/servers.ts'
import type { Gateway } from '../gateway.ts'
import { type Caller, noteFact, type Operation } from '../operation.ts'
import { ownResult, type Plan, refuseWith } from '../perform/plan.ts'
import { exposedTools, isOfferedToClient } from '../tool-names.ts'

/** About 20,000 tokens. Above this, the definitions cost a model more than a search does. */
const autoCharacters = 80_000

/** Whether an endpoint lists a search tool instead of all tools. Only the aggregate does, by the agent's setting. */
export function listsSearchTool(
	{ enforcement }: Pick<Gateway, 'enforcement'>,
	{ agentId, serverId }: Caller,
): boolean {
	if (serverId !== null) return false
	const face = enforcement.agent(agentId)?.toolListing ?? 'all'
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

/** No conflict is possible: the aggregate's names of servers' tools contain `__`. */
export const findTools = 'find_tools'
export const callTool = 'call_tool'

const maxLimit = 20
const limitUsual = 5

/** What the aggregate lists instead of the tools. */
export const searchDefinitions: readonly JsonObject[] = [
	{
		name: findTools,
		title: 'Find tools',
		description:
			'Finds tools that you may use, by what you want to do. Returns their definitions, best first; call one of them with call_tool. Ask again in other words when nothing fits.',
		inputSchema: {
			type: 'object',
			properties: {
				query: {
					type: 'string',
					minLength: 1,
					maxLength: 500,
					description: 'What the tool should do, in a few words',
				},
				limit: { type: 'integer', minimum: 1, maximum: maxLimit, default: limitUsual },
			},
			required: ['query'],
			additionalProperties: false,
		},
		annotations: { title: 'Find tools', readOnlyHint: true, openWorldHint: false },
	},
	{
		name: callTool,
		title: 'Call a tool',
		description: 'Calls a tool that find_tools has found, with arguments by its input schema.',
		inputSchema: {
			type: 'object',
			properties: {
				name: { type: 'string', description: 'The name as find_tools gave it' },
				arguments: { type: 'object', description: "By the tool's inputSchema" },
			},
			required: ['name'],
			additionalProperties: false,
		},
		annotations: { title: 'Call a tool', readOnlyHint: false, openWorldHint: true },
	},
]

/** A granted tool under its name on the aggregate. */
interface Found extends ToolDefinition {
	name: string
}

const exposed = new WeakMap<ServerEntry, ReadonlyMap<ToolDefinition, Found>>()

/** `find_tools`: searches the tools that the full list would contain. */
export function planFindTools(gateway: Gateway, operation: Operation): Plan {
	const { agentId } = operation.caller
	const { query, limit: asked = limitUsual } = (operation.request.params.arguments ?? {}) as JsonObject
	const limit = numberOf(asked) ?? 0
	if (typeof query !== 'string' || query.trim() === '' || query.length > 500)
		return refuseWith(invalidParams('`query` must be text of 1 to 500 characters.'), findTools)
	if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
		return refuseWith(invalidParams(`\`limit\` must be a number from 1 to ${maxLimit}.`), findTools)
	return {
		server: null,
		tool: findTools,
		refusal: () => gateway.enforcement.refusalOfAgent(agentId),
		run: () => {
			const found = rankTools(grantedTools(gateway, operation), query, limit)
			noteFact(operation, 'signalbox.tool_search.found', BigInt(found.length))
			return ownResult({
				content: [{ type: 'text', text: textOf(found) }],
				...(operation.client.era === 'modern' && { resultType: 'complete' }),
			})
		},
	}
}

function textOf(found: readonly Found[]): string {
	if (found.length === 0)
		return 'No tool fits. Ask in other words: what should the tool do, to what kind of thing?'
	return JSON.stringify(
		found.map(({ name, title, description, inputSchema, annotations }) => ({
			...{ name, title, description, inputSchema, annotations },
		})),
	)
}

/** Reads which tool `call_tool` shall call, or returns an error text. */
export function readInnerCall({
	params,
}: Operation['request']): { name: string; arguments: JsonObject } | string {
	const { name, arguments: values = {}, ...others } = (params.arguments ?? {}) as JsonObject
	if (typeof name !== 'string' || name === '')
		return '`name` must be the name of a tool that find_tools gave.'
	if (!isObject(values)) return '`arguments` must be an object.'
	const unknown = Object.keys(others)
	if (unknown.length > 0)
		return `What belongs to the tool goes into \`arguments\`: ${unknown.join(', ').slice(0, 200)}.`
	return { name, arguments: values }
}

function grantedTools({ enforcement }: Gateway, { caller: { agentId }, client }: Operation): Found[] {
	const abilities = abilitiesIn(client.capabilities)
	return enforcement.serversOf(agentId).flatMap((server) => {
		const shown = exposed.get(server) ?? exposeAll(server)
		const granted = enforcement.toolsOf(agentId, server)
		return granted.flatMap(({ tool }) =>
			isOfferedToClient(server, tool.name, abilities) ? (shown.get(tool) ?? []) : [],
		)
	})
}

function exposeAll(server: ServerEntry): ReadonlyMap<ToolDefinition, Found> {
	const { own, names } = exposedTools(server)
	const made = new Map([...own].map(([name, tool]) => [tool, { ...tool, name: names.get(name) ?? name }]))
	exposed.set(server, made)
	return made
}

/** The searched parts of a tool. */
interface Searched {
	name: string
	title?: unknown
	description?: unknown
	inputSchema?: unknown
}

interface Indexed<T> {
	tools: readonly T[]
	index: MiniSearch
}

/** Agents search the same tools repeatedly, so the most recently used lists are kept with their index. */
const maxKept = 16
const kept: Indexed<Searched>[] = []

/** The tools that match a query, best first, by BM25 over names, titles, descriptions and parameter names. */
export function rankTools<T extends Searched>(tools: readonly T[], query: string, limit: number): T[] {
	return indexOf(tools)
		.search(query)
		.slice(0, limit)
		.map(({ id }) => tools[id] as T)
}

function indexOf(tools: readonly Searched[]): MiniSearch {
	const at = kept.findIndex(
		(known) =>
			known.tools.length === tools.length && known.tools.every((tool, index) => tool === tools[index]),
	)
	const [known] = at < 0 ? [{ tools, index: indexed(tools) }] : kept.splice(at, 1)
	kept.unshift(known as Indexed<Searched>)
	kept.length = Math.min(kept.length, maxKept)
	return (known as Indexed<Searched>).index
}

function indexed(tools: readonly Searched[]): MiniSearch {
	const index = new MiniSearch({
		fields: ['name', 'title', 'description', 'parameters'],
		tokenize: wordsIn,
		processTerm: (word) => word,
		searchOptions: { boost: { name: 3 }, bm25: { k: 1.2, b: 0.3, d: 0 } },
	})
	index.addAll(
		tools.map(({ name, title, description, inputSchema }, id) => ({
			...{ id, name, title: rankedTextOf(title) },
			// Descriptions begin with the purpose of the tool. What follows is often examples, which match anything.
			description: rankedTextOf(description).slice(0, 1000),
			parameters: parameterNames(inputSchema).join(' '),
		})),
	)
	return index
}

const rankedTextOf = (value: unknown) => (typeof value === 'string' ? value : '')

function parameterNames(schema: unknown): string[] {
	const { properties } = (schema ?? {}) as { properties?: unknown }
	return typeof properties === 'object' && properties !== null ? Object.keys(properties).slice(0, 50) : []
}

const stopWords = new Set(
	'a an and are as at be by can do for from get how i in is it its me my of on or our some that the their them then there these this to us want was what when where which who will with you your'.split(
		' ',
	),
)

/** Lower-case stems. `listIssues`, `list_issues` and "lists an issue" have the same ones. */
export function wordsIn(text: string): string[] {
	return text
		.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter((word) => word !== '' && !stopWords.has(word))
		.map(stemOf)
}

/** Strips English plural and verb endings. Rough, but tools and queries are treated alike. */
function stemOf(word: string): string {
	if (word.length <= 3) return word
	const cut = word
		.replace(/ies$/, 'y')
		.replace(/(ss|sh|ch|x)es$/, '$1')
		.replace(/([^s])s$/, '$1')
	if (cut.length <= 4) return cut
	return cut
		.replace(/(ing|ed)$/, '')
		.replace(/([^aeiouls])\1$/, '$1')
		.replace(/e$/, '')
}
