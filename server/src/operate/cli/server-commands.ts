import type { Command } from 'commander'
import { ApiProblem, type Schemas, unwrap } from '../client/client.ts'
import { answer, confirmDone, printNote, toTable } from './answer.ts'
import { requireYes } from './confirm.ts'
import { connect } from './connection.ts'
import { findAgent, findServer, listServers, missingTool } from './find.ts'
import { CommandFailure, exitCodes } from './outcome.ts'
import { counted, readGivenFile, readGivenText } from './terminal.ts'

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
	const server = await unwrap(connect(command).POST('/v1/mcp/servers', { body }))
	const trouble = [server.health_error, server.tools_pending]
	const reasons = [...new Set(trouble.filter((text) => text !== null))].map((text) => ` ${text}`)
	const summary = `${server.name} is registered as ${server.slug}: ${server.health_status}.`
	confirmDone(command, server, summary + reasons.join(''))
}

function toHeader(text: string): [string, string] {
	const colon = text.indexOf(':')
	return colon < 0 ? [text, ''] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}

async function show(word: string, _options: object, command: Command): Promise<void> {
	const client = connect(command)
	const server = await findServer(client, word)
	const params = { path: { id: server.id } }
	const { tools } = await unwrap(client.GET('/v1/mcp/servers/{id}/tools', { params }))
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
	await requireYes(command, `Delete the server ${name}${options.force ? ' with its grants' : ''}?`)
	const params = { path: { id }, query: { force: options.force === true } }
	await client.DELETE('/v1/mcp/servers/{id}', { params })
	confirmDone(command, { id, name, deleted: true }, `${name} is deleted.`)
}

async function refresh(word: string, _options: object, command: Command): Promise<void> {
	const client = connect(command)
	const { id, name } = await findServer(client, word)
	const params = { path: { id } }
	const list = await unwrap(client.POST('/v1/mcp/servers/{id}/tools/refresh', { params }))
	answer(command, list, [
		`${name} has ${counted(list.tools.length, 'tool')}:`,
		...list.tools.map((tool) => `  ${tool.name}`),
		...(list.pending ? [list.pending] : []),
	])
}

interface McpJson {
	mcpServers?: Record<string, unknown>
	servers?: Record<string, unknown>
}

export function addImportCommand(program: Command): void {
	program
		.command('import')
		.argument('<file>', 'an mcp.json of an MCP client, or - for standard input')
		.description('Register the servers of an mcp.json')
		.option('--apply', 'register them; without it they are only listed')
		.action(importFile)
}

async function importFile(path: string, options: { apply?: true }, command: Command): Promise<void> {
	const file = parseMcpJson(await readGivenFile(path))
	const names = Object.keys(file.mcpServers ?? file.servers ?? {})
	if (!options.apply) {
		const lines = [...names.map((name) => `+ server ${name}`), 'Nothing was changed; --apply registers them.']
		return answer(command, { servers: names, applied: false }, lines)
	}
	for (const name of names) printNote(command, `+ server ${name}`)
	await requireYes(command, `Register ${counted(names.length, 'server')}?`)
	const result = await unwrap(connect(command).POST('/v1/mcp/servers/import', { body: file }))
	answer(command, result, result.mcp_servers.map(describeImport))
	if (result.mcp_servers.some(({ outcome }) => outcome === 'refused')) process.exitCode = exitCodes.failed
}

/** Only the sections with servers are sent; other fields of the file concern only the client. */
function parseMcpJson(json: string): McpJson {
	try {
		const { mcpServers, servers } = JSON.parse(json) as McpJson
		if (mcpServers) return { mcpServers }
		if (servers) return { servers }
	} catch {}
	throw new CommandFailure(exitCodes.usage, 'The file is not a JSON object with mcpServers or servers.')
}

function describeImport({ name, outcome, slug, detail }: Schemas['ImportedServer']): string {
	return outcome === 'created' ? `created ${name} as ${slug}` : `${outcome} ${name}: ${detail}`
}

export function addCallCommand(program: Command): void {
	program
		.command('call <server> <tool> [arguments]')
		.description('Call a tool; arguments are JSON, @file, or - for standard input')
		.option('--agent <name>', 'call as this agent, with its grants; absent: as yourself')
		.action(callTool)
}

async function callTool(
	serverWord: string,
	name: string,
	given: string | undefined,
	options: { agent?: string },
	command: Command,
): Promise<void> {
	const client = connect(command)
	const input = parseArguments(given === undefined ? '{}' : await readGivenText(given))
	const server = await findServer(client, serverWord)
	const agent = options.agent === undefined ? null : await findAgent(client, options.agent)
	const body = { arguments: input, ...(agent && { agent_uuid: agent.uuid }) }
	const params = { path: { id: server.id, name } }
	const outcome = await unwrap(client.POST('/v1/mcp/servers/{id}/tools/{name}/call', { params, body })).catch(
		async (error: unknown) => {
			if (!(error instanceof ApiProblem) || error.code !== 'not_found') throw error
			const path = { id: server.id }
			const { tools } = await unwrap(client.GET('/v1/mcp/servers/{id}/tools', { params: { path } }))
			throw tools.some((tool) => tool.name === name) ? error : missingTool(server, name, tools)
		},
	)
	answer(command, outcome, [outcome.error ? outcome.error.message : textOf(outcome.result)])
	if (outcome.is_error) process.exitCode = exitCodes.failed
}

function parseArguments(json: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(json)
		if (typeof value === 'object' && value !== null && !Array.isArray(value))
			return value as Record<string, unknown>
	} catch {}
	throw new CommandFailure(exitCodes.usage, `The arguments must be a JSON object like '{"message":"hello"}'.`)
}

/** The texts of a result, or the whole result as JSON if it has other content. */
function textOf(result: unknown): string {
	const { content } = (result ?? {}) as { content?: { type: string; text?: string }[] }
	const texts = content?.map(({ type, text: part }) => (type === 'text' ? part : null))
	return texts?.every((part) => typeof part === 'string') ? texts.join('\n') : JSON.stringify(result, null, 2)
}
