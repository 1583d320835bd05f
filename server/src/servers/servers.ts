import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BodyOf, programOperations } from '@signalbox/contract'
import type { Dispatcher } from 'undici'
import { requireUnchanged } from '../platform/change-scope.ts'
import type { ChangeFeed } from '../platform/changes.ts'
import { toIso } from '../platform/clock.ts'
import { Problem } from '../platform/errors.ts'
import { type BoundOperation, bind } from '../platform/http/operations.ts'
import { refuseChanged } from '../platform/unchanged.ts'
import { probeRevision } from './discovery/discovery.ts'
import { HealthChecks } from './health-checks.ts'
import {
	acceptanceSentence,
	changeHosted,
	handleInstalls,
	hostedOrNotFound,
	type ProgramDocument,
	presentProgram,
	programWithAcceptance,
	requestInstall,
} from './install-program.ts'
import type { Acceptance } from './program-spec-of.ts'
import {
	createProgramDispatcher,
	openPrograms,
	type ProgramSpec,
	type Programs,
	type ProgramsOptions,
} from './programs/index.ts'
import { malformed, requireProgramRight } from './programs.ts'
import { type Caller, callerOf, type ServerContext } from './server-context.ts'
import type { ServerEntry, ServerView } from './server-entry.ts'
import { serverRoutes } from './server-routes.ts'

export { type Ability, abilitiesIn, capabilitiesWith, uiExtension } from './discovery/discovery.ts'
export type { ToolCall, ToolCallOutcome } from './server-context.ts'
export type { ServerEntry, ServerView, ToolDefinition } from './server-entry.ts'
export { openServerView } from './server-view.ts'

const moving = ['state', 'processes', 'starts', 'failures', 'last_end', 'next_start_at']
const readOnly = [
	...moving,
	'sandbox',
	'sandbox_missing',
	'package',
	'install_error',
	'limits',
	'fingerprint',
	'acceptance_sentence',
	'accepted',
	'accepted_without_sandbox',
]

/** Sets the hosts that a program may reach; a running program is ended and starts with the next request. */
async function changeProgram(
	servers: ServerContext,
	caller: Caller,
	id: string,
	change: BodyOf<(typeof programOperations)['update']>,
): Promise<ProgramDocument> {
	const row = await changeHosted(servers, caller, id, 'servers.update-program', async (before) => {
		requireProgramRight(servers, caller)
		const shown = presentProgram(servers, before)
		requireUnchanged(shown)
		refuseChanged(change, shown, readOnly, moving)
		const allowed_hosts = change.allowed_hosts ?? shown.allowed_hosts
		return {
			values: { allowed_hosts: JSON.stringify(allowed_hosts) },
			detail: { allowed_hosts },
		}
	})
	return presentProgram(servers, row)
}

function programRoutes(servers: ServerContext): BoundOperation[] {
	const { db } = servers.store
	return bind(programOperations, {
		get: async ({ params, context }) =>
			presentProgram(servers, await hostedOrNotFound(db, callerOf(context).workspaceId, params.id)),
		update: ({ params, body, context }) => changeProgram(servers, callerOf(context), params.id, body),
		logs: async ({ params, query, context }) => {
			const { id } = await hostedOrNotFound(db, callerOf(context).workspaceId, params.id)
			const lines = servers.programs.logsOf(id, query.limit)
			return { lines: lines.map(({ atMs, stream, text }) => ({ at: toIso(atMs), stream, text })) }
		},
		accept: ({ params, body, context }) =>
			acceptProgram(servers, callerOf(context), params.id, body.sentence),
		withdraw: async ({ params, context }) =>
			void (await withdrawAcceptance(servers, callerOf(context), params.id)),
		restart: ({ params, context }) => restartProgram(servers, callerOf(context), params.id),
		install: ({ params, context }) => requestInstall(servers, callerOf(context), params.id),
	})
}

/** Stores a person's acceptance that a program may start in its current state; throws `invalid_request` for any other sentence. */
async function acceptProgram(
	servers: ServerContext,
	caller: Caller,
	id: string,
	sentence: string,
): Promise<ProgramDocument> {
	const withoutSandbox = servers.programs.sandbox().kind === 'none'
	const row = await changeHosted(servers, caller, id, 'servers.accept-without-sandbox', async (before) => {
		requireProgramRight(servers, caller)
		if (withoutSandbox && !caller.isOwner)
			throw new Problem(
				'forbidden',
				'There is no sandbox here: only an owner of the workspace, in person, accepts that a program runs without one.',
			)
		if (before.status === 'deploying')
			throw new Problem(
				'conflict',
				'Its package is being installed, and is part of what is accepted. Try again when it is.',
			)
		if (sentence !== acceptanceSentence(servers, before))
			throw malformed('/sentence', `is not the sentence “${acceptanceSentence(servers, before)}”`)
		const { fingerprint } = programWithAcceptance(servers, before)
		if (fingerprint === '')
			throw new Problem(
				'conflict',
				'Its stored environment does not open with this master key. Set it again.',
			)
		const { id: by, name } = caller.actor
		const word = { by: by ?? '', name, at: servers.clock.nowMs(), sentence }
		const acceptance: Acceptance = { ...word, fingerprint, withoutSandbox }
		const program = { command: before.command, args: JSON.parse(before.args) as string[] }
		return {
			// The first check starts it, and runs at once.
			values: {
				...{ unsandboxed: JSON.stringify(acceptance), health_status: 'unknown', failures: 0 },
				// What was known until now is that nobody had accepted it.
				last_error: null,
			},
			detail: { sentence, fingerprint, without_sandbox: withoutSandbox, ...program },
		}
	})
	return presentProgram(servers, row)
}

