import type { IncomingMessage, ServerResponse } from 'node:http'
import { telemetryLive } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/principal.ts'
import { authorize, principalIn, type RequestContext, type Route } from '../../platform/http/route.ts'
import { type Processes, primary } from '../../platform/processes/processes.ts'
import { WatchedWorkspaces } from '../../platform/processes/watched-workspaces.ts'
import { decodeSpanBlock, encodeSpanBlock } from '../blocks/span-block.ts'
import { presentSpan } from '../present-span.ts'
import type { SpanRow } from '../span-row.ts'

/** A viewer's methods; both are synchronous. */
interface Viewer {
	/** One event in the wire form of server-sent events. */
	show(event: string): void
	/** Reports spans that were recorded but not shown. */
	miss(count: number): void
}

/** Per recorded batch, so that a large one does not block the event loop. */
const maxShownAtOnce = 200

/** Passes recorded rows to the viewers of their workspace; does nothing without viewers. */
export class LiveTail {
	readonly #viewers = new Map<string, Set<Viewer>>()
	readonly #watched: Pick<WatchedWorkspaces, 'add'>

	constructor(watched: Pick<WatchedWorkspaces, 'add'> = new WatchedWorkspaces()) {
		this.#watched = watched
	}

	publish(rows: readonly SpanRow[]): void {
		if (this.#viewers.size === 0) return
		for (const row of rows) {
			const viewers = this.#viewers.get(row.workspaceId)
			if (viewers) show(viewers, row)
		}
	}

	/** The same for a block of rows: the first 200 are shown, the others reported as missed. */
	publishEncoded(workspaceId: string, rows: Buffer, count: number): void {
		const viewers = this.#viewers.get(workspaceId)
		if (!viewers) return
		for (const row of decodeSpanBlock(rows, maxShownAtOnce)) show(viewers, row)
		if (count > maxShownAtOnce) for (const viewer of viewers) viewer.miss(count - maxShownAtOnce)
	}

	/** Returns a function that ends it. */
	watch(workspaceId: string, viewer: Viewer): () => void {
		const viewers = this.#viewers.get(workspaceId) ?? new Set()
		this.#viewers.set(workspaceId, viewers.add(viewer))
		const unwatch = this.#watched.add(workspaceId)
		return () => {
			unwatch()
			viewers.delete(viewer)
			if (viewers.size === 0 && this.#viewers.get(workspaceId) === viewers) this.#viewers.delete(workspaceId)
		}
	}

	viewers(workspaceId: string): number {
		return this.#viewers.get(workspaceId)?.size ?? 0
	}
}

function show(viewers: ReadonlySet<Viewer>, row: SpanRow): void {
	const event = `event: span\ndata: ${JSON.stringify(presentSpan(row))}\n\n`
	for (const viewer of viewers) viewer.show(event)
}

const recorded = 'live.recorded'

interface Recorded {
	workspaceId: string
	rows: Buffer
	count: number
}

/** A worker's live tail: the primary shows what it records for watched workspaces. */
export function passToPrimary(
	processes: Processes,
	watched: WatchedWorkspaces,
): Pick<LiveTail, 'publish' | 'publishEncoded'> {
	const publishEncoded = (workspaceId: string, rows: Buffer, count: number) => {
		if (!watched.has(workspaceId)) return
		// A copy, because the pipe may have to wait and the rows are freed.
		const first = count > maxShownAtOnce ? firstRows(rows) : Buffer.from(rows)
		processes.tell(primary, recorded, { workspaceId, rows: first, count })
	}
	return {
		publish: (rows) => {
			for (const row of rows)
				if (watched.has(row.workspaceId)) publishEncoded(row.workspaceId, encodeSpanBlock([row]), 1)
		},
		publishEncoded,
	}
}

/** Of a large body, only the rows that are shown go through the pipe. */
function firstRows(rows: Buffer): Buffer {
	return encodeSpanBlock(decodeSpanBlock(rows, maxShownAtOnce))
}

/** Shows in the primary what workers pass to it. */
export function showFromWorkers(
	processes: Processes,
	live: LiveTail,
	showCalls: (rows: readonly SpanRow[]) => void,
): void {
	processes.answer(recorded, ({ workspaceId, rows, count }: Recorded) => {
		live.publishEncoded(workspaceId, rows, count)
		showCalls(decodeSpanBlock(rows, maxShownAtOnce))
	})
}

interface LiveDependencies {
	live: LiveTail
	stillValid(principal: Principal): Problem | null
	/** Aborted to end the streams, when the program stops. */
	ending?: AbortSignal
	heartbeatMs?: number
	/** Maximum number of bytes that wait for a slow viewer. */
	bufferBytes?: number
}

const maxViewers = 100

/** `GET /v1/telemetry/live`: server-sent events `span` (a Span) and `gap` (`{"missed":n}`), as things are recorded. */
export function liveRoute(dependencies: LiveDependencies): Route {
	return {
		...telemetryLive,
		family: 'api',
		handle: (request, response, context) => showLive(dependencies, request, response, context),
	}
}

function showLive(
	{ live, stillValid, ending, heartbeatMs = 15_000, bufferBytes = 1024 * 1024 }: LiveDependencies,
	request: IncomingMessage,
	response: ServerResponse,
	context: RequestContext,
): void {
	const principal = principalIn(context)
	if (context.search !== '') throw new Problem('invalid_request', 'The live tail takes no query parameters.')
	if (live.viewers(principal.workspaceId) >= maxViewers)
		throw new Problem('too_many_requests', 'Too many viewers watch this workspace.', { retryAfterS: 30 })
	response.writeHead(200, {
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-store',
		'x-accel-buffering': 'no',
	})
	response.write(': signalbox\n\n')
	if (request.method === 'HEAD' || ending?.aborted) return void response.end()
	const end = () => void response.end()
	ending?.addEventListener('abort', end)
	const leave = live.watch(principal.workspaceId, newViewer(response, bufferBytes))
	const heartbeat = setInterval(() => response.write(': \n\n'), heartbeatMs)
	response.once('close', () => {
		clearInterval(heartbeat)
		ending?.removeEventListener('abort', end)
		leave()
	})
	context.guard(
		() => stillValid(principal) ?? authorize(telemetryLive.access, principal),
		() => response.destroy(),
	)
}

/** Drops what a slow viewer does not read, and reports how much when it reads again. */
function newViewer(response: ServerResponse, bufferBytes: number) {
	let missed = 0
	const reportMissed = () => {
		if (missed > 0) response.write(`event: gap\ndata: {"missed":${missed}}\n\n`)
		missed = 0
	}
	response.on('drain', reportMissed)
	const miss = (count: number) => {
		missed += count
		if (!response.writableNeedDrain) reportMissed()
	}
	return {
		show: (event: string) => {
			// A span of over the limit is missed also by a fast viewer, whose connection has nothing to drain.
			if (response.writableLength + event.length > bufferBytes) miss(1)
			else response.write(event)
		},
		miss,
	}
}
