import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compiledCodeEnvironment } from '../../platform/compiled-code.ts'
import type { Figure } from '../../platform/health/metrics.ts'
import type { Log } from '../../platform/log.ts'
import type { Pipe, PrimaryProcesses } from '../../platform/processes/processes.ts'
import { backOffMs } from '../../platform/retry.ts'

const programPath = fileURLToPath(new URL('../worker.ts', import.meta.url))

/** Starts the process of a worker. Its instructions go through the pipe, which other programs cannot read. */
function spawnWorker(number: number): ChildProcess {
	const { NODE_COMPILE_CACHE: compiled = '' } = compiledCodeEnvironment()
	const flags = ['--disable-proto=delete', '--disable-warning=ExperimentalWarning']
	return spawn(process.execPath, [...flags, programPath, String(number), compiled], {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		serialization: 'advanced',
	})
}

interface WorkersOptions {
	/** Number of workers besides the primary. */
	count: number
	processes: PrimaryProcesses
	/** The start message for each worker. */
	start: object
	log: Log
}

export interface Workers {
	/** Numbers of the workers that do not serve now. */
	down(): number[]
	/** Total number of restarts since the start of the primary. */
	restarts(): number
	/** Lets them end in order within the grace period, then kills them. */
	stop(graceMs: number): Promise<void>
}

const backOff = { firstMs: 100, maxMs: 3000 }
/** A worker that ran this long resets the back-off. */
const steadyMs = 10_000

/** A worker that neither serves nor ends within this time is killed and restarted. */
const startPatienceMs = 60_000

/**
 * Starts the workers and keeps them running. Resolves when each serves or has failed once. A worker that cannot be started is
 * retried as long as the program runs; the other processes serve meanwhile.
 */
export async function superviseWorkers(options: WorkersOptions): Promise<Workers> {
	const workers = Array.from({ length: options.count }, (_, at) => new Worker(at + 1, options))
	await Promise.all(workers.map((worker) => worker.start()))
	return {
		down: () => workers.filter(({ isUp }) => !isUp).map(({ number }) => number),
		restarts: () => workers.reduce((sum, { restarts }) => sum + restarts, 0),
		stop: async (graceMs: number) => {
			await Promise.all(workers.map((worker) => worker.stop(graceMs)))
		},
	}
}

/** A slot for a worker: each process in it has the same number and log directory. */
class Worker {
	readonly number: number
	readonly #options: WorkersOptions
	readonly #stopping = new AbortController()
	#child: ChildProcess | null = null
	#ended: Promise<void> = Promise.resolve()
	#restarting: Promise<void> = Promise.resolve()
	#failures = 0
	isUp = false
	restarts = 0

	constructor(number: number, options: WorkersOptions) {
		this.number = number
		this.#options = options
	}

	/** Resolves after the first attempt; if that failed, retries follow in the background. */
	async start(): Promise<void> {
		try {
			await this.#begin()
		} catch (err) {
			this.#options.log.error(
				{ err, worker: this.number },
				'a worker could not be started; it is tried again',
			)
			this.#restarting = this.#restart()
		}
	}

	async #begin(): Promise<void> {
		const { processes, start, log } = this.#options
		const child = spawnWorker(this.number)
		this.#child = child
		const ended = new Promise<string>((resolve) => {
			child.on('error', (error) => child.pid === undefined && resolve(error.message))
			child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
		})
		this.#ended = ended.then(() => undefined)
		processes.attach(this.number, child as Pipe)
		const patience = setTimeout(() => child.kill('SIGKILL'), startPatienceMs)
		try {
			await processes.ask(this.number, 'start', start)
		} catch (error) {
			child.kill('SIGKILL')
			const reason = await ended
			throw new Error(`Worker ${this.number} ended before it served (${reason}).`, { cause: error })
		} finally {
			clearTimeout(patience)
		}
		this.isUp = true
		log.info({ worker: this.number, pid: child.pid }, 'a worker serves')
		this.#keep(ended)
	}

	#keep(ended: Promise<string>): void {
		const startedMs = performance.now()
		void ended.then((reason) => {
			this.isUp = false
			if (this.#stopping.signal.aborted) return
			this.#options.log.error({ worker: this.number, reason }, 'a worker ended unexpectedly')
			if (performance.now() - startedMs > steadyMs) this.#failures = 0
			this.#restarting = this.#restart()
		})
	}

	async #restart(): Promise<void> {
		const { signal } = this.#stopping
		while (!signal.aborted) {
			await sleep(backOffMs(backOff, this.#failures++), undefined, { signal }).catch(() => undefined)
			if (signal.aborted) return
			this.restarts += 1
			try {
				return await this.#begin()
			} catch (err) {
				this.#options.log.error({ err, worker: this.number }, 'a worker could not be restarted')
			}
		}
	}

	async stop(graceMs: number): Promise<void> {
		this.#stopping.abort()
		// A worker that does not serve yet has acknowledged nothing.
		const patienceMs = this.isUp ? graceMs : 0
		this.isUp = false
		this.#options.processes.tell(this.number, 'stop')
		const kill = setTimeout(() => this.#child?.kill('SIGKILL'), patienceMs)
		await this.#restarting
		await this.#ended
		clearTimeout(kill)
	}
}

type Known = Pick<Workers, 'down' | 'restarts'>

/** Null if all serve, otherwise a sentence for people. The other processes still serve the ports. */
export function describeWorkers(workers: Known): string | null {
	const down = workers.down()
	if (down.length === 0) return null
	return down.length === 1
		? `worker ${down[0]} does not serve; it is being started`
		: `workers ${down.join(', ')} do not serve; they are being started`
}

export function workerFigures(workers: Known): Figure[] {
	return [
		{
			name: 'signalbox_workers_down',
			help: 'Workers that do not serve and are being started',
			read: () => workers.down().length,
		},
		{
			name: 'signalbox_worker_restarts',
			help: 'Workers that ended unexpectedly and were restarted, since the start',
			read: () => workers.restarts(),
			grows: true,
		},
	]
}
