import { type ChildProcess, spawn } from 'node:child_process'
import type { Agent } from 'node:http'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compiledCodeEnvironment } from '../../compiled-code.ts'
import type { Log } from '../../log.ts'
import { http } from '../../node-http.ts'
import { basicAuthorization, type ChildEvent, type ChildStart } from './child-protocol.ts'

export interface ChildHandle {
	pid: number
	/** Resolves with the engine's version once it accepts requests; rejects with the reason when it cannot start. */
	ready: Promise<string>
	/** Resolves with a short reason when the process has exited. Never rejects. */
	ended: Promise<string>
	/** Ends the process: closes its standard input, and after a grace period kills it. */
	stop(): Promise<void>
	kill(): void
}

const programPath = fileURLToPath(new URL('./child.ts', import.meta.url))
const graceMs = 5_000
/** Output of a process may arrive after its exit event. */
const lateOutputMs = 50
/** Threads for the connections, the insert, the probe and file work: every native call occupies one. */
const threadsBesideReaders = 6
/**
 * The allocator returns unused memory to the kernel after 30 s instead of the default 5 s: a batch arrives every second or two, and
 * a fifth of an insert's time was spent on faulting in pages that had just been returned. Batches under heavy load have pieces over
 * 64 MiB, which by default would be returned at once.
 */
const allocatorSettings = 'dirty_decay_ms:30000,oversize_threshold:268435456'

export function startChild({
	startTimeoutMs,
	log,
	...start
}: ChildStart & { startTimeoutMs: number; log: Log }): ChildHandle {
	// Modules that a measurement preloads into the program are preloaded into the engine's process, too.
	const loaded = process.execArgv.filter((flag) => flag.startsWith('--import='))
	const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...loaded, programPath], {
		stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
		env: {
			...compiledCodeEnvironment(),
			PATH: '',
			TZ: 'UTC',
			HOME: start.directory,
			UV_THREADPOOL_SIZE: String(start.readers + threadsBesideReaders),
			JE_MALLOC_CONF: allocatorSettings,
		},
	})
	const ended = whenEnded(child)
	const lastText = passOnText(child, log)
	const ready = whenReady(child, ended, startTimeoutMs, lastText)
	// The key goes through the pipe, because other processes can read the environment and the arguments of a process.
	child.stdin?.on('error', () => undefined)
	child.stdin?.write(`${JSON.stringify(start)}\n`)
	return {
		pid: child.pid ?? -1,
		ready,
		ended,
		stop: () => stop(child, ended),
		kill: () => void child.kill('SIGKILL'),
	}
}

function whenEnded(child: ChildProcess): Promise<string> {
	return new Promise((resolve) => {
		child.on('error', (error) => {
			if (child.pid === undefined) resolve(error.message)
		})
		child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`))
	})
}

async function whenReady(
	child: ChildProcess,
	ended: Promise<string>,
	timeoutMs: number,
	lastText: () => string,
): Promise<string> {
	const status = createInterface({ input: child.stdio[3] as Readable })
	const answer = new Promise<ChildEvent>((resolve) => {
		status.once('line', (line) => resolve(JSON.parse(line) as ChildEvent))
		void ended.then((reason) => resolve({ event: 'failed', message: reason }))
	})
	const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
	const event = await answer.finally(() => clearTimeout(timer))
	if (event.event === 'ready') return event.version
	child.kill('SIGKILL')
	await ended
	await sleep(lateOutputMs)
	throw new Error(`The telemetry engine did not start: ${event.message} ${lastText()}`.trim())
}

/** Logs the process's own messages. The returned function gives the latest ones, which explain an immediate exit. */
function passOnText(child: ChildProcess, log: Log): () => string {
	const latest: string[] = []
	if (!child.stderr) return () => ''
	createInterface({ input: child.stderr }).on('line', (line) => {
		if (line.trim() === '') return
		log.warn({ engine: line.slice(0, 2_000) }, 'telemetry engine output')
		latest.push(line.slice(0, 300))
		if (latest.length > 5) latest.shift()
	})
	return () => latest.join(' ')
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
	child.stdin?.end()
	const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
	await ended
	clearTimeout(timer)
}

/** Intervals of the check, while the engine answers and after it stopped. On an idle machine the check is most of the load. */
const [calmMs, doubtMs] = [3_000, 1_000]

interface WatchOptions {
	socketPath: string
	key: string
	child: Pick<ChildHandle, 'pid' | 'kill'>
	log: Log
	/** The child is killed after this time without one successful check. */
	silenceMs: number
}

/**
 * Probes the engine on a separate connection, so that long queries do not matter, and kills the process when no probe succeeded for
 * `silenceMs`. Returns a function that stops the watchdog.
 */
export function watchChild(options: WatchOptions): () => void {
	const { silenceMs } = options
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
	let silentSinceMs: number | undefined
	let stopped = false
	let timer: NodeJS.Timeout

	async function checkEngine(): Promise<void> {
		const askedMs = performance.now()
		const alive = await isAlive(options, agent, silenceMs / 3)
		if (stopped) return
		// Counted from the first unanswered probe, so that a suspended machine does not look like an unresponsive engine.
		silentSinceMs = alive ? undefined : (silentSinceMs ?? askedMs)
		if (silentSinceMs !== undefined && performance.now() - silentSinceMs >= silenceMs) return giveUp()
		checkAgain(alive ? Math.min(calmMs, silenceMs / 3) : doubtMs)
	}

	function checkAgain(afterMs: number): void {
		timer = setTimeout(() => void checkEngine(), afterMs).unref()
	}

	function giveUp(): void {
		options.log.error({ pid: options.child.pid, silenceMs }, 'telemetry engine does not answer; killing it')
		options.child.kill()
	}

	checkAgain(doubtMs)
	return () => {
		stopped = true
		agent.destroy()
		clearTimeout(timer)
	}
}

function isAlive({ socketPath, key }: WatchOptions, agent: Agent, timeoutMs: number): Promise<boolean> {
	return new Promise((resolve) => {
		const probe = http.request({
			agent,
			socketPath,
			path: '/alive',
			headers: { authorization: basicAuthorization(key) },
		})
		probe.setTimeout(timeoutMs, () => probe.destroy(new Error('no answer')))
		probe.on('response', (response) => {
			response.resume()
			resolve(response.statusCode === 200)
		})
		probe.on('error', () => resolve(false))
		probe.end()
	})
}
