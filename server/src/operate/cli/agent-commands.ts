import type { Command } from 'commander'
import { toIso } from '../../platform/clock.ts'
import { type Schemas, unwrap } from '../client/client.ts'
import { answer, confirmDone, globalOptions, printWarning, toTable } from './answer.ts'
import { connect } from './connection.ts'
import { findAgent, findServer, listAgents, listServers, listToolsets } from './find.ts'
import { parseTime } from './key-commands.ts'
import { CommandFailure, exitCodes } from './outcome.ts'
import { counted } from './terminal.ts'

const agentArgument = 'name or id of the agent'

export function addAgentCommands(program: Command): void {
	const agents = program.command('agents').description('Agents')
	agents.command('list').description('List agents').action(list)
	agents
		.command('create <name>')
		.description('Create an agent; it is active at once')
		.option('--description <text>')
		.option('--groups <list>', 'comma-separated; toolsets are given to groups')
		.action(create)
	agents
		.command('show')
		.argument('<agent>', agentArgument)
		.description('Show an agent, what it may do and why')
		.action(show)
	agents
		.command('pause')
		.argument('<agent>', agentArgument)
		.description('Refuse its calls from now on, running ones included')
		.action((word: string, _options: object, command: Command) => change(word, 'pause', command))
	agents
		.command('resume')
		.argument('<agent>', agentArgument)
		.description('Resume a paused agent')
		.action((word: string, _options: object, command: Command) => change(word, 'resume', command))
}

async function list(_options: object, command: Command): Promise<void> {
	const agents = await listAgents(connect(command))
	const rows = agents.map(({ name, status, groups, mcp_server_count, last_seen_at }) => [
		name,
		status,
		groups.join(','),
		String(mcp_server_count),
		last_seen_at ?? 'never',
	])
	answer(command, { agents }, toTable([['NAME', 'STATUS', 'GROUPS', 'SERVERS', 'LAST SEEN'], ...rows]))
}

async function create(
	name: string,
	{ description, groups }: { description?: string; groups?: string },
	command: Command,
): Promise<void> {
	const body = {
		name,
		...(description !== undefined && { description }),
		...(groups !== undefined && { groups: groups.split(',').map((group) => group.trim()) }),
	}
	const agent = await unwrap(connect(command).POST('/v1/agents', { body }))
	confirmDone(command, agent, `${agent.name} is created: ${agent.uuid}`)
}

async function show(word: string, _options: object, command: Command): Promise<void> {
	const client = connect(command)
	const agent = await findAgent(client, word)
	const params = { path: { id: agent.uuid } }
	const { access, effective } = await unwrap(client.GET('/v1/agents/{id}/access', { params }))
	answer(command, { ...agent, access, effective }, [
		`${agent.name} (${agent.uuid})`,
		`  ${agent.status}, groups: ${agent.groups.join(', ') || 'none'}, last seen ${agent.last_seen_at ?? 'never'}`,
		...effective.flatMap(describeServer),
	])
}

function describeServer({ server, tools }: Schemas['EffectiveAccess']): string[] {
	const lines = tools.map(({ name, allowed, text }) => `  ${allowed ? '+' : '-'} ${name}  ${text}`)
	return [`${server.name} (${server.slug})`, ...lines]
}

async function change(word: string, verb: 'pause' | 'resume', command: Command): Promise<void> {
	const client = connect(command)
	const params = { path: { id: (await findAgent(client, word)).uuid } }
	const agent = await unwrap(
		verb === 'pause'
			? client.POST('/v1/agents/{id}/pause', { params })
			: client.POST('/v1/agents/{id}/resume', { params }),
	)
	confirmDone(command, agent, `${agent.name} is ${agent.status}.`)
}

