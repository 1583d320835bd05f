import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import { Problem } from '../platform/errors.ts'
import type { BoundOperation } from '../platform/http/index.ts'
import { probeRevision } from './discovery/index.ts'
import { HealthChecks } from './health-checks.ts'
import { handleInstalls } from './install-program.ts'
import { programRoutes } from './program-routes.ts'
import {
	createProgramDispatcher,
	openPrograms,
	type ProgramSpec,
	type Programs,
	type ProgramsOptions,
} from './programs/index.ts'
import type { ServerContext } from './server-context.ts'
import type { ServerEntry, ServerView } from './server-entry.ts'
import { serverRoutes } from './server-routes.ts'

const probePatience = { messageMs: 5000, totalMs: 5000 }

export interface Servers {
	operations: BoundOperation[]
	view: ServerView
	/** The way to all servers: over the network, or to their programs. */
	dispatcher: Dispatcher
	/** An exchange with the program of a hosted server. */
	exchange: Programs['exchange']
	/** Asks a server for its state and tools now; for those who learn that they changed. */
	refresh(serverId: string): Promise<void>
	/** Asks a server over the network, with the headers of this entry, which revision it speaks; rejects when it does not tell. */
	probe(server: ServerEntry): Promise<string>
	/** Makes sure that every active server is checked in the background; the jobs must be started too. */
	start(): Promise<void>
	close(): Promise<void>
}

export interface ServerDependencies
	extends Omit<ServerContext, 'ending' | 'checkIntervalMs' | 'programs' | 'probes'> {
	view: ServerView
	/** Where and how programs run; in a temporary folder by default. */
	hosting?: Partial<ProgramsOptions>
	/** Where another process runs the programs. */
	exchange?: Programs['exchange'] | undefined
	/** Between two checks of one server; 60 s by default. */
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

/** The program of a server if it is to run now, else null or a `Problem` that says why it may not. */
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
