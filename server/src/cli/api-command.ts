import type { Command } from 'commander'
import { createClient } from '../client/index.ts'
import { answer } from './answer.ts'
import { connectionOf } from './connection.ts'
import { readGivenText } from './given-text.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof methods)[number]

export function addApiCommand(program: Command): void {
	program
		.command('api <method> <path> [body]')
		.description('Call any operation of the API; the body is JSON, @file, or - for standard input')
		.option('--get <member>', 'only this member of the answer, like key or pagination.total')
		.action(callApi)
}

async function callApi(
	given: string,
	path: string,
	bodyText: string | undefined,
	options: { get?: string },
	command: Command,
): Promise<void> {
	const { url, key } = connectionOf(command)
	const client = createClient({ baseUrl: url, key, patient: true })
	const body = bodyText === undefined ? undefined : parseBody(await readGivenText(bodyText))
	// Any path may be asked for, so the types of the known ones do not apply.
	const { data } = await client.request(methodOf(given), pathOf(path) as never, { body } as never)
	const wanted = options.get === undefined ? data : memberOf(data, options.get)
	answer(command, wanted ?? null, wanted === undefined ? [] : [shown(wanted)])
}

function methodOf(given: string): Lowercase<Method> {
	const method = methods.find((known) => known === given.toUpperCase())
	if (method) return method.toLowerCase() as Lowercase<Method>
	throw new CommandFailure(exitCodes.usage, `${given} is no method; there are ${methods.join(', ')}.`)
}

function pathOf(given: string): string {
	if (given.startsWith('/')) return given
	throw new CommandFailure(
		exitCodes.usage,
		`The path begins with a slash, like /v1/agents; ${given} does not.`,
	)
}

function parseBody(json: string): unknown {
	try {
		return JSON.parse(json)
	} catch (error) {
		throw new CommandFailure(exitCodes.usage, `The body is no JSON: ${(error as Error).message}`)
	}
}

function memberOf(answered: unknown, member: string): unknown {
	let value = answered
	for (const name of member.split('.')) {
		value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
		if (value === undefined)
			throw new CommandFailure(exitCodes.notFound, `The answer has no ${member}: ${JSON.stringify(answered)}`)
	}
	return value
}

function shown(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
