import { Problem } from '../../platform/errors.ts'
import { doubledMs } from '../../platform/retry.ts'
import type { ProgramLimits, ProgramSpec } from './program-spec.ts'
import { type LogRing, RunningProgram } from './running-program.ts'
import type { Command } from './sandbox/sandbox.ts'

/** A program that ran this long did not fail at startup. */
const settledMs = 10_000
const backOff = { firstMs: 1000, maxMs: 60_000 }

export type ProgramState = 'stopped' | 'running' | 'waiting'

interface HostedServerOptions {
	spec: ProgramSpec
	/** It outlives the programs, so that the reason for an exit can be read. */
	log: LogRing
	limits: ProgramLimits
	nowMs(): number
	/** Throws a `Problem` if it must not be started. */
	command(): Command
	/** Whether the machine's limit allows one more process. */
	hasRoom(): boolean
}

/** The processes of one MCP server: a shared one, and one for each session whose client can receive requests. */
export class HostedServer {
	readonly spec: ProgramSpec
	readonly log: LogRing
	readonly running = new Set<RunningProgram>()
	readonly #options: HostedServerOptions
	#shared: RunningProgram | null = null
	#failures = 0
	#nextStartMs = 0
	#starts = 0
	#lastEnd: string | null = null
	#lastFailure = ''
	#isClosed = false

	constructor(options: HostedServerOptions) {
		this.#options = options
		this.spec = options.spec
		this.log = options.log
		this.log.hide(Object.values(options.spec.env))
	}

	/** The program that sessions share; started if it is not running. */
	shared(): RunningProgram {
		this.#shared ??= this.start(true)
		return this.#shared
	}

	/** Whether the shared program may not have read anything yet, so that its silence says nothing. */
	get isStarting(): boolean {
		const shared = this.#shared
		return shared !== null && !shared.initialized && this.#options.nowMs() - shared.startedAtMs < settledMs
	}

	/** Starts a process. Throws `upstream_unreachable` during the back-off after failures, or if it must not run. */
	start(isShared: boolean): RunningProgram {
		const { nowMs, limits, hasRoom } = this.#options
		if (this.#isClosed) throw unreachable('The program was stopped.')
		const waitMs = this.#nextStartMs - nowMs()
		if (waitMs > 0)
			throw unreachable(
				`The program ${this.#lastFailure} ${this.#failures} times in a row; it starts again in ${Math.ceil(waitMs / 1000)} s.`,
			)
		if (!hasRoom()) throw unreachable('As many programs run as may run at once.')
		const program = new RunningProgram(this.#options.command(), {
			limits,
			ring: this.log,
			isShared,
			nowMs,
			ended: (ended, reason) => this.#noteEnd(ended, reason),
		})
		this.#starts += 1
		this.running.add(program)
		this.log.add(nowMs(), 'signalbox', `The program started (process ${program.process.pid ?? '–'}).`)
		return program
	}

	get state() {
		const now = this.#options.nowMs()
		const isWaiting = this.#nextStartMs > now
		const state: ProgramState = this.running.size > 0 ? 'running' : isWaiting ? 'waiting' : 'stopped'
		return {
			state,
			starts: this.#starts,
			failures: this.#failures,
			last_end: this.#lastEnd,
			next_start_ms: isWaiting ? this.#nextStartMs : null,
		}
	}

	/** Ends programs that nobody has used for a while. */
	reap(): void {
		const { nowMs, limits } = this.#options
		for (const program of this.running)
			if (!program.isBusy && nowMs() - program.lastUsedMs > limits.idleMs)
				void this.end(program, 'was not used')
	}

	async end(program: RunningProgram, reason: string): Promise<void> {
		if (this.#shared === program) this.#shared = null
		await program.process.end(reason)
	}

	async close(reason: string): Promise<void> {
		this.#isClosed = true
		await Promise.all([...this.running].map((program) => this.end(program, reason)))
	}

	#noteEnd(program: RunningProgram, reason: string): void {
		const wanted = program !== this.#shared && program.isShared
		this.running.delete(program)
		if (this.#shared === program) this.#shared = null
		this.#lastEnd = reason
		if (wanted || reason === 'was not used' || reason === 'lost its session' || this.#isClosed) return
		this.#lastFailure = reason
		const { nowMs } = this.#options
		const lived = nowMs() - program.startedAtMs
		this.#failures = lived > settledMs ? 1 : this.#failures + 1
		// A first failure may be caused by a request that the program did not know, so it may restart at once.
		if (this.#failures > 1) this.#nextStartMs = nowMs() + doubledMs(backOff, this.#failures - 2)
	}
}

function unreachable(text: string): Problem {
	return new Problem('upstream_unreachable', text)
}
