import { type Processes, primary, singleProcess } from './processes.ts'

const watchedNow = 'watched.now'
const askWatched = 'watched.ask'

/** Workspaces that somebody is watching live, always at the primary: workers forward what they record for them. */
export class WatchedWorkspaces {
	readonly #processes: Processes
	readonly #watchers = new Map<string, number>()
	#elsewhere: ReadonlySet<string> = new Set()

	constructor(processes: Processes = singleProcess) {
		this.#processes = processes
		const know = (workspaceIds: string[]) => {
			this.#elsewhere = new Set(workspaceIds)
		}
		processes.answer(askWatched, () => [...this.#watchers.keys()])
		if (processes.number === primary) return
		processes.answer(watchedNow, know)
		// If the primary has ended, this process ends too.
		processes.ask<string[]>(primary, askWatched).then(know, () => undefined)
	}

	has(workspaceId: string): boolean {
		return this.#watchers.has(workspaceId) || this.#elsewhere.has(workspaceId)
	}

	/** For the primary: adds a watcher; returns a function that removes it. */
	add(workspaceId: string): () => void {
		this.#change(workspaceId, 1)
		return () => this.#change(workspaceId, -1)
	}

	#change(workspaceId: string, by: 1 | -1): void {
		const before = this.#watchers.get(workspaceId) ?? 0
		if (before + by === 0) this.#watchers.delete(workspaceId)
		else this.#watchers.set(workspaceId, before + by)
		if (before === 0 || before + by === 0) this.#processes.tell('all', watchedNow, [...this.#watchers.keys()])
	}
}
