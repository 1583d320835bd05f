import type { Command } from 'commander'
import { type Schemas, take } from '../client/index.ts'
import { answer, confirmDone, toTable } from './answer.ts'
import { connect } from './connection.ts'
import { findAgent, findServer } from './find.ts'

export function addAccessCommands(program: Command): void {
	const access = program.command('access').description('Which agent may use which tool')
	access
		.command('list')
		.argument('<server>', 'slug, name or id of the server')
		.description('List the grants on a server with their sources')
		.action(list)
	access
		.command('grant <agent> <server>')
		.description('Grant an agent all tools of a server, or those named; changes an existing grant')
		.option('--tools <list>', 'comma-separated; absent: all tools, also later ones')
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

async function list(word: string, _options: object, command: Command): Promise<void> {
	const client = connect(command)
	const server = await findServer(client, word)
	const params = { path: { id: server.id } }
	const { access } = await take(client.GET('/v1/mcp/servers/{id}/access', { params }))
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
	const terms = { ...termsOf(tools), ...(expires !== undefined && { expires_at: expires }) }
	const known = hasOwnGrant(server, agent.uuid)
	const path = { id: server.id, agentId: agent.uuid }
	const made = await take(
		known
			? client.PATCH('/v1/mcp/servers/{id}/access/{agentId}', { params: { path }, body: terms })
			: client.POST('/v1/mcp/servers/{id}/access', {
					params: { path: { id: server.id } },
					body: { agent_uuid: agent.uuid, ...terms },
				}),
	)
	const what = terms.allowed_tools?.join(', ') ?? 'all tools'
	const warnings = made.warnings.map((text) => `\nWarning: ${text}`).join('')
	confirmDone(command, made, `${agent.name} may use ${what} of ${server.name}.${warnings}`)
}

function termsOf(tools: string | undefined) {
	const names = tools?.split(',').map((tool) => tool.trim()) ?? null
	const mode = names === null ? ('all' as const) : ('selected' as const)
	return { access_mode: mode, allowed_tools: names, enabled: true }
}

function hasOwnGrant({ agent_access }: Schemas['McpServer'], agentId: string): boolean {
	return agent_access.some(({ agent, source }) => agent.uuid === agentId && source.kind === 'manual')
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
	const op = hasOwnGrant(server, agent.uuid) ? ('update' as const) : ('create' as const)
	const change = revoke ? { op: 'delete' as const, ...pair } : { op, ...pair, ...termsOf(tools) }
	const body = { changes: [change], ...(days !== undefined && { days: Number(days) }) }
	const simulation = await take(client.POST('/v1/access/simulate', { body }))
	const { calls, newly_denied, newly_allowed, unknown } = simulation.totals
	answer(command, simulation, [
		`Of ${calls} calls ${newly_denied} would be denied, ${newly_allowed} allowed, ${unknown} unknown.`,
		...simulation.groups.map(
			(group) => `  ${group.change}  ${group.tool}  ${group.calls} calls, last ${group.last_at}`,
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
