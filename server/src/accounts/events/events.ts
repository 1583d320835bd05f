import type { IncomingMessage, ServerResponse } from 'node:http'
import { eventPatterns, eventStream, eventTypes } from '@signalbox/contract'
import type { ChangeFeed } from '../../platform/changes.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { ControlStore, Database } from '../../platform/database/index.ts'
import { Problem } from '../../platform/errors.ts'
import {
	authorize,
	createQueryReader,
	type Principal,
	principalIn,
	type RequestContext,
	type Route,
} from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { WatchedWorkspaces } from '../../platform/processes/watched-workspaces.ts'
import { matches } from './append-event.ts'
import { EventHub, EventReader, gapText, toLiveSse } from './event-reader.ts'
import { deleteOldEvents, newestSeq, seqOf } from './event-repository.ts'

export { appendEvent, deliveryJob, matches, newDelivery, wakeDeliveries } from './append-event.ts'

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

interface StreamDependencies {
	db: Database
	hub: EventHub
	/** Streams by whose wish they end. */
	ending: AbortSignal
	stillValid(principal: Principal): Problem | null
	heartbeatMs: number
	bufferBytes: number
	patienceMs: number
}

/** Open streams of one workspace in one process. */
const mostReaders = 100
const retryMs = 3000
const readQuery = createQueryReader(eventStream.query)

/** `GET /v1/events`: the events of the caller's workspace as server-sent events. */
function eventRoute(dependencies: StreamDependencies): Route {
	const { id, method, path, access } = eventStream
	const handle: Route['handle'] = (request, response, context) =>
		stream(dependencies, request, response, context)
	return { id, method, path, access, family: 'api', handle }
}

async function stream(
	dependencies: StreamDependencies,
	request: IncomingMessage,
	response: ServerResponse,
	context: RequestContext,
): Promise<void> {
	const { db, hub } = dependencies
	const principal = principalIn(context)
	const { workspaceId } = principal
	const wanted = wantedTypes(principal, readQuery(context.search).types)
	if (hub.readersOf(workspaceId).size >= mostReaders)
		throw new Problem('too_many_requests', 'Too many streams of this workspace are open.', {
			retryAfterS: 30,
		})
	const lastId = request.headers['last-event-id']
	const resumed = typeof lastId === 'string' ? await seqOf(db, workspaceId, lastId) : null
	const afterSeq = resumed ?? (await newestSeq(db, workspaceId))
	response.writeHead(200, {
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-store',
		'x-accel-buffering': 'no',
	})
	if (request.method === 'HEAD') return void response.end()
	response.write(`retry: ${retryMs}\n\n`)
	if (lastId !== undefined && resumed === null) response.write(gapText(null))
	open(dependencies, response, context, { wanted, afterSeq })
}

function open(
	{ hub, ending, stillValid, heartbeatMs, bufferBytes, patienceMs }: StreamDependencies,
	response: ServerResponse,
	context: RequestContext,
	{ wanted, afterSeq }: { wanted: ReadonlySet<string>; afterSeq: number },
): void {
	const principal = principalIn(context)
	const { workspaceId } = principal
	const reader = new EventReader({
		response,
		afterSeq,
		bufferBytes,
		patienceMs,
		wants: (type) => wanted.has(type),
		read: (seq) => hub.read(workspaceId, seq),
	})
	const leave = hub.add(workspaceId, reader)
	const heartbeat = setInterval(() => reader.heartbeat(), heartbeatMs)
	const end = () => void response.end()
	ending.addEventListener('abort', end)
	response.once('close', () => {
		clearInterval(heartbeat)
		ending.removeEventListener('abort', end)
		leave()
	})
	context.guard(
		() => stillValid(principal) ?? authorize(eventStream.access, principal),
		() => response.destroy(),
	)
	// What was committed since `afterSeq` was read has woken nobody.
	void reader.wake()
}

/** Why somebody may not see a type of event, or null. */
export function refusalOf(principal: Principal, type: string): Problem | null {
	return authorize(eventTypes[type]?.access ?? { kinds: [] }, principal)
}

/**
 * The types that a client gets: those it names, as far as it may see them; without names, all but the live ones. Throws
 * `invalid_request` for an unknown name and `forbidden` for one that it may not see at all.
 */
function wantedTypes(principal: Principal, text: string | undefined): ReadonlySet<string> {
	const patterns = text === undefined ? ['*'] : text.split(',')
	const allowed = Object.keys(eventTypes).filter((type) => refusalOf(principal, type) === null)
	const wanted = patterns.flatMap((pattern) => {
		if (!Object.hasOwn(eventTypes, pattern) && !eventPatterns.includes(pattern)) throw unknownType(pattern)
		const found = allowed.filter((type) => matches([pattern], type))
		if (found.length === 0) throw refusedType(principal, pattern)
		return found.filter((type) => pattern === type || !eventTypes[type]?.live)
	})
	return new Set(wanted)
}

function unknownType(pattern: string): Problem {
	const detail = `has ${JSON.stringify(pattern.slice(0, 100))}, which is no type of event`
	return new Problem('invalid_request', `types: ${detail}.`, {
		errors: [{ pointer: '/types', code: 'event_type', detail }],
	})
}

function refusedType(principal: Principal, pattern: string): Problem {
	const first = Object.keys(eventTypes).find((type) => matches([pattern], type)) as string
	const reason = refusalOf(principal, first)?.message ?? 'It is not for you.'
	return new Problem('forbidden', `${pattern}: ${reason}`)
}
