import { type PipeExchange, PipePeer, type RpcObject } from '../../mcp-client/index.ts'
import { Problem } from '../../platform/errors.ts'
import type { LogRing } from './log-ring.ts'
import { ProgramProcess } from './program-process.ts'
import type { ProgramLimits } from './program-spec.ts'
import type { Command } from './sandbox/driver.ts'

/** A client's session with a program; on a shared program one of many. */
export interface ProgramSession {
	id: string
	program: RunningProgram
	/** Its open GET streams. */
	streams: Set<PipeExchange>
}

const garbageMax = 1000

/** A process with the exchanges and sessions that go through it. */
export class RunningProgram {
	readonly process: ProgramProcess
	readonly peer: PipePeer
	readonly isShared: boolean
	readonly startedAtMs: number
	readonly sessions = new Map<string, ProgramSession>()
	/** The answer to `initialize`, once asked. */
	initialized: Promise<RpcObject> | null = null
	saidInitialized = false
	lastUsedMs: number
	#garbage = 0

	constructor(
		command: Command,
		options: {
			limits: ProgramLimits
			ring: LogRing
			isShared: boolean
			nowMs(): number
			ended(program: RunningProgram, reason: string): void
		},
	) {
		const { ring, nowMs, limits } = options
		this.isShared = options.isShared
		this.startedAtMs = nowMs()
		this.lastUsedMs = this.startedAtMs
		this.process = new ProgramProcess(command, limits, {
			line: (line) => this.peer.receive(line),
			log: (line) => ring.add(nowMs(), 'stderr', line),
			ended: (reason) => {
				ring.add(nowMs(), 'signalbox', `The program ${reason}.`)
				options.ended(this, reason)
				this.#failAll(reason)
			},
		})
		this.peer = new PipePeer({
			send: (line) => this.process.send(line),
			garbage: (line) => {
				ring.add(nowMs(), 'stdout', line)
				this.#garbage += 1
				if (this.#garbage > garbageMax) this.process.kill(`wrote ${garbageMax} lines that are no messages`)
			},
			streams: (session) => this.#streamsOf(session),
			isShared: this.isShared,
		})
	}

	/** Whether anybody waits for it or listens to it. */
	get isBusy(): boolean {
		return this.peer.waiting > 0 || [...this.sessions.values()].some(({ streams }) => streams.size > 0)
	}

	*#streamsOf(session: string | null): Iterable<PipeExchange> {
		const sessions = session === null ? this.sessions.values() : [this.sessions.get(session)]
		for (const one of sessions) if (one) yield* one.streams
	}

	#failAll(reason: string): void {
		const error = new Problem('upstream_unreachable', `The program ${reason} before it answered.`)
		this.peer.fail(error)
		for (const stream of [...this.#streamsOf(null)]) stream.fail(error)
		this.sessions.clear()
	}
}