export function addAccessCommands(program: Command): void {
	const access = program.command('access').description('Which agent may use which tool')
	access
		.command('list')
		.argument('<server>', 'slug, name or id of the server')
		.description('List the grants on a server with their sources')
		.action(showGrants)
	access
		.command('grant <agent> <server>')
		.description('Grant an agent all tools of a server, or those named; changes an existing grant')
		.option(
			'--tools <list>',
			'comma-separated; absent: all tools, also later ones; replaces the tools of an existing grant',
		)
		.option('--expires <time>', 'RFC 3339')
		.action(grant)
	access.command('revoke <agent> <server>').description('Delete the direct grant').action(revoke)
	access
		.command('simulate <agent> <server>')
		.description('Show which recorded calls a grant would newly deny or allow; changes nothing')
		.option('--tools <list>', 'comma-separated; absent: all tools')
		.option('--revoke', 'simulate deleting the grant')
		.option('--days <n>', 'how many days back')
		.action(simulate)
}

async function showGrants(word: string, _options: object, command: Command): Promise<void> {
	const client = connect(command)
	const server = await findServer(client, word)
	const params = { path: { id: server.id } }
	const { access } = await unwrap(client.GET('/v1/mcp/servers/{id}/access', { params }))
	const rows = access.map((each) => [
		each.agent.name,
		each.enabled ? 'enabled' : 'disabled',
		each.allowed_tools?.join(',') ?? 'all',
		each.expires_at ?? 'never',
		each.source.name ? `toolset ${each.source.name}` : 'by hand',
	])
	answer(command, { access }, toTable([['AGENT', 'STATE', 'TOOLS', 'EXPIRES', 'SOURCE'], ...rows]))
}

async function grant(
	agentWord: string,
	serverWord: string,
	{ tools, expires }: { tools?: string; expires?: string },
	command: Command,
): Promise<void> {
	const client = connect(command)
	const [agent, server] = await Promise.all([findAgent(client, agentWord), findServer(client, serverWord)])
	const terms = { ...termsOf(tools), ...(expires !== undefined && { expires_at: toIso(parseTime(expires)) }) }
	const known = ownGrant(server, agent.uuid)
	const path = { id: server.id, agentId: agent.uuid }
	const made = await unwrap(
		known
			? client.PATCH('/v1/mcp/servers/{id}/access/{agentId}', { params: { path }, body: terms })
			: client.POST('/v1/mcp/servers/{id}/access', {
					params: { path: { id: server.id } },
					body: { agent_uuid: agent.uuid, ...terms },
				}),
	)
	const what = toolsOf(terms)
	const before = known && toolsOf(known) !== what ? ` This replaces ${toolsOf(known)}.` : ''
	confirmDone(command, made, `${agent.name} may use ${what} of ${server.name}.${before}`)
	printWarnings(command, made)
}

function toolsOf({ allowed_tools }: { allowed_tools: readonly string[] | null }): string {
	if (allowed_tools === null) return 'all tools'
	return allowed_tools.join(', ') || 'no tool'
}

/** With `--json` they are part of the document. */
function printWarnings(command: Command, { warnings }: { warnings: readonly string[] }): void {
	if (globalOptions(command).json) return
	for (const text of warnings) printWarning(command, text)
}

function termsOf(tools: string | undefined) {
	const names = tools?.split(',').map((tool) => tool.trim()) ?? null
	const mode = names === null ? ('all' as const) : ('selected' as const)
	return { access_mode: mode, allowed_tools: names, enabled: true }
}

function ownGrant({ agent_access }: Schemas['McpServer'], agentId: string) {
	return agent_access.find(({ agent, source }) => agent.uuid === agentId && source.kind === 'manual')
}

