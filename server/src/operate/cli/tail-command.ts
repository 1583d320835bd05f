import { setTimeout as wait } from 'node:timers/promises'
import { spanKinds, spanStatuses } from '@signalbox/contract'
import { type Command, Option } from 'commander'
import { ApiProblem, readEvents, type Schemas, unwrap } from '../client/client.ts'
import { globalOptions, printWarning } from './answer.ts'
import { connect, connectionOf } from './connection.ts'
import { findAgent, findServer, missingTool } from './find.ts'
import { CommandFailure, exitCodes } from './outcome.ts'
import { counted, plainLine, writeOut } from './terminal.ts'

interface Filter {
	agent?: string
	server?: string
	tool?: string
	model?: string
	kind?: string
	status?: string
	limit?: string
}
/** The ids of the agent and the server in a filter, as far as they exist and may be read. */
interface Ids {
	agent?: string | undefined
	server?: string | undefined
}
interface Left {
	count: number
	/** Only a stream that has worked once is opened again when its connection is lost. */
	stream: 'new' | 'open' | 'lost'
}
type Span = Schemas['Span']

const retryMs = 1000

export function addTailCommand(program: Command): void {
	program
		.command('tail')
		.description('Show calls and spans as they are recorded, until Ctrl-C; with --json one document per line')
		.option('--agent <name>', 'only of this agent, by name or id')
		.option('--server <name>', 'only to this server, by slug, name or id')
		.option('--tool <name>')
		.option('--model <name>')
		.addOption(new Option('--kind <kind>', 'what was recorded').choices(spanKinds))
		.addOption(new Option('--status <status>', 'how it ended').choices(spanStatuses))
		.option('--limit <n>', 'stop after this many')
		.addHelpText(
			'after',
			'\nAn agent, a server or a tool of the server that does not exist yet is reported, and then waited for.',
		)
		.action(tail)
}

async function tail(filter: Filter, command: Command): Promise<void> {
	const count = filter.limit === undefined ? Number.POSITIVE_INFINITY : Number(filter.limit)
	if (filter.limit !== undefined && !(Number.isSafeInteger(count) && count > 0))
		throw new CommandFailure(exitCodes.usage, '--limit must be a whole number above 0.')
	const left: Left = { count, stream: 'new' }
	const ids = await findIds(filter, command)
	while (left.count > 0) {
		await follow(filter, ids, left, command).catch((error: unknown) => {
			// A refusal is final, while a lost connection is re-established.
			if (!(error instanceof ApiProblem) || error.status !== 0 || left.stream === 'new') throw error
		})
		if (left.count === 0) return
		if (left.stream !== 'lost')
			printWarning(command, 'The connection was lost; what is recorded until it is back is not shown.')
		left.stream = 'lost'
		await wait(retryMs)
	}
}

/** Warns of what does not exist, which may be a typing mistake, or may be created while the command waits. */
async function findIds({ agent, server, tool }: Filter, command: Command): Promise<Ids> {
	const client = connect(command)
	const found = await ifKnown(command, async () => agent && (await findAgent(client, agent)).uuid)
	const target = await ifKnown(command, async () => (server ? await findServer(client, server) : undefined))
	if (target && tool !== undefined)
		await ifKnown(command, async () => {
			const params = { path: { id: target.id } }
			const { tools } = await unwrap(client.GET('/v1/mcp/servers/{id}/tools', { params }))
			if (!tools.some(({ name }) => name === tool)) throw missingTool(target, tool, tools)
		})
	return { agent: found, server: target?.id }
}

/** The key of a command that only reads telemetry may not be allowed to read agents and servers. */
async function ifKnown<T>(command: Command, find: () => Promise<T>): Promise<T | undefined> {
	try {
		return await find()
	} catch (error) {
		if (error instanceof CommandFailure) printWarning(command, `${error.message} Waiting for it.`)
		else if (error instanceof ApiProblem && error.status === 404) printWarning(command, error.message)
		else if (!(error instanceof ApiProblem && error.status === 403)) throw error
		return undefined
	}
}

async function follow(filter: Filter, ids: Ids, left: Left, command: Command) {
	const { url, key } = connectionOf(command)
	const json = globalOptions(command).json === true
	for await (const { event, data } of readEvents({ baseUrl: url, key }, '/v1/telemetry/live')) {
		left.stream = 'open'
		if (event === 'gap') printWarning(command, describeGap(JSON.parse(data)))
		if (event !== 'span') continue
		const span = JSON.parse(data) as Span
		if (!matches(span, filter, ids)) continue
		writeOut(`${json ? data : plainLine(describe(span))}\n`, json)
		left.count -= 1
		if (left.count === 0) return
	}
}

/** The instance drops what a slow reader does not take, before any filter of this command. */
function describeGap({ missed }: { missed: number }): string {
	return `Not shown: ${counted(missed, 'call')}, because more was recorded than this command could read.`
}

function matches(span: Span, { agent, server, tool, model, kind, status }: Filter, ids: Ids): boolean {
	const holds = (wanted: string | undefined, ...values: (string | null | undefined)[]) =>
		wanted === undefined || values.includes(wanted)
	return (
		(holds(agent, span.agent?.name, span.agent?.uuid) || isSame(ids.agent, span.agent?.uuid)) &&
		(holds(server, span.server?.name, span.server?.id) || isSame(ids.server, span.server?.id)) &&
		holds(tool, span.tool) &&
		holds(model, span.model, span.model_requested) &&
		holds(kind, span.kind) &&
		holds(status, span.status)
	)
}

function isSame(id: string | undefined, of: string | undefined): boolean {
	return id !== undefined && id === of
}

function describe(span: Span): string {
	const what = span.tool ?? span.model ?? span.name
	const where = span.server?.name ?? span.connection ?? span.service_name ?? '-'
	const who = span.agent?.name ?? '-'
	const time = span.started_at.slice(11, 23)
	const duration = `${span.duration_ms.toFixed(1)} ms`
	const why = span.status_message ? `  ${span.status_message}` : ''
	return `${time}  ${span.status.padEnd(7)}  ${duration.padStart(11)}  ${who} → ${where}  ${what}${why}`
}
