import type { IncomingMessage, ServerResponse } from 'node:http'
import { openAudit } from '../accounts/audit/audit.ts'
import { openInstance } from '../accounts/identity/identity.ts'
import type { Config } from '../config/config.ts'
import { publicAddress } from '../config/public-address.ts'
import type { Stores } from '../operate/stores/stores.ts'
import { ChangeFeed } from '../platform/changes.ts'
import { watchEventLoop } from '../platform/health/event-loop.ts'
import { openJobs } from '../platform/jobs/open-jobs.ts'
import { createLimiter } from '../platform/limits/limiter.ts'
import type { Log } from '../platform/log.ts'
import { createMutate } from '../platform/mutation.ts'
import { type Processes, singleProcess } from '../platform/processes/processes.ts'
import { WatchedWorkspaces } from '../platform/processes/watched-workspaces.ts'
import { createSafeFetch, type OwnHosts } from '../platform/safe-fetch.ts'
import type { Servers } from '../servers/servers.ts'
import { type LogRecorder, openStatsOfAll, RowMaker, withClaims } from '../telemetry/index.ts'
import { addressRules } from './area-settings.ts'
import { shareChanges, shareMasterKey } from './share.ts'
import { watchClock } from './watch-clock.ts'
import type { Workers } from './workers/supervise-workers.ts'

export interface AppOptions {
	config: Config
	stores: Stores
	log: Log
	version: string
	/** Ports of our own listeners, which no upstream URL may use. */
	ownPorts(): readonly number[]
	/** Whether the start goes on, although the listeners are open: until its end, a signal ends the program at once. */
	isStarting?(): boolean
	/** The processes that share the ports; absent: this is the only one. */
	processes?: Processes
	/** The status of the workers, in the primary. */
	workers?: Pick<Workers, 'down' | 'restarts'> & {
		/** Resolves when each worker serves or has failed once. */
		started: Promise<void>
	}
	/** In a worker: the connection for everything that only the primary does. */
	toPrimary?: {
		forward(request: IncomingMessage, response: ServerResponse): void
		exchange: Servers['exchange']
	}
}

export type Core = Awaited<ReturnType<typeof openCore>>

/** What every area works with: the stores, the change feed, outbound requests, the audit log, jobs, and settings. */
export async function openCore(options: AppOptions, ownHosts: OwnHosts) {
	const { config, stores, log, ownPorts, processes = singleProcess, toPrimary } = options
	const { control: store, sealer } = stores
	const watchedClock = await watchClock({ config, stores, log, isWorker: toPrimary !== undefined })
	const { clock } = watchedClock
	shareMasterKey(stores.masterKey, processes)
	const feed = new ChangeFeed(store, log, clock)
	const mutate = createMutate(store, feed, shareChanges(feed, processes, log))
	const limiter = createLimiter(clock, processes)
	const core = { store, feed, mutate, clock, log, sealer, processes, limiter }
	const instance = openInstance({ ...core, config })
	const { started: othersReported = Promise.resolve() } = options.workers ?? {}
	const recorder = withClaims(stores.recorder, { processes, nowMs: clock.nowMs, othersReported })
	const statsOfAll = openStatsOfAll(recorder, processes, config.WORKERS)
	return {
		...core,
		instance,
		config,
		watchedClock,
		recorder,
		statsOfAll,
		// Several programs may write to a ClickHouse server.
		isShared: config.CLICKHOUSE_URL !== null,
		stored: config.CLICKHOUSE_URL
			? undefined
			: {
					count: async () => (await statsOfAll()).storedRows,
					takeArrived: (storedMs: number, rows: number) => recorder.takeArrived(storedMs, rows),
					// With workers, this process is not notified when the others store something.
					...(config.WORKERS === 1 && { onMore: (tell: () => void) => recorder.onStored(tell) }),
				},
		telemetry: stores.telemetry,
		rowMaker: openRowMaker(stores.recorder, feed, log),
		watched: new WatchedWorkspaces(processes),
		jobs: openJobs(core),
		audit: openAudit(core),
		eventLoop: watchEventLoop(),
		safeFetch: createSafeFetch(addressRules(config, ownPorts, instance), ownHosts),
		publicUrl: config.PUBLIC_URL,
		publicAddress: () => publicAddress(config, ownPorts()[0]),
	}
}

/** Rows of calls are made only after the views have been loaded, because they depend on them. */
function openRowMaker(recorder: LogRecorder, feed: ChangeFeed, log: Log): RowMaker {
	const rowMaker = new RowMaker({ recorder, log })
	feed.add(rowMaker)
	feed.onApplied(() => rowMaker.start())
	return rowMaker
}

/** Options for a second program over the same stores, for the demo: it has its own recorder and runs no background work. */
export function replayOptions(
	{ config, log, version, ownPorts, stores }: AppOptions,
	recorder: LogRecorder,
	toPrimary: NonNullable<AppOptions['toPrimary']>,
): AppOptions {
	return { config, log, version, ownPorts, stores: { ...stores, recorder }, toPrimary }
}

/** A placeholder for a function that is set later, for two areas that need each other. */
export class LateBinding<Call extends (...of: never[]) => unknown> {
	#to: Call | null = null

	/** Called once, before anything is served. */
	bind(to: Call): void {
		this.#to = to
	}

	readonly call = ((...of: Parameters<Call>) => {
		if (!this.#to) throw new Error('A port was called before it leads anywhere.')
		return this.#to(...of)
	}) as Call
}
