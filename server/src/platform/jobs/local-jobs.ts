import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { LocalHandler } from './job.ts'

interface LocalJob {
	kind: string
	/** The time until the next run. */
	waitMs: () => number
	/** The first run comes within this time. */
	firstWithinMs: number
	handler: LocalHandler
}

/** Runs the jobs that recur in this program. Nothing of them is kept in the store, so no other program has a part in them. */
export class LocalJobs {
	readonly #log: Pick<Log, 'warn'>
	readonly #jobs: LocalJob[] = []
	readonly #ending = new AbortController()
	#loops: Promise<void>[] = []
	/** For `/metrics`. */
	readonly counts = { running: 0, failed: 0 }

	constructor(log: Pick<Log, 'warn'>) {
		this.#log = log
	}

	get kinds(): string[] {
		return this.#jobs.map(({ kind }) => kind)
	}

	add(job: LocalJob): void {
		this.#jobs.push(job)
	}

	start(): void {
		const outside = AsyncLocalStorage.snapshot()
		this.#loops = this.#jobs.map((job) => outside(() => this.#repeat(job)))
	}

	async close(): Promise<void> {
		this.#ending.abort(new Error('The program is stopping.'))
		await Promise.all(this.#loops)
	}

	async #repeat(job: LocalJob): Promise<void> {
		await this.#pause(job.firstWithinMs * Math.random())
		while (!this.#ending.signal.aborted) {
			await this.#run(job)
			await this.#pause(job.waitMs())
		}
	}

	async #run({ kind, handler }: LocalJob): Promise<void> {
		const { signal } = this.#ending
		this.counts.running += 1
		try {
			await handler({ signal })
		} catch (error) {
			if (signal.aborted) return
			this.counts.failed += 1
			this.#log.warn({ err: error, kind }, 'jobs: a run failed')
		} finally {
			this.counts.running -= 1
		}
	}

	#pause(ms: number): Promise<void> {
		return sleep(ms, undefined, { signal: this.#ending.signal, ref: false }).catch(() => undefined)
	}
}
