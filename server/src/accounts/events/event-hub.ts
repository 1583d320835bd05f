import type { ChangeKind, View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import { WatchedWorkspaces } from '../../platform/processes/index.ts'
import type { EventReader } from './event-reader.ts'
import { type EventRow, listEvents } from './event-repository.ts'

const batchRows = 100

/** The open streams of this process by workspace; the change feed tells it whose events there are more of. */
export class EventHub implements View {
	readonly kinds: readonly ChangeKind[] = ['event']
	readonly #db: Database
	readonly #readers = new Map<string, Set<EventReader>>()
	readonly #changed = new Set<string>()
	/** Clients at the same place share one read. */
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

	/** Once all views have caught up: streams that a change has cut must not get the event of it first. */
	wake(): void {
		const changed = [...this.#changed]
		this.#changed.clear()
		// A read that began before the change may not have seen it.
		this.#reads.clear()
		for (const workspaceId of changed)
			for (const reader of this.#readers.get(workspaceId) ?? []) void reader.wake()
	}

	/** Returns the way out. */
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
