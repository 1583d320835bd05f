import type { IncomingMessage, ServerResponse } from 'node:http'
import { eventPatterns, eventStream, eventTypes } from '@signalbox/contract'
import type { Database } from '../../platform/database/index.ts'
import { Problem } from '../../platform/errors.ts'
import {
	authorize,
	createQueryReader,
	type Principal,
	principalIn,
	type RequestContext,
	type Route,
} from '../../platform/http/index.ts'
import { matches } from './append-event.ts'
import { type EventHub, EventReader, gapText } from './event-reader.ts'
import { newestSeq, seqOf } from './event-repository.ts'

export interface StreamDependencies {
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
export function eventRoute(dependencies: StreamDependencies): Route {
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
