import type { IncomingMessage, ServerResponse } from 'node:http'
import { eventPatterns, eventStream, eventTypes } from '@signalbox/contract'
import { appendChange, type ChangeFeed } from '../../platform/changes.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { ControlStore, Database, DatabaseTransaction } from '../../platform/database/database.ts'
import { closestTo, Problem } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { createQueryReader } from '../../platform/http/read-body.ts'
import { authorize, principalIn, type RequestContext, type Route } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import { enqueueJob } from '../../platform/jobs/open-jobs.ts'
import type { WatchedWorkspaces } from '../../platform/processes/watched-workspaces.ts'
import { redactText } from '../../platform/redaction/redact.ts'
import { EventHub, EventReader, gapText, toLiveSse } from './event-reader.ts'
import {
	type DeliveryRow,
	deleteOldEvents,
	type EventRow,
	insertDeliveries,
	insertEvent,
	listDataOf,
	listSubscribers,
	newestSeq,
	seqOf,
} from './event-repository.ts'

export interface Events {
	/** The stream's route. */
	routes: Route[]
	/** Sends recorded calls to clients that asked for `call.finished`. */
	showCalls(rows: readonly RecordedCall[]): void
	/** Ends the open streams: their clients reconnect to another process with their last id. */
	endStreams(): void
}

export interface EventDependencies {
	store: ControlStore
	feed: ChangeFeed
	jobs: Pick<Jobs, 'every'>
	clock: Clock
	identity: { stillValid(principal: Principal): Problem | null }
	/** Receives the workspaces that have streams. */
	watched?: Pick<WatchedWorkspaces, 'add'>
	/** Only for tests. */
	tuning?: Partial<Pick<StreamDependencies, 'heartbeatMs' | 'bufferBytes' | 'patienceMs'>>
}

/** How long a client may be disconnected without missing events. */
const keptMs = 24 * 60 * 60 * 1000
const pruneEveryMs = 60 * 60 * 1000
const usual = { heartbeatMs: 15_000, bufferBytes: 1024 * 1024, patienceMs: 60_000 }

/** The event stream of workspaces, read from the outbox that `appendEvent` fills. */
export function openEvents(dependencies: EventDependencies): Events {
	const { store, feed, jobs, clock, identity, watched, tuning } = dependencies
	const hub = new EventHub(store.db, watched)
	const ending = new AbortController()
	feed.add(hub)
	feed.onApplied(() => hub.wake())
	jobs.every('events-prune', pruneEveryMs, async ({ signal }) => {
		while (!signal.aborted && (await deleteOldEvents(store.db, clock.deletionMs() - keptMs)));
	})
	const { stillValid } = identity
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

/** The fields of a recorded row that are used here. */
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

/** Whether a row is a tool or model call through our gateway or proxy, as opposed to telemetry sent by others. */
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
	/** Aborted to end the streams. */
	ending: AbortSignal
	stillValid(principal: Principal): Problem | null
	heartbeatMs: number
	bufferBytes: number
	patienceMs: number
}

/** Maximum number of open streams per workspace and process. */
const maxReaders = 100
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
	if (hub.readersOf(workspaceId).size >= maxReaders)
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
	// Changes committed after `afterSeq` was read have woken nobody.
	void reader.wake()
}

/** Why a caller may not see a type of event, or null. */
export function refusalOf(principal: Principal, type: string): Problem | null {
	return authorize(eventTypes[type]?.access ?? { kinds: [] }, principal)
}

/**
 * The event types for a client: those it names, as far as it may see them; by default all except the live ones. Throws
 * `invalid_request` for an unknown name and `forbidden` if it may not see a named one at all.
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
	const named = pattern.slice(0, 100)
	const close = closestTo(named, [...eventPatterns, ...Object.keys(eventTypes)])
	const hint = close.length > 0 ? `; did you mean ${close.join(' or ')}` : ''
	const detail = `has ${JSON.stringify(named)}, which is no type of event${hint}`
	return new Problem('invalid_request', `types: ${detail}.`, {
		errors: [{ pointer: '/types', code: 'event_type', detail }],
	})
}

function refusedType(principal: Principal, pattern: string): Problem {
	const first = Object.keys(eventTypes).find((type) => matches([pattern], type)) as string
	const reason = refusalOf(principal, first)?.message ?? 'It is not for you.'
	return new Problem('forbidden', `${pattern}: ${reason}`)
}

/** One job per webhook with pending deliveries, so that a slow receiver does not delay the others. */
export const deliveryJob = 'webhook-deliver'