async function withdrawAcceptance(servers: ServerContext, caller: Caller, id: string): Promise<void> {
	await changeHosted(servers, caller, id, 'servers.withdraw-acceptance', async () => ({
		values: { unsandboxed: null },
		detail: {},
	}))
}

/** Ends a program in every process that runs it; it starts with the next request, without back-off. */
async function restartProgram(servers: ServerContext, caller: Caller, id: string): Promise<ProgramDocument> {
	const row = await changeHosted(servers, caller, id, 'servers.restart-program', async (before) => {
		requireProgramRight(servers, caller)
		if (before.status !== 'active')
			throw new Problem(
				'conflict',
				`A program is restarted while its server is active; it is ${before.status}.`,
			)
		return { values: { restarted_at: servers.clock.nowMs() }, detail: {} }
	})
	return presentProgram(servers, row)
}

const probePatience = { messageMs: 5000, totalMs: 5000 }

export interface Servers {
	operations: BoundOperation[]
	view: ServerView
	/** Reaches all servers: over the network, or as programs. */
	dispatcher: Dispatcher
	/** An exchange with the program of a hosted server. */
	exchange: Programs['exchange']
	/** Checks a server's health and tools now; for callers that learn of a change. */
	refresh(serverId: string): Promise<void>
	/** Asks a server over the network, with the headers of this entry, which revision it speaks; rejects if it does not say. */
	probe(server: ServerEntry): Promise<string>
	/** Ensures that every active server has a background job; the jobs must be started too. */
	start(): Promise<void>
	close(): Promise<void>
}

export interface ServerDependencies
	extends Omit<ServerContext, 'ending' | 'checkIntervalMs' | 'programs' | 'probes'> {
	view: ServerView
	feed: Pick<ChangeFeed, 'add'>
	/** Where and how programs run; by default in a temporary folder. */
	hosting?: Partial<ProgramsOptions>
	/** Set if another process runs the programs. */
	exchange?: Programs['exchange'] | undefined
	/** Time between two checks of one server; 60 s by default. */
	checkIntervalMs?: number
}

export function openServers({
	view,
	hosting = {},
	exchange,
	checkIntervalMs = 60_000,
	...dependencies
}: ServerDependencies): Servers {
	const ending = new AbortController()
	const { log, clock, safeFetch, mayRunPrograms } = dependencies
	const temporary = join(tmpdir(), `signalbox-programs-${randomUUID()}`)
	const programs = openPrograms({
		...{ directory: temporary, clock, log, readable: [], connect: safeFetch.connect, ...hosting },
		specOf: (serverId) => runnableProgram(view.get(serverId), mayRunPrograms),
	})
	const way = { exchange: exchange ?? programs.exchange }
	const probes = createProgramDispatcher(way, safeFetch.dispatcher, true)
	const own = { programs, probes, checkIntervalMs, ending: ending.signal }
	const servers: ServerContext = { ...dependencies, ...own }
	const checks = new HealthChecks(servers)
	handleInstalls(servers)
	if (!exchange) eraseWithServers(dependencies.feed, view, programs)
	return {
		operations: [...serverRoutes(servers, checks), ...programRoutes(servers)],
		view,
		dispatcher: createProgramDispatcher(way, safeFetch.dispatcher),
		exchange: way.exchange,
		refresh: (serverId) => checks.refresh(serverId),
		probe: ({ url, headers, transportType, speaksLegacy }) => {
			const known = transportType === 'sse' ? 'sse' : 'http'
			const signal = ending.signal
			const target = { url, headers, transportType: known, speaksLegacy, signal } as const
			return probeRevision(safeFetch.dispatcher, target, probePatience)
		},
		start: () => checks.start(),
		close: async () => {
			ending.abort()
			await checks.close()
			await programs.close()
			rmSync(temporary, { recursive: true, force: true })
		},
	}
}

/** A server also disappears with its workspace. Call it after the view of the servers was added to the feed. */
function eraseWithServers(feed: Pick<ChangeFeed, 'add'>, view: ServerView, programs: Programs): void {
	const eraseDeleted = async () => programs.eraseDeleted((serverId) => view.get(serverId) !== undefined)
	const apply = async (_kind: string, serverId: string) => (view.get(serverId) ? undefined : eraseDeleted())
	feed.add({ kinds: ['server'], load: eraseDeleted, apply })
}

/** The program of a server if it should run now, otherwise null; throws a `Problem` with the reason if it may not. */
function runnableProgram(
	entry: ServerEntry | undefined,
	mayRunPrograms: (workspaceId: string) => boolean,
): ProgramSpec | null {
	if (!entry?.program || entry.status !== 'active') return null
	if (!mayRunPrograms(entry.workspaceId))
		throw new Problem('upstream_unreachable', 'This workspace has no right to programs (stdio) any more.')
	if (/(^|\/)(npx|uvx)$/.test(entry.program.command) && !entry.program.package)
		throw new Problem(
			'upstream_unreachable',
			'Its package is not installed: only `npx` with a package of the npm registry can be installed.',
		)
	return entry.program
}
