import { closestTo } from '../../platform/errors.ts'
import { type Client, type Schemas, unwrap } from '../client/client.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

export type Server = Schemas['McpServerSummary']
export type Agent = Schemas['Agent']

/** All objects of a list, page by page. */
export async function readAll<T>(
	readPage: (query: { page: number; limit: number }) => Promise<{
		items: T[]
		pagination: Schemas['Pagination']
	}>,
): Promise<T[]> {
	const all: T[] = []
	for (let page = 1; ; page += 1) {
		const { items, pagination } = await readPage({ page, limit: 100 })
		all.push(...items)
		if (page >= pagination.total_pages) return all
	}
}

export function listServers(client: Client, q?: string): Promise<Server[]> {
	return readAll(async (page) => {
		const query = { ...page, sort: 'name', order: 'asc', ...(q && { q }) } as const
		const { mcp_servers, pagination } = await unwrap(client.GET('/v1/mcp/servers', { params: { query } }))
		return { items: mcp_servers, pagination }
	})
}

export function listAgents(client: Client, q?: string): Promise<Agent[]> {
	return readAll(async (page) => {
		const query = { ...page, sort: 'name', order: 'asc', ...(q && { q }) } as const
		const { agents, pagination } = await unwrap(client.GET('/v1/agents', { params: { query } }))
		return { items: agents, pagination }
	})
}

export function listToolsets(client: Client, q?: string): Promise<Schemas['Toolset'][]> {
	return readAll(async (page) => {
		const query = { ...page, sort: 'name', order: 'asc', ...(q && { q }) } as const
		const { toolsets, pagination } = await unwrap(client.GET('/v1/toolsets', { params: { query } }))
		return { items: toolsets, pagination }
	})
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A server by its slug, name or id. */
export async function findServer(client: Client, word: string): Promise<Schemas['McpServer']> {
	const byId = (id: string) => unwrap(client.GET('/v1/mcp/servers/{id}', { params: { path: { id } } }))
	if (uuid.test(word)) return byId(word)
	const found = await listServers(client, word.slice(0, 100))
	const match = found.find(({ slug }) => slug === word) ?? found.find(({ name }) => name === word)
	if (match) return byId(match.id)
	const all = await listServers(client)
	throw missing(`There is no server ${word}`, word, [...slugsOf(all), ...namesOf(all)], 'servers list')
}

/** An agent by its name or id. */
export async function findAgent(client: Client, word: string): Promise<Agent> {
	if (uuid.test(word)) return unwrap(client.GET('/v1/agents/{id}', { params: { path: { id: word } } }))
	const match = (await listAgents(client, word.slice(0, 100))).find(({ name }) => name === word)
	if (match) return match
	throw missing(`There is no agent ${word}`, word, namesOf(await listAgents(client)), 'agents list')
}

/** The failure of a command that was given the name of a tool that the server does not have. */
export function missingTool(
	{ name, slug }: Pick<Server, 'name' | 'slug'>,
	word: string,
	tools: readonly { name: string }[],
): CommandFailure {
	return missing(`${name} has no tool ${word}`, word, namesOf(tools), `servers show ${slug}`)
}

function namesOf(objects: readonly { name: string }[]): string[] {
	return objects.map(({ name }) => name)
}

function slugsOf(servers: readonly Server[]): string[] {
	return servers.map(({ slug }) => slug)
}

/** `command` lists the existing names. */
function missing(what: string, word: string, names: readonly string[], command: string): CommandFailure {
	const close = closestTo(word, names)
	const hint = close.length > 0 ? `did you mean ${close.join(' or ')}? See` : 'see'
	return new CommandFailure(exitCodes.notFound, `${what}; ${hint} signalbox ${command}.`)
}
