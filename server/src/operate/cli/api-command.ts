import type { Command } from 'commander'
import { createClient } from '../client/client.ts'
import { answer, globalOptions, printWarning } from './answer.ts'
import { connectionOf } from './connection.ts'
import { CommandFailure, exitCodes } from './outcome.ts'
import { readGivenText, writeOut } from './terminal.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof methods)[number]

export function addApiCommand(program: Command): void {
	program
		.command('api <operation> [path] [body]')
		.description(
			'Call any operation of the API: a method and a path, or the name of the operation, like agents.list; the body is JSON, @file, or - for standard input',
		)
		.option('-d, --data <body>', 'the body, instead of the last argument')
		.option('--get <member>', 'print only this member of the answer, such as key or pagination.total')
		.action(callApi)
}

async function callApi(
	given: string,
	givenPath: string | undefined,
	lastText: string | undefined,
	options: { get?: string; data?: string },
	command: Command,
): Promise<void> {
	const { method, path, bodyText } = await operationOf(given, givenPath, options.data ?? lastText)
	const { url, key } = connectionOf(command)
	const client = createClient({ baseUrl: url, key, patient: true })
	const body = bodyText === undefined ? undefined : parseBody(await readGivenText(bodyText))
	// Any path may be requested, so the types of the known ones do not apply.
	const { data: text, response } = await client.request(
		method,
		path as never,
		{ body, parseAs: 'text' } as never,
	)
	const data = parseAnswer(text, response)
	const isText = typeof data === 'string' && options.get === undefined
	if (isText && !globalOptions(command).json) return writeOut(data, false)
	if (options.get !== undefined && options.get !== 'warnings')
		for (const text of warningsIn(data)) printWarning(command, text)
	const wanted = options.get === undefined ? data : memberOf(data, options.get)
	answer(command, wanted ?? null, wanted === undefined ? [] : [shown(wanted)])
}

/** Exports and `/metrics` answer with other formats than JSON. */
function parseAnswer(text: string | undefined, { headers }: Response): unknown {
	if (!text) return undefined
	return /^application\/(problem\+)?json\b/.test(headers.get('content-type') ?? '') ? JSON.parse(text) : text
}

interface Wanted {
	method: Lowercase<Method>
	path: string
	bodyText: string | undefined
}

/** A method is followed by a path; the name of an operation, whose path is known, by the body. */
async function operationOf(
	given: string,
	path: string | undefined,
	bodyText: string | undefined,
): Promise<Wanted> {
	if (!given.includes('.')) {
		if (path === undefined)
			throw new CommandFailure(
				exitCodes.usage,
				`${given} is not the name of an operation, like agents.list; a method needs a path, like GET /v1/agents.`,
			)
		return { method: methodOf(given), path: pathOf(path), bodyText }
	}
	const { operationGroups } = await import('@signalbox/contract')
	const all = Object.values(operationGroups).flatMap((group) => Object.values(group))
	const found = all.find(({ id }) => id === given)
	if (!found)
		throw new CommandFailure(
			exitCodes.usage,
			`There is no operation ${given}; /docs of the instance lists them.`,
		)
	if (found.path.includes('{'))
		throw new CommandFailure(
			exitCodes.usage,
			`${given} is about one object: say ${found.method} ${found.path} with its id.`,
		)
	return { method: methodOf(found.method), path: found.path, bodyText: bodyText ?? path }
}

function methodOf(given: string): Lowercase<Method> {
	const method = methods.find((known) => known === given.toUpperCase())
	if (method) return method.toLowerCase() as Lowercase<Method>
	throw new CommandFailure(
		exitCodes.usage,
		`${given} is not a method; the methods are ${methods.join(', ')}.`,
	)
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
		throw new CommandFailure(exitCodes.usage, `The body is not valid JSON: ${(error as Error).message}`)
	}
}

/** What the operation warns of, which the one member of its answer would hide. */
function warningsIn(answered: unknown): string[] {
	const { warnings } = (answered ?? {}) as { warnings?: unknown }
	return Array.isArray(warnings) ? warnings.filter((text) => typeof text === 'string') : []
}

function memberOf(answered: unknown, member: string): unknown {
	let value = answered
	for (const name of member.split('.')) {
		value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
		if (value === undefined)
			throw new CommandFailure(
				exitCodes.notFound,
				`The answer has no member ${member}: ${JSON.stringify(answered)}`,
			)
	}
	return value
}

function shown(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
