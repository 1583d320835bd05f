import type { Command } from 'commander'
import { take } from '../client/index.ts'
import { answer } from './answer.ts'
import { connect } from './connection.ts'
import { findAgent, findServer } from './find.ts'
import { readGivenText } from './given-text.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

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
	const outcome = await take(client.POST('/v1/mcp/servers/{id}/tools/{name}/call', { params, body }))
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

/** The texts of a result, or all of it where it has others. */
function textOf(result: unknown): string {
	const { content } = (result ?? {}) as { content?: { type: string; text?: string }[] }
	const texts = content?.map(({ type, text: part }) => (type === 'text' ? part : null))
	return texts?.every((part) => typeof part === 'string') ? texts.join('\n') : JSON.stringify(result, null, 2)
}
