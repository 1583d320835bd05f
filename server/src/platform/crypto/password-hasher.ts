import { Worker } from 'node:worker_threads'
import { compiledCodeEnvironment } from '../compiled-code.ts'
import { Problem } from '../errors.ts'
import { recommendedMemoryKib, unmatchablePhc } from './password-phc.ts'

const maxWaiting = 16

/** Either asks for a new hash with this much memory, or whether the password matches a PHC string. */
export type PasswordJob = { password: string; memoryKib: number } | { password: string; phc: string }
export type PasswordResult = { hash: string } | { matches: boolean } | { error: string }

interface Waiting {
	job: PasswordJob
	resolve(result: PasswordResult): void
	reject(error: Error): void
}

/** An idle thread would keep 6 MB; a new one starts within some 50 ms. */
const restMs = 1000

/**
 * Hashes and checks passwords in a dedicated thread, one after another: argon2 in the shared thread pool would delay file and DNS
 * operations. With 16 waiting (over a second of work), further callers get `too_many_requests`.
 */
export class PasswordHasher {
	/** A hash that no password has. Checking against it takes as long as checking a real one. */
	readonly unmatchableHash: string
	readonly #memoryKib: number
	readonly #queue: Waiting[] = []
	#resting: NodeJS.Timeout | undefined
	#worker: Worker | null = null

	constructor(memoryKib = recommendedMemoryKib) {
		this.#memoryKib = memoryKib
		this.unmatchableHash = unmatchablePhc(memoryKib)
	}

	/** The PHC string of a password. */
	async hash(password: string): Promise<string> {
		const result = await this.#run({ password, memoryKib: this.#memoryKib })
		return 'hash' in result ? result.hash : ''
	}

	async verify(password: string, phc: string): Promise<boolean> {
		const result = await this.#run({ password, phc })
		return 'matches' in result && result.matches
	}

	async close(): Promise<void> {
		const worker = this.#worker
		if (!worker) return
		this.#worker = null
		this.#failAll(new Error('The password thread ended.'))
		await worker.terminate()
	}

	/** Throws `too_many_requests` while the queue is full. Calling it first saves the look-ups before a check. */
	requireRoom(): void {
		if (this.#queue.length >= maxWaiting)
			throw new Problem('too_many_requests', 'Too many sign-ins at once.', { retryAfterS: 2 })
	}

	async #run(job: PasswordJob): Promise<PasswordResult> {
		this.requireRoom()
		const result = await new Promise<PasswordResult>((resolve, reject) => {
			this.#queue.push({ job, resolve, reject })
			if (this.#queue.length === 1) this.#next()
		})
		if ('error' in result) throw new Error(result.error)
		return result
	}

	/** Sends the first job of the queue to the thread; it stays queued until it is answered. */
	#next(): void {
		const first = this.#queue[0]
		if (!first) {
			this.#rest()
			return
		}
		clearTimeout(this.#resting)
		this.#worker ??= this.#startWorker()
		this.#worker.ref()
		this.#worker.postMessage(first.job)
	}

	#rest(): void {
		this.#worker?.unref()
		this.#resting = setTimeout(() => void this.close(), restMs).unref()
	}

	#startWorker(): Worker {
		const worker = new Worker(new URL('./password-thread.ts', import.meta.url), {
			execArgv: [],
			env: compiledCodeEnvironment(),
		})
		worker.on('message', (result: PasswordResult) => {
			this.#queue.shift()?.resolve(result)
			this.#next()
		})
		worker.on('error', (error) => this.#died(worker, error))
		worker.on('exit', () => this.#died(worker, new Error('The password thread ended.')))
		return worker
	}

	#died(worker: Worker, error: Error): void {
		if (this.#worker !== worker) return
		this.#worker = null
		this.#failAll(error)
	}

	#failAll(error: Error): void {
		for (const waiting of this.#queue.splice(0)) waiting.reject(error)
	}
}
