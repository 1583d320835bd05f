import type { Command } from 'commander'
import { take } from '../client/index.ts'
import { answer, confirmDone, toTable } from './answer.ts'
import { connect } from './connection.ts'
import { findAgent, findServer } from './find.ts'

export function addAccessCommands(program: Command): void {
	const access = program.command('access').description('Which agent may use which tool')
	access
		.command('list')
		.argument('<server>', 'slug, name or id of the server')
		.description('The grants on a server, with where they come from')
		.action(list)
	access
		.command('grant <agent> <server>')
		.description('Give an agent all tools of a server or those named; an existing grant is changed')
		.option('--tools <list>', 'comma-separated; absent: all tools, also later ones')
		.option('--expires <time>', 'RFC 3339')
		.action(grant)
	access
		.command('revoke <agent> <server>')
		.description('Take back the grant that was made by hand')
		.action(revoke)
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
	const names = tools?.split(',').map((tool) => tool.trim()) ?? null
	const terms = {
		access_mode: names === null ? ('all' as const) : ('selected' as const),
		allowed_tools: names,
		enabled: true,
		...(expires !== undefined && { expires_at: expires }),
	}
	const known = server.agent_access.some(
		({ agent: of, source }) => of.uuid === agent.uuid && source.kind === 'manual',
	)
	const path = { id: server.id, agentId: agent.uuid }
	const made = await take(
		known
			? client.PATCH('/v1/mcp/servers/{id}/access/{agentId}', { params: { path }, body: terms })
			: client.POST('/v1/mcp/servers/{id}/access', {
					params: { path: { id: server.id } },
					body: { agent_uuid: agent.uuid, ...terms },
				}),
	)
	const what = names === null ? 'all tools' : names.join(', ')
	confirmDone(command, made, `${agent.name} may use ${what} of ${server.name}.`)
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
