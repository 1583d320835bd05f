import type { ChangeFeed } from '../platform/changes.ts'
import type { BoundOperation } from '../platform/http/index.ts'
import type { ServerContext } from './context.ts'
import { HealthChecks } from './health-checks.ts'
import { serverRoutes } from './routes.ts'
import type { ServerView } from './server-entry.ts'
import { createServerView } from './server-view.ts'

export interface Servers {
	operations: BoundOperation[]
	view: ServerView
	/** Asks a server for its state and tools now; for those who learn that they changed. */
	refresh(serverId: string): Promise<void>
	/** Makes sure that every active server is checked in the background; the jobs must be started too. */
	start(): Promise<void>
	close(): Promise<void>
}

export interface ServerDependencies extends Omit<ServerContext, 'ending' | 'checkIntervalMs'> {
	feed: ChangeFeed
	/** Between two checks of one server; 60 s by default. */
	checkIntervalMs?: number
}

export function openServers({
	feed,
	checkIntervalMs = 60_000,
	...dependencies
}: ServerDependencies): Servers {
	const ending = new AbortController()
	const servers: ServerContext = { ...dependencies, checkIntervalMs, ending: ending.signal }
	const view = createServerView(servers.store.db, servers.sealer, servers.log)
	feed.add(view)
	const checks = new HealthChecks(servers)
	return {
		operations: serverRoutes(servers, checks),
		view,
		refresh: (serverId) => checks.refresh(serverId),
		start: () => checks.start(),
		close: async () => {
			ending.abort()
			await checks.close()
		},
	}
}
