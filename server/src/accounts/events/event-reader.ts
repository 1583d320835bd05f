import type { ServerResponse } from 'node:http'
import type { ChangeKind, View } from '../../platform/changes.ts'
import { toIso } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { drained } from '../../platform/http/read-body.ts'
import { WatchedWorkspaces } from '../../platform/processes/watched-workspaces.ts'
import { type EventRow, listEvents } from './event-repository.ts'

interface EventReaderOptions {
	response: ServerResponse
	/** Sequence number of the last event that the client has. */
	afterSeq: number
	wants(type: string): boolean
	read(afterSeq: number): Promise<readonly EventRow[]>
	/** The most bytes buffered for a slow client. */
	bufferBytes: number
	/** How long a client may read nothing before it is disconnected. */
	patienceMs: number
}

/**
 * A client's cursor in the events of its workspace. It reads further only when the client has read what was sent, so a slow client
 * uses no memory. A client that reads nothing at all is disconnected, and may reconnect with its last id.
 */
export class EventReader {
	readonly #options: EventReaderOptions
	#seq: number
	#pumping = false
	#again = false
	#missed = 0

	constructor(options: EventReaderOptions) {
		this.#options = options
		this.#seq = options.afterSeq
		options.response.on('drain', () => this.#reportMissed())
	}

	/** Sends all new events. */
	async wake(): Promise<void> {
		this.#again = true
		if (this.#pumping) return
		this.#pumping = true
		try {
			while (this.#again && !this.#options.response.destroyed) {
				this.#again = false
				await this.#sendNew()
			}
		} catch {
			// The store is unavailable: the client reconnects with its last id.
			this.#options.response.destroy()
		} finally {
			this.#pumping = false
		}
	}

	/** Sends an event that is not stored. If the buffer is full it is counted as missed, and the count is sent later. */
	showLive(type: string, text: string): void {
		const { response, bufferBytes, wants } = this.#options
		if (!wants(type)) return
		if (response.writableLength + text.length > bufferBytes) this.#missed += 1
		else response.write(text)
	}

	/** Keeps the connection open; skipped while a client does not read. */
	heartbeat(): void {
		const { response } = this.#options
		if (response.writableNeedDrain) return
		this.#reportMissed()
		response.write(': \n\n')
	}

	async #sendNew(): Promise<void> {
		const rows = await this.#options.read(this.#seq)
		if (rows.length > 0) this.#again = true
		for (const row of rows) {
			// Numbers are contiguous, so a gap means that events were deleted before this client could read them.
			if (row.seq !== this.#seq + 1) await this.#write(gapText(row.seq - this.#seq - 1))
			this.#seq = row.seq
			if (this.#options.wants(row.type)) await this.#write(toSse(row))
		}
	}

	async #write(text: string): Promise<void> {
		const { response, patienceMs } = this.#options
		if (response.destroyed || response.write(text)) return
		await drained(response, patienceMs)
	}

	#reportMissed(): void {
		if (this.#missed > 0) this.#options.response.write(gapText(this.#missed))
		this.#missed = 0
	}
}

/** An event in the format of the stream; its id is used as `Last-Event-ID` to resume. */
function toSse({ id, type, at, data }: EventRow): string {
	const text = `{"id":"${id}","type":"${type}","timestamp":"${toIso(at)}","data":${data}}`
	return `id: ${id}\nevent: ${type}\ndata: ${text}\n\n`
}

/** An event that is not stored has no id, so the client's last id stays unchanged. */
export function toLiveSse(type: string, atMs: number, data: object): string {
	const text = JSON.stringify({ type, timestamp: toIso(atMs), data })
	return `event: ${type}\ndata: ${text}\n\n`
}

/** Reports that events were omitted; null if it is unknown how many. */
export function gapText(missed: number | null): string {
	return `event: gap\ndata: {"missed":${missed}}\n\n`
}

const batchRows = 100

/** The open streams of this process by workspace; the change feed reports in which workspaces there are new events. */
export class EventHub implements View {
	readonly kinds: readonly ChangeKind[] = ['event']
	readonly #db: Database
	readonly #readers = new Map<string, Set<EventReader>>()
	readonly #changed = new Set<string>()
	/** Clients at the same position share one read. */
	readonly #reads = new Map<string, Promise<readonly EventRow[]>>()

	readonly #watched: Pick<WatchedWorkspaces, 'add'>

	constructor(db: Database, watched: Pick<WatchedWorkspaces, 'add'> = new WatchedWorkspaces()) {
		this.#db = db
		this.#watched = watched
	}

	async load(): Promise<void> {
		for (const workspaceId of this.#readers.keys()) this.#changed.add(workspaceId)
	}

	async apply(_kind: ChangeKind, workspaceId: string): Promise<void> {
		if (this.#readers.has(workspaceId)) this.#changed.add(workspaceId)
	}

	/**
	 * Runs after all views have caught up, so that a stream that a change aborts does not receive the event of that change first.
	 */
	wake(): void {
		const changed = [...this.#changed]
		this.#changed.clear()
		// A read that began before the change may have missed it.
		this.#reads.clear()
		for (const workspaceId of changed)
			for (const reader of this.#readers.get(workspaceId) ?? []) void reader.wake()
	}

	/** Returns a function that removes the reader. */
	add(workspaceId: string, reader: EventReader): () => void {
		const readers = this.#readers.get(workspaceId) ?? new Set()
		this.#readers.set(workspaceId, readers.add(reader))
		this.#reads.clear()
		const unwatch = this.#watched.add(workspaceId)
		return () => {
			unwatch()
			readers.delete(reader)
			if (readers.size === 0 && this.#readers.get(workspaceId) === readers) this.#readers.delete(workspaceId)
		}
	}

	readersOf(workspaceId: string): ReadonlySet<EventReader> {
		return this.#readers.get(workspaceId) ?? new Set()
	}

	read(workspaceId: string, afterSeq: number): Promise<readonly EventRow[]> {
		const key = `${workspaceId}/${afterSeq}`
		const running = this.#reads.get(key)
		if (running !== undefined) return running
		const read = listEvents(this.#db, workspaceId, afterSeq, batchRows).finally(() => {
			if (this.#reads.get(key) === read) this.#reads.delete(key)
		})
		this.#reads.set(key, read)
		return read
	}
}
