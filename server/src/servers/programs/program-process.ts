import { type ChildProcess, spawn } from 'node:child_process'
import type { Command } from './sandbox/driver.ts'

const newline = 10

/** Cuts a stream of bytes into lines; a line over the cap is reported once and skipped to its end. */
class LineSplitter {
	readonly #limitBytes: number
	readonly #onLine: (line: string) => void
	readonly #onTooLong: (start: string) => void
	#parts: Buffer[] = []
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

	/** What is left when the stream ends is a line too. */
	end(): void {
		if (this.#size > 0) this.#endLine()
	}

	#keep(part: Buffer): void {
		const before = this.#size
		this.#size += part.length
		if (this.#size <= this.#limitBytes) {
			if (part.length > 0) this.#parts.push(part)
		} else if (before <= this.#limitBytes) {
			this.#onTooLong(Buffer.concat(this.#parts).toString('utf8', 0, 200))
			this.#parts = []
		}
	}

	#endLine(): void {
		const whole = this.#size <= this.#limitBytes
		const line = whole ? Buffer.concat(this.#parts).toString('utf8') : ''
		this.#parts = []
		this.#size = 0
		if (whole && line.trim() !== '') this.#onLine(line)
	}
}

/** Bytes that may wait for a program that does not read. */
const unreadMax = 64 * 1024 * 1024

export interface ProcessEvents {
	/** A line of its standard output. */
	line(text: string): void
	/** A line of its standard error. */
	log(text: string): void
	/** Once, with the reason in words. */
	ended(reason: string): void
}

/** One running program: a process group of its own, lines in and out. */
export class ProgramProcess {
	readonly #child: ChildProcess
	readonly #graceMs: number
	readonly #gone: Promise<void>
	#reason: string | null = null
	#isGone = false

	constructor(command: Command, limits: { lineBytes: number; graceMs: number }, events: ProcessEvents) {
		this.#graceMs = limits.graceMs
		this.#child = spawn(command.file, command.args, {
			cwd: command.cwd,
			env: command.env,
			// The fourth pipe stays open as long as we live: its end tells a watcher that we are gone.
			stdio: ['pipe', 'pipe', 'pipe', 'pipe', command.input === undefined ? 'ignore' : 'pipe'],
			detached: true,
		})
		const { stdin, stdout, stderr } = this.#child
		const [, , , guard, input] = this.#child.stdio
		const tooLong = () => this.kill(`wrote a line of more than ${limits.lineBytes} bytes`)
		const lines = new LineSplitter(limits.lineBytes, events.line, tooLong)
		const logs = new LineSplitter(64 * 1024, events.log, events.log)
		stdout?.on('data', (chunk: Buffer) => this.#reason === null && lines.push(chunk))
		stderr?.on('data', (chunk: Buffer) => logs.push(chunk))
		for (const stream of [stdin, stdout, stderr, guard, input]) stream?.on('error', () => {})
		if (input && 'end' in input) input.end(command.input)
		this.#gone = new Promise((done) => {
			this.#child.once('error', (error: NodeJS.ErrnoException) => {
				this.#reason ??= `could not be started (${error.code})`
				this.#end(events, done)
			})
			this.#child.once('exit', (code, signal) => {
				this.#reason ??= signal ? `was ended by ${signal}` : `ended by itself (${meaningOf(code)})`
				// What it left in its group must not outlive it, and may hold the pipes open.
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

	/** Whether it may still answer. */
	get isOpen(): boolean {
		return !this.#isGone && this.#reason === null
	}

	send(line: string): void {
		const { stdin } = this.#child
		if (!stdin?.writable) return
		stdin.write(`${line}\n`)
		if (stdin.writableLength > unreadMax) this.kill('did not read its standard input')
	}

	/** Ends it at once. */
	kill(reason: string): void {
		if (this.#isGone) return
		this.#reason ??= reason
		this.#signal('SIGKILL')
	}

	/** Closes its standard input, then asks, then kills; resolves when it is gone. */
	async end(reason: string): Promise<void> {
		if (this.#isGone) return
		this.#reason ??= reason
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
		for (const stream of this.#child.stdio) stream?.destroy()
		events.ended(this.#reason ?? 'ended')
		done()
	}

	#signal(signal: NodeJS.Signals): void {
		const { pid } = this.#child
		if (pid === undefined) return
		try {
			process.kill(-pid, signal)
		} catch {
			// It is gone already.
		}
	}
}

/** 127 is what a starter answers for a command that it does not find: most often it lies outside of what the sandbox shows. */
function meaningOf(code: number | null): string {
	const isMissing = code === 127
	return `exit code ${code}${isMissing ? ': the command is not there, or in no folder of SIGNALBOX_PROGRAM_PATHS' : ''}`
}
