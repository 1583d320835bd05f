import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { type PipeExchange, PipePeer, type RpcObject } from '../../mcp-client/index.ts'
import { Problem } from '../../platform/errors.ts'
import type { ProgramLimits } from './program-spec.ts'
import type { Command } from './sandbox/sandbox.ts'

const maxLines = 1000
const maxLine = 4096

export interface LogLine {
	atMs: number
	stream: 'stderr' | 'stdout' | 'signalbox'
	text: string
}

/** The last lines that a program wrote, with its secrets removed. */
export class LogRing {
	#secrets: readonly string[] = []
	#lines: LogLine[] = []

	constructor(secrets: Iterable<string>) {
		this.hide(secrets)
	}

	/** Removes these secrets from the lines, in addition to earlier ones. */
	hide(secrets: Iterable<string>): void {
		// Longest first, so that replacing a secret inside another does not leave the rest. The shortest values are not secrets.
		const all = new Set([...this.#secrets, ...secrets])
		this.#secrets = [...all].filter(({ length }) => length >= 4).sort((a, b) => b.length - a.length)
	}

	/** A short line is made presentable when it is read, because a program may write many more than are kept. */
	add(atMs: number, stream: LogLine['stream'], text: string): void {
		this.#lines.push({ atMs, stream, text: text.length > maxLine ? this.#present(text) : text })
		if (this.#lines.length > maxLines * 2) this.#lines = this.#lines.slice(-maxLines)
	}

	/** Oldest first. */
	last(count: number): LogLine[] {
		const lines = this.#lines.slice(-Math.min(count, maxLines))
		return lines.map((line) => ({ ...line, text: this.#present(line.text) }))
	}

	#present(text: string): string {
		return this.#shorten(this.#redact(text))
	}

	#redact(text: string): string {
		return this.#secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
	}

	/** Truncation may leave the beginning of a secret at the end of the line. */
	#shorten(text: string): string {
		const plain = text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ')
		return plain.length <= maxLine ? plain : `${plain.slice(0, maxLine)} …`
	}
}

/** A client's session with a program; a shared program has many. */
export interface ProgramSession {
	id: string
	program: RunningProgram
	/** Its open GET streams. */
	streams: Set<PipeExchange>
}

/** In a row: some programs print a line for each call. */
const maxGarbage = 1000

/** Instead of its last lines, because the answer also reaches agents and people who may not read the log. */
export const whereItsLogIs = "The log on the server's page may say why."

/** A process, and the exchanges and sessions that use it. */
export class RunningProgram {
	readonly process: ProgramProcess
	readonly peer: PipePeer
	readonly isShared: boolean
	readonly startedAtMs: number
	/** This and `lastUsedMs` are by the monotonic clock: the other one may be set. */
	readonly startedMs = performance.now()
	readonly sessions = new Map<string, ProgramSession>()
	/** The response to `initialize`, once requested. */
	initialized: Promise<RpcObject> | null = null
	sentInitialized = false
	lastUsedMs = this.startedMs
	/** Lines that are no messages, since the last message. */
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
		this.process = new ProgramProcess(command, limits, {
			line: (line) => {
				const before = this.#garbage
				this.peer.receive(line)
				if (this.#garbage === before) this.#garbage = 0
			},
			log: (line) => ring.add(nowMs(), 'stderr', line),
			ended: (reason, byItself) => {
				ring.add(nowMs(), 'signalbox', `The program ${reason}.`)
				options.ended(this, reason)
				this.#failAll(reason, byItself)
			},
		})
		this.peer = new PipePeer({
			send: (line) => this.process.send(line),
			garbage: (line) => {
				ring.add(nowMs(), 'stdout', line)
				this.#garbage += 1
				if (this.#garbage > maxGarbage)
					this.process.kill(`wrote ${maxGarbage} lines in a row that are no messages`)
			},
			streams: (session) => this.#streamsOf(session),
			isShared: this.isShared,
		})
	}

	/** Whether a caller waits for it or listens to it. */
	get isBusy(): boolean {
		return this.peer.waiting > 0 || [...this.sessions.values()].some(({ streams }) => streams.size > 0)
	}

	*#streamsOf(session: string | null): Iterable<PipeExchange> {
		const sessions = session === null ? this.sessions.values() : [this.sessions.get(session)]
		for (const one of sessions) if (one) yield* one.streams
	}

	#failAll(reason: string, byItself: boolean): void {
		const hint = byItself ? ` ${whereItsLogIs}` : ''
		const error = new Problem('upstream_unreachable', `The program ${reason} before it answered.${hint}`)
		this.peer.fail(error)
		for (const stream of [...this.#streamsOf(null)]) stream.fail(error)
		this.sessions.clear()
	}
}

const newline = 10
const nothing = Buffer.alloc(0)

/** Splits a stream of bytes into lines; a line over the limit is reported once and skipped to its end. */
export class LineSplitter {
	readonly #limitBytes: number
	readonly #onLine: (line: string) => void
	readonly #onTooLong: (start: string) => void
	/** Begins with what has arrived of the line. It grows by doubling, because a line may arrive byte by byte. */
	#begun: Buffer = nothing
	#size = 0

	constructor(limitBytes: number, onLine: (line: string) => void, onTooLong: (start: string) => void) {
		this.#limitBytes = limitBytes
		this.#onLine = onLine
		this.#onTooLong = onTooLong
	}

	push(chunk: Buffer): void {
		let from = 0
		for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
			this.#keep(chunk.subarray(from, end))
			this.#endLine()
			from = end + 1
		}
		this.#keep(chunk.subarray(from))
	}

	/** The rest at the end of the stream counts as a line too. */
	end(): void {
		if (this.#size > 0) this.#endLine()
	}

	#keep(part: Buffer): void {
		const before = this.#size
		this.#size += part.length
		if (this.#size <= this.#limitBytes) this.#append(part, before)
		else if (before <= this.#limitBytes) {
			this.#onTooLong(this.#begun.toString('utf8', 0, Math.min(before, 200)))
			this.#begun = nothing
		}
	}

	#append(part: Buffer, before: number): void {
		if (before === 0) {
			this.#begun = part
			return
		}
		if (this.#size > this.#begun.length) {
			const larger = Buffer.allocUnsafe(this.#size * 2)
			this.#begun.copy(larger, 0, 0, before)
			this.#begun = larger
		}
		part.copy(this.#begun, before)
	}

	#endLine(): void {
		const whole = this.#size <= this.#limitBytes
		const line = whole ? this.#begun.toString('utf8', 0, this.#size) : ''
		this.#begun = nothing
		this.#size = 0
		if (line.trim() !== '') this.#onLine(line)
	}
}

/** Limit for buffered bytes to a program that does not read. */
const maxUnread = 64 * 1024 * 1024

/** How long a program may run on after it has closed its input or output. */
const closedMs = 1000

interface ProcessEvents {
	/** A line of its standard output. */
	line(text: string): void
	/** A line of its standard error. */
	log(text: string): void
	/** Called once, with a readable reason; `byItself` if it was not us who ended it. */
	ended(reason: string, byItself: boolean): void
}

/** One running program: its own process group, with lines as input and output. */
class ProgramProcess {
	readonly #child: ChildProcess
	readonly #graceMs: number
	readonly #gone: Promise<void>
	#reason: string | null = null
	#endedByItself = false
	#isGone = false
	/** Lines sent during this turn of the event loop. */
	#unsent = ''

	constructor(command: Command, limits: { lineBytes: number; graceMs: number }, events: ProcessEvents) {
		this.#graceMs = limits.graceMs
		this.#child = spawn(command.file, command.args, {
			cwd: command.cwd,
			env: command.env,
			// The fourth pipe stays open as long as we live: when it closes, a watcher knows that we have died.
			stdio: ['pipe', 'pipe', 'pipe', 'pipe', command.input === undefined ? 'ignore' : 'pipe'],
			detached: true,
		})
		const { stdin, stdout, stderr } = this.#child
		const [, , , guard, input] = this.#streams
		const tooLong = () => this.kill(`wrote a line of more than ${limits.lineBytes} bytes`)
		const lines = new LineSplitter(limits.lineBytes, events.line, tooLong)
		const logs = new LineSplitter(64 * 1024, events.log, events.log)
		stdout?.on('data', (chunk: Buffer) => this.#reason === null && lines.push(chunk))
		stderr?.on('data', (chunk: Buffer) => logs.push(chunk))
		for (const stream of [stdin, stdout, stderr, guard, input]) stream?.on('error', () => {})
		stdin?.once('close', () => this.#expectEnd('input'))
		stdout?.once('close', () => this.#expectEnd('output'))
		if (input && 'end' in input) input.end(command.input)
		this.#gone = new Promise((done) => {
			this.#child.once('error', (error: NodeJS.ErrnoException) => {
				this.#reason ??= `could not be started (${error.code})`
				this.#end(events, done)
			})
			this.#child.once('exit', (code, signal) => {
				this.#endedByItself = this.#reason === null
				const endedBy = signal ?? signalOf(code)
				this.#reason ??= endedBy ? `was ended by ${endedBy}` : `ended by itself (${meaningOf(code)})`
				// Remaining processes of its group must not outlive it, and could hold the pipes open.
				this.#signal('SIGKILL')
				setImmediate(() => {
					logs.end()
					this.#end(events, done)
				})
			})
		})
	}

	get pid(): number | undefined {
		return this.#child.pid
	}

	/** None if there was no descriptor left for them, which differs from the declared type. */
	get #streams() {
		return (this.#child.stdio as ChildProcess['stdio'] | undefined) ?? []
	}

	/** Without one of these pipes it can answer no call. Usually it ends at the same time, which is the better reason. */
	#expectEnd(pipe: 'input' | 'output'): void {
		const kill = () => this.#reason === null && this.kill(`closed its standard ${pipe}`)
		setTimeout(kill, closedMs).unref()
	}

	/** Whether it may still respond. */
	get isOpen(): boolean {
		return !this.#isGone && this.#reason === null
	}

	/** Calls arrive in batches: all lines of one turn are one write. */
	send(line: string): void {
		if (this.#unsent === '') process.nextTick(this.#write)
		this.#unsent += `${line}\n`
	}

	readonly #write = () => {
		const { stdin } = this.#child
		const lines = this.#unsent
		this.#unsent = ''
		if (lines === '' || !stdin?.writable) return
		stdin.write(lines)
		if (stdin.writableLength > maxUnread) this.kill('did not read its standard input')
	}

	/** Kills it at once. */
	kill(reason: string): void {
		if (this.#isGone) return
		this.#reason ??= reason
		this.#signal('SIGKILL')
	}

	/** Closes its standard input, then sends SIGTERM, then kills; resolves when it has ended. */
	async end(reason: string): Promise<void> {
		if (this.#isGone) return
		this.#reason ??= reason
		if (this.#unsent !== '') this.#write()
		this.#child.stdin?.end()
		const asking = setTimeout(() => this.#signal('SIGTERM'), this.#graceMs / 2)
		const killing = setTimeout(() => this.#signal('SIGKILL'), this.#graceMs)
		await this.#gone
		clearTimeout(asking)
		clearTimeout(killing)
	}

	#end(events: ProcessEvents, done: () => void): void {
		if (this.#isGone) return
		this.#isGone = true
		for (const stream of this.#streams) stream?.destroy()
		events.ended(this.#reason ?? 'ended', this.#endedByItself)
		done()
	}

	#signal(signal: NodeJS.Signals): void {
		const { pid } = this.#child
		if (pid === undefined) return
		try {
			process.kill(-pid, signal)
		} catch {
			// It has already ended.
		}
	}
}

/** bubblewrap and shells report that a signal ended their program by exiting with 128 and its number. */
function signalOf(code: number | null): string | null {
	const names = Object.entries(constants.signals)
	return names.find(([, number]) => code === 128 + number)?.[0] ?? null
}

/** 127 is the exit code for a command that was not found: most often the sandbox does not show its directory. */
function meaningOf(code: number | null): string {
	const isMissing = code === 127
	return `exit code ${code}${isMissing ? ': the command is not there, or in no folder of SIGNALBOX_PROGRAM_PATHS' : ''}`
}
