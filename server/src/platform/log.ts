import { write, writeSync } from 'node:fs'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { redactText } from './redaction/redact.ts'
import { currentTrace } from './trace/current-trace.ts'

const maxWaitingBytes = 16 * 1024 * 1024
const fullPauseMs = 100
const lastWaitMs = 50

/**
 * Writes log lines to a file descriptor without ever blocking the program. If the reader has gone, lines are dropped; if it is too
 * slow, up to 16 MiB are buffered and later lines are dropped. At exit the buffer is written once, as far as possible. (Pino's own
 * destination retries forever at exit if the reader has gone.)
 */
export class LogOutput {
	readonly #fd: number
	#waiting: Buffer[] = []
	#waitingBytes = 0
	#isWriting = false
	#isBroken = false

	constructor(fd: number) {
		this.#fd = fd
	}

	write(line: string): void {
		if (this.#isBroken || this.#waitingBytes > maxWaitingBytes) return
		const bytes = Buffer.from(line)
		this.#waiting.push(bytes)
		this.#waitingBytes += bytes.length
		if (!this.#isWriting) this.#writeNext()
	}

	/** For the exit. A write in progress gets a moment to finish first and is not waited for any longer. */
	writeRest(): void {
		if (this.#isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastWaitMs)
		const rest = this.#isWriting ? this.#waiting : [this.#takeAll()]
		try {
			for (const bytes of rest) if (!this.#isBroken) writeSync(this.#fd, bytes)
		} catch {
			this.#isBroken = true
		}
	}

	#writeNext(): void {
		const bytes = this.#takeAll()
		this.#isWriting = bytes.length > 0
		if (!this.#isWriting) return
		write(this.#fd, bytes, (error, written) => {
			if (error && error.code !== 'EAGAIN') return this.#giveUp()
			const done = error ? 0 : written
			if (done < bytes.length) this.#putBack(bytes.subarray(done))
			if (error) setTimeout(() => this.#writeNext(), fullPauseMs).unref()
			else this.#writeNext()
		})
	}

	#takeAll(): Buffer {
		const all = Buffer.concat(this.#waiting)
		this.#waiting = []
		this.#waitingBytes = 0
		return all
	}

	#putBack(rest: Buffer): void {
		this.#waiting.unshift(rest)
		this.#waitingBytes += rest.length
	}

	#giveUp(): void {
		this.#isBroken = true
		this.#takeAll()
	}
}

let standard: LogOutput | undefined

/** Standard output, shared by all logs of the process. */
export function standardOutput(): LogOutput {
	if (standard) return standard
	const output = new LogOutput(1)
	process.once('exit', () => output.writeRest())
	standard = output
	return output
}

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level'>

const secretPaths = [
	'password',
	'token',
	'key',
	'secret',
	'authorization',
	'cookie',
	'setup_token',
	'refresh_token',
]

/** Structured logs on standard output, one JSON line per event, without secrets. */
export function createLog(level: string, to: DestinationStream = standardOutput()): Log {
	const options: LoggerOptions = {
		level,
		base: null,
		mixin: traceOfLine,
		timestamp: pino.stdTimeFunctions.isoTime,
		redact: {
			paths: secretPaths.flatMap((path) => [path, `*.${path}`, `*.*.${path}`]),
			censor: '[redacted]',
		},
		formatters: { level: (label) => ({ level: label }) },
		serializers: {
			err: (error: unknown) => describeError(error),
			url: (url: unknown) => redactText(String(url)),
		},
		hooks: {
			logMethod(args, method) {
				method.apply(
					this,
					args.map((arg) => (typeof arg === 'string' ? redactText(arg) : arg)) as Parameters<typeof method>,
				)
			},
		},
	}
	return pino(options, to)
}

const repeatMs = 60_000

/**
 * Keeps a lasting condition from filling the log: its first event is logged at once, later ones at most once a minute, with their
 * number. Keys come from a small fixed set.
 */
export class Repeats {
	readonly #nowMs: () => number
	readonly #last = new Map<string, { atMs: number; held: number }>()

	constructor(nowMs: () => number = () => performance.now()) {
		this.#nowMs = nowMs
	}

	/** For how many events a line about this one stands; 0: it is not to be logged. */
	take(key: string): number {
		const nowMs = this.#nowMs()
		const last = this.#last.get(key)
		if (last && nowMs - last.atMs < repeatMs) {
			last.held += 1
			return 0
		}
		this.#last.set(key, { atMs: nowMs, held: 0 })
		return 1 + (last?.held ?? 0)
	}
}

/** Adds the trace id to lines that are written for a request. */
function traceOfLine(): { trace_id?: string } {
	const trace = currentTrace()
	return trace ? { trace_id: trace.traceId } : {}
}

function describeError(error: unknown): Record<string, unknown> {
	if (!(error instanceof Error)) return { message: redactText(String(error)) }
	return {
		type: error.name,
		message: redactText(error.message),
		stack: error.stack && redactText(error.stack),
		...(error.cause !== undefined && { cause: describeError(error.cause) }),
	}
}

/** A log that discards everything, for tests. */
export const silentLog: Log = pino({ level: 'silent' })
