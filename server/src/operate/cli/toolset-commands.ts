import type { Command } from 'commander'
import { take } from '../client/index.ts'
import { answer, confirmDone, toTable } from './answer.ts'
import { connect } from './connection.ts'
import { findServer, listServers, listToolsets } from './find.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

interface ApplyOptions {
	tools?: string[]
	groups?: string
	description?: string
}

export function addToolsetCommands(program: Command): void {
	const toolsets = program.command('toolsets').description('Named lists of tools for groups of agents')
	toolsets.command('list').description('List toolsets').action(list)
	toolsets
		.command('apply <name>')
		.description('Create a toolset or change it; the grants of all agents in its groups follow')
		.option('--tools <server=tools...>', 'github=search,read; `github=*` is all tools that exist now')
		.option('--groups <list>', 'comma-separated')
		.option('--description <text>')
		.action(apply)
}

async function list(_options: object, command: Command): Promise<void> {
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
	const toolset = await take(
		known
			? client.PATCH('/v1/toolsets/{id}', { params: { path: { id: known.id } }, body: { ...body, name } })
			: client.POST('/v1/toolsets', { body: { ...body, name } }),
	)
	const verb = known ? 'changed' : 'created'
	const told = toolset.warnings.map((text) => `\nWarning: ${text}`).join('')
	confirmDone(command, toolset, `${name} is ${verb}; ${toolset.agent_count} agents have it.${told}`)
}

function splitTools(text: string): [string, string] {
	const equals = text.indexOf('=')
	if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)]
	throw new CommandFailure(exitCodes.usage, `--tools: ${text} is not of the form server=tool,tool.`)
}
