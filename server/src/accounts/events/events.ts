import type { ChangeFeed } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Problem } from '../../platform/errors.ts'
import type { Principal, Route } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/index.ts'
import type { WatchedWorkspaces } from '../../platform/processes/index.ts'
import { callSse, isCall, type RecordedCall } from './call-event.ts'
import { EventHub } from './event-hub.ts'
import { deleteOldEvents } from './repository.ts'
import { eventRoute, type StreamDependencies } from './route.ts'

export interface Events {
	/** The stream. */
	routes: Route[]
	/** Shows recorded calls to those who asked for `call.finished`. */
	showCalls(rows: readonly RecordedCall[]): void
	/** Ends the open streams: their clients come back to another process with their last id. */
	endStreams(): void
}

export interface EventDependencies {
	store: ControlStore
	feed: ChangeFeed
	jobs: Pick<Jobs, 'every'>
	clock: Clock
	identity: { stillValid(principal: Principal): Problem | null }
	/** Told of the workspaces that have streams. */
	watched?: Pick<WatchedWorkspaces, 'add'>
	/** For tests. */
	tuning?: Partial<Pick<StreamDependencies, 'heartbeatMs' | 'bufferBytes' | 'patienceMs'>>
}

/** How long a client may be away and still miss nothing. */
const keptMs = 24 * 60 * 60 * 1000
const pruneEveryMs = 60 * 60 * 1000
const usual = { heartbeatMs: 15_000, bufferBytes: 1024 * 1024, patienceMs: 60_000 }

/** The stream of what happens in a workspace, read from the outbox that `appendEvent` fills. */
export function openEvents(dependencies: EventDependencies): Events {
	const { store, feed, jobs, clock, identity, watched, tuning } = dependencies
	const hub = new EventHub(store.db, watched)
	const ending = new AbortController()
	feed.add(hub)
	feed.onApplied(() => hub.wake())
	jobs.every('events-prune', pruneEveryMs, async ({ signal }) => {
		while (!signal.aborted && (await deleteOldEvents(store.db, clock.deletionMs() - keptMs)));
	})
	const stillValid = (principal: Principal) => identity.stillValid(principal)
	return {
		routes: [eventRoute({ db: store.db, hub, ending: ending.signal, stillValid, ...usual, ...tuning })],
		showCalls: (rows) => {
			for (const row of rows) {
				const readers = hub.readersOf(row.workspaceId)
				if (readers.size === 0 || !isCall(row)) continue
				const text = callSse(row)
				for (const reader of readers) reader.showLive('call.finished', text)
			}
		},
		endStreams: () => ending.abort(),
	}
}