type Occurrence = Omit<EventRow, 'seq'>

/** Queues an event for every webhook that subscribes to it, in the event's transaction. */
async function queueDeliveries(tx: DatabaseTransaction, event: Occurrence): Promise<void> {
	const subscribers = await listSubscribers(tx, event.workspace_id)
	const wanting = subscribers.filter(({ events }) => matches(JSON.parse(events) as string[], event.type))
	if (wanting.length === 0) return
	await insertDeliveries(
		tx,
		wanting.map(({ id }) => newDelivery(id, event)),
	)
	for (const { id } of wanting) await wakeDeliveries(tx, event.workspace_id, id, event.at)
}

/** Makes the job of a webhook run now. */
export function wakeDeliveries(
	tx: DatabaseTransaction,
	workspaceId: string,
	webhookId: string,
	nowMs: number,
): Promise<void> {
	return enqueueJob(tx, { kind: deliveryJob, key: webhookId, workspaceId }, nowMs)
}

/** A delivery that waits for its first attempt. The body is fixed here, so every attempt sends the same bytes. */
export function newDelivery(
	webhookId: string,
	event: Occurrence,
	traceparent: string | null = null,
): DeliveryRow {
	const timestamp = toIso(event.at)
	return {
		id: newId(event.at),
		workspace_id: event.workspace_id,
		webhook_id: webhookId,
		event_id: event.id,
		type: event.type,
		payload: `{"type":${JSON.stringify(event.type)},"timestamp":"${timestamp}","data":${event.data}}`,
		traceparent,
		status: 'pending',
		attempts: 0,
		next_at: event.at,
		attempted_at: null,
		response_status: null,
		response_body: null,
		duration_ms: null,
		error: null,
		created_at: event.at,
		finished_at: null,
	}
}

interface NewEvent {
	workspaceId: string
	/** One of `eventTypes`; anything else is ignored. */
	type: string
	data: Record<string, unknown>
}

/** Below the 20 kB limit of webhooks, with room for the envelope. */
const maxDataBytes = 16 * 1024

/**
 * Stores an event in the transaction of the change it reports, queues it for webhooks, and wakes the streams of all processes.
 * Audit records become events automatically.
 */
export async function appendEvent(tx: DatabaseTransaction, event: NewEvent, clock: Clock): Promise<void> {
	if (!Object.hasOwn(eventTypes, event.type)) return
	const at = clock.nowMs()
	const row = {
		workspace_id: event.workspaceId,
		id: newId(at),
		type: event.type,
		at,
		data: dataText(event.data),
	}
	// It also takes the lock that the numbering of events needs.
	await appendChange(tx, 'event', event.workspaceId, clock)
	if (await insertEvent(tx, row)) await queueDeliveries(tx, row)
}

/**
 * Whether an event with these values is stored already: for work that a kill may repeat. Call it in the transaction that would append the
 * event.
 */
export async function hasEvent(
	tx: DatabaseTransaction,
	{ workspaceId, type, data }: NewEvent,
): Promise<boolean> {
	const stored = await listDataOf(tx, workspaceId, type)
	const wanted = Object.entries(data)
	return stored.some((text) => {
		const found = JSON.parse(text) as Record<string, unknown>
		return wanted.every(([name, value]) => found[name] === value)
	})
}

/** Redacts secrets, and omits the detail of a change if that is too large. */
function dataText(data: Record<string, unknown>): string {
	const text = JSON.stringify(data, redactValue)
	if (Buffer.byteLength(text) <= maxDataBytes) return text
	return JSON.stringify({ ...data, detail: { truncated: true } }, redactValue)
}

function redactValue(_name: string, value: unknown): unknown {
	return typeof value === 'string' ? redactText(value) : value
}

/** Whether one of the patterns (`*`, `area.*`, or a type) matches a type. */
export function matches(patterns: readonly string[], type: string): boolean {
	return patterns.some(
		(pattern) =>
			pattern === '*' ||
			pattern === type ||
			(pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
	)
}
