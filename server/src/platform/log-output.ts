import { write, writeSync } from 'node:fs'

const mostWaitingBytes = 16 * 1024 * 1024
const fullPauseMs = 100
const lastWaitMs = 50

/**
 * Writes log lines to a file descriptor without ever holding up the program: nobody may read them any more (the lines are
 * dropped), or too slowly (16 MiB wait, later ones are dropped). What waits when the program exits is written once, as far
 * as it goes. (Pino's own destination tries for ever at the exit when the reader is gone.)
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
		if (this.#isBroken || this.#waitingBytes > mostWaitingBytes) return
		const bytes = Buffer.from(line)
		this.#waiting.push(bytes)
		this.#waitingBytes += bytes.length
		if (!this.#isWriting) this.#writeNext()
	}

	/** For the very end. A write that runs has a moment to come first; then it is left to itself. */
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

/** Standard output, one for all logs of the process. */
export function standardOutput(): LogOutput {
	if (standard) return standard
	const output = new LogOutput(1)
	process.once('exit', () => output.writeRest())
	standard = output
	return output
}
