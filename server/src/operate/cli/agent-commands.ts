import type { Command } from 'commander'
import { type Schemas, take } from '../client/index.ts'
import { answer, confirmDone, toTable } from './answer.ts'
import { connect } from './connection.ts'
import { findAgent, listAgents } from './find.ts'

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
	const agent = await take(connect(command).POST('/v1/agents', { body }))
	confirmDone(command, agent, `${agent.name} is created: ${agent.uuid}`)
}

async function show(word: string, _options: object, command: Command): Promise<void> {
	const client = connect(command)
	const agent = await findAgent(client, word)
	const params = { path: { id: agent.uuid } }
	const { access, effective } = await take(client.GET('/v1/agents/{id}/access', { params }))
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
	const agent = await take(
		verb === 'pause'
			? client.POST('/v1/agents/{id}/pause', { params })
			: client.POST('/v1/agents/{id}/resume', { params }),
	)
	confirmDone(command, agent, `${agent.name} is ${agent.status}.`)
}