async function simulate(
	agentWord: string,
	serverWord: string,
	{ tools, revoke, days }: { tools?: string; revoke?: true; days?: string },
	command: Command,
): Promise<void> {
	const client = connect(command)
	const [agent, server] = await Promise.all([findAgent(client, agentWord), findServer(client, serverWord)])
	const pair = { server_id: server.id, agent_uuid: agent.uuid }
	const op = ownGrant(server, agent.uuid) ? ('update' as const) : ('create' as const)
	const change = revoke ? { op: 'delete' as const, ...pair } : { op, ...pair, ...termsOf(tools) }
	const body = { changes: [change], ...(days !== undefined && { days: Number(days) }) }
	const simulation = await unwrap(client.POST('/v1/access/simulate', { body }))
	const { calls, newly_denied, newly_allowed, unknown } = simulation.totals
	answer(command, simulation, [
		`Of ${counted(calls, 'call')} ${newly_denied} would be denied, ${newly_allowed} allowed, ${unknown} unknown.`,
		...simulation.groups.map(
			(group) => `  ${group.change}  ${group.tool}  ${counted(group.calls, 'call')}, last ${group.last_at}`,
		),
	])
}

async function revoke(
	agentWord: string,
	serverWord: string,
	_options: object,
	command: Command,
): Promise<void> {
	const client = connect(command)
	const [agent, server] = await Promise.all([findAgent(client, agentWord), findServer(client, serverWord)])
	const path = { id: server.id, agentId: agent.uuid }
	await client.DELETE('/v1/mcp/servers/{id}/access/{agentId}', { params: { path } })
	const gone = { agent: agent.name, server: server.slug, revoked: true }
	confirmDone(command, gone, `${agent.name} has no grant of its own on ${server.name} any more.`)
}

interface ApplyOptions {
	tools?: string[]
	groups?: string
	description?: string
}

export function addToolsetCommands(program: Command): void {
	const toolsets = program.command('toolsets').description('Named lists of tools for groups of agents')
	toolsets.command('list').description('List toolsets').action(showToolsets)
	toolsets
		.command('apply <name>')
		.description('Create a toolset or change it; the grants of all agents in its groups follow')
		.option('--tools <server=tools...>', 'github=search,read; `github=*` is all tools that exist now')
		.option('--groups <list>', 'comma-separated')
		.option('--description <text>')
		.action(apply)
}

async function showToolsets(_options: object, command: Command): Promise<void> {
	const client = connect(command)
	const [toolsets, servers] = await Promise.all([listToolsets(client), listServers(client)])
	const slugs = new Map(servers.map(({ id, slug }) => [id, slug]))
	const rows = toolsets.map(({ name, groups, tools, agent_count }) => [
		name,
		groups.join(','),
		String(agent_count),
		tools.map(({ server_id, tools: names }) => `${slugs.get(server_id)}=${names.join(',')}`).join(' '),
	])
	answer(command, { toolsets }, toTable([['NAME', 'GROUPS', 'AGENTS', 'TOOLS'], ...rows]))
}

async function apply(name: string, options: ApplyOptions, command: Command): Promise<void> {
	const client = connect(command)
	const tools: { server_id: string; tools: string[] | '*' }[] = []
	for (const text of options.tools ?? []) {
		const [slug, names] = splitTools(text)
		const named = names === '*' ? ('*' as const) : names.split(',').map((tool) => tool.trim())
		tools.push({ server_id: (await findServer(client, slug)).id, tools: named })
	}
	const body = {
		...(options.tools && { tools }),
		...(options.groups !== undefined && { groups: options.groups.split(',').map((group) => group.trim()) }),
		...(options.description !== undefined && { description: options.description }),
	}
	const known = (await listToolsets(client, name)).find((toolset) => toolset.name === name)
	const toolset = await unwrap(
		known
			? client.PATCH('/v1/toolsets/{id}', { params: { path: { id: known.id } }, body: { ...body, name } })
			: client.POST('/v1/toolsets', { body: { ...body, name } }),
	)
	const verb = known ? 'changed' : 'created'
	confirmDone(command, toolset, `${name} is ${verb}; it reaches ${counted(toolset.agent_count, 'agent')}.`)
	printWarnings(command, toolset)
}

function splitTools(text: string): [string, string] {
	const equals = text.indexOf('=')
	if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)]
	throw new CommandFailure(exitCodes.usage, `--tools: ${text} is not of the form server=tool,tool.`)
}
