import { setTimeout as wait } from 'node:timers/promises'
import { spanKinds, spanStatuses } from '@signalbox/contract'
import { type Command, Option } from 'commander'
import { ApiProblem, readEvents, type Schemas } from '../client/client.ts'
import { globalOptions, printNote } from './answer.ts'
import { connectionOf } from './connection.ts'
import { CommandFailure, exitCodes } from './outcome.ts'
import { plainLine, writeOut } from './terminal.ts'

interface Filter {
	agent?: string
	server?: string
	tool?: string
	model?: string
	kind?: string
	status?: string
	limit?: string
}
interface Left {
	count: number
	/** Whether the stream has ever worked. */
	connected: boolean
}
type Span = Schemas['Span']

const retryMs = 1000

export function addTailCommand(program: Command): void {
	program
		.command('tail')
		.description('Show calls and spans as they are recorded, until Ctrl-C; with --json one document per line')
		.option('--agent <name>', 'only of this agent, by name or id')
		.option('--server <name>', 'only to this server, by name or id')
		.option('--tool <name>')
		.option('--model <name>')
		.addOption(new Option('--kind <kind>', 'what was recorded').choices(spanKinds))
		.addOption(new Option('--status <status>', 'how it ended').choices(spanStatuses))
		.option('--limit <n>', 'stop after this many')
		.action(tail)
}

async function tail(filter: Filter, command: Command): Promise<void> {
	const count = filter.limit === undefined ? Number.POSITIVE_INFINITY : Number(filter.limit)
	const left: Left = { count, connected: false }
	if (!(left.count > 0)) throw new CommandFailure(exitCodes.usage, '--limit must be a number above 0.')
	while (left.count > 0) {
		await follow(filter, left, command).catch((error: unknown) => {
			// A refusal is final, while a lost connection is re-established.
			if (!(error instanceof ApiProblem) || error.status !== 0 || !left.connected) throw error
		})
		if (left.count === 0) return
		printNote(command, 'The connection ended; trying again.')
		await wait(retryMs)
	}
}

async function follow(filter: Filter, left: Left, command: Command) {
	const { url, key } = connectionOf(command)
	const json = globalOptions(command).json === true
	for await (const { event, data } of readEvents({ baseUrl: url, key }, '/v1/telemetry/live')) {
		left.connected = true
		if (event === 'gap') printNote(command, `(${(JSON.parse(data) as { missed: number }).missed} not shown)`)
		if (event !== 'span') continue
		const span = JSON.parse(data) as Span
		if (!matches(span, filter)) continue
		writeOut(`${json ? data : plainLine(describe(span))}\n`, json)
		left.count -= 1
		if (left.count === 0) return
	}
}

function matches(span: Span, { agent, server, tool, model, kind, status }: Filter): boolean {
	const holds = (wanted: string | undefined, ...values: (string | null | undefined)[]) =>
		wanted === undefined || values.includes(wanted)
	return (
		holds(agent, span.agent?.name, span.agent?.uuid) &&
		holds(server, span.server?.name, span.server?.id) &&
		holds(tool, span.tool) &&
		holds(model, span.model, span.model_requested) &&
		holds(kind, span.kind) &&
		holds(status, span.status)
	)
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
