import type { Command } from 'commander'
import { type Schemas, take } from '../client/index.ts'
import { answer, confirmDone, toTable } from './answer.ts'
import { requireYes } from './confirm.ts'
import { connect } from './connection.ts'
import { findServer, listServers } from './find.ts'

interface AddOptions {
	description?: string
	slug?: string
	header?: string[]
	command?: string
	arg?: string[]
}

const serverArgument = 'slug, name or id of the server'

export function addServerCommands(program: Command): void {
	const servers = program.command('servers').description('MCP servers')
	servers.command('list').description('List servers with their health').action(list)
	servers
		.command('add <name> [url]')
		.description('Register a server by its address, or a program by --command')
		.option('--description <text>')
		.option('--slug <slug>', 'short name in paths and tool names')
		.option('--header <name: value...>', 'sent with every request; stored sealed')
		.option('--command <program>', 'a program (stdio) instead of an address')
		.option('--arg <argument...>', 'an argument of the program')
		.action(add)
	servers.command('show').argument('<server>', serverArgument).description('Show a server').action(show)
	servers
		.command('remove')
		.argument('<server>', serverArgument)
		.option('--force', 'even if agents have access to it')
		.description('Delete a server with its grants')
		.action(remove)
	servers
		.command('refresh')
		.argument('<server>', serverArgument)
		.description('Refresh the list of a server’s tools')
		.action(refresh)
}

async function list(_options: object, command: Command): Promise<void> {
	const servers = await listServers(connect(command))
	const rows = servers.map((server) => [
		server.slug,
		server.name,
		server.status,
		server.health_status,
		String(server.agent_access_count),
		server.endpoint_url,
		server.health_error ?? '',
	])
	const heading = ['SLUG', 'NAME', 'STATUS', 'HEALTH', 'GRANTS', 'ADDRESS', 'TROUBLE']
	answer(command, { mcp_servers: servers }, toTable([heading, ...rows]))
}

async function add(name: string, url: string | undefined, options: AddOptions, command: Command) {
	const { description, slug, header, command: program, arg } = options
	const body = {
		name,
		...(url !== undefined && { url }),
		...(description !== undefined && { description }),
		...(slug !== undefined && { slug }),
		...(header && { headers: Object.fromEntries(header.map(toHeader)) }),
		...(program !== undefined && { command: program, args: arg ?? [] }),
	}
	const server = await take(connect(command).POST('/v1/mcp/servers', { body }))
	const trouble = [server.health_error, server.tools_pending]
	const reasons = [...new Set(trouble.filter((text) => text !== null))].map((text) => ` ${text}`)
	const said = `${server.name} is registered as ${server.slug}: ${server.health_status}.`
	confirmDone(command, server, said + reasons.join(''))
}

function toHeader(text: string): [string, string] {
	const colon = text.indexOf(':')
	return colon < 0 ? [text, ''] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}

async function show(word: string, _options: object, command: Command): Promise<void> {
	const client = connect(command)
	const server = await findServer(client, word)
	const params = { path: { id: server.id } }
	const { tools } = await take(client.GET('/v1/mcp/servers/{id}/tools', { params }))
	answer(command, { ...server, tools }, describe(server, tools))
}

function describe(server: Schemas['McpServer'], tools: Schemas['Tool'][]): string[] {
	const grants = server.agent_access.map(
		({ agent, access_mode, enabled }) => `  ${agent.name} (${enabled ? access_mode : 'disabled'})`,
	)
	return [
		`${server.name} (${server.slug})`,
		`  ${server.command === null ? server.endpoint_url : [server.command, ...server.args].join(' ')}`,
		`  ${server.transport_type}, ${server.status}, ${server.health_status}, checked ${server.last_health_check}`,
		...[server.health_error, server.tools_pending].flatMap((text) => (text ? [`  ${text}`] : [])),
		`Tools (${tools.length})`,
		...tools.map(({ name, description }) => `  ${name}  ${description.split('\n')[0]}`),
		`Access (${grants.length})`,
		...grants,
	]
}

async function remove(word: string, options: { force?: true }, command: Command): Promise<void> {
	const client = connect(command)
	const { id, name } = await findServer(client, word)
	await requireYes(command, `Delete the server ${name} with its grants?`)
	const params = { path: { id }, query: { force: options.force === true } }
	await client.DELETE('/v1/mcp/servers/{id}', { params })
	confirmDone(command, { id, name, deleted: true }, `${name} is deleted.`)
}

async function refresh(word: string, _options: object, command: Command): Promise<void> {
	const client = connect(command)
	const { id, name } = await findServer(client, word)
	const params = { path: { id } }
	const list = await take(client.POST('/v1/mcp/servers/{id}/tools/refresh', { params }))
	answer(command, list, [
		`${name} has ${list.tools.length} tools:`,
		...list.tools.map((tool) => `  ${tool.name}`),
		...(list.pending ? [list.pending] : []),
	])
}
