import type { ChangeFeed } from '../../platform/changes.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Problem } from '../../platform/errors.ts'
import type { Principal, Route } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { WatchedWorkspaces } from '../../platform/processes/watched-workspaces.ts'
import { EventHub, toLiveSse } from './event-reader.ts'
import { deleteOldEvents } from './event-repository.ts'
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
	/** Called with the workspaces that have streams. */
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

/** What is needed of a recorded row. */
export interface RecordedCall {
	workspaceId: string
	traceId: string
	source: string
	kind: string
	status: string
	errorType: string
	startNs: bigint
	durationNs: bigint
	agentId: string
	agentName: string
	serverId: string
	serverName: string
	toolName: string
	connection: string
	model: string
	modelRequested: string
	sessionId: string
}

/** Whether a row is a tool or model call that went through us; telemetry that others send is none. */
function isCall({ source, kind }: RecordedCall): boolean {
	return source !== 'otlp' && (kind === 'tool_call' || kind === 'model_call')
}

function callSse(call: RecordedCall): string {
	const startedMs = Number(call.startNs / 1_000_000n)
	const durationMs = Number(call.durationNs) / 1e6
	return toLiveSse('call.finished', Math.floor(startedMs + durationMs), {
		kind: call.kind,
		status: call.status,
		error_type: orNull(call.errorType),
		started_at: toIso(startedMs),
		duration_ms: durationMs,
		agent: call.agentId === '' ? null : { uuid: call.agentId, name: call.agentName },
		server: call.serverId === '' ? null : { id: call.serverId, name: call.serverName },
		tool: orNull(call.toolName),
		connection: orNull(call.connection),
		model: orNull(call.model || call.modelRequested),
		session_id: orNull(call.sessionId),
		trace_id: call.traceId,
	})
}

function orNull(text: string): string | null {
	return text === '' ? null : text
}
