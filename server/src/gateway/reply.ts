import type { ServerResponse } from 'node:http'

const maxRemembered = 100
/** A cache: clients send the same few `Accept` headers again and again. */
const remembered = new Map<string, boolean>()

/**
 * Whether an `Accept` header names event streams (RFC 9110 §12.5.1: case-insensitive, not with a weight of 0). A range such as
 * any type does not count, because clients that send one read JSON.
 */
export function takesEvents(accept: string | undefined): boolean {
	if (accept === undefined) return false
	const known = remembered.get(accept)
	if (known !== undefined) return known
	const takes = accept.split(',').some((range) => {
		const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
		return type === 'text/event-stream' && !parameters.some((each) => /^q\s*=\s*0(\.0*)?$/.test(each))
	})
	if (remembered.size >= maxRemembered) remembered.clear()
	remembered.set(accept, takes)
	return takes
}

/** The destination of one operation's answer. */
export interface Reply {
	/** Sends a notification ahead of the answer; false asks for a pause until `onDrain` is called. */
	notify(message: string): boolean
	onDrain(resume: () => void): void
	/** Sends the answer and ends. '' ends without an answer. Does nothing if the client has disconnected. */
	end(message: string, httpStatus: number): void
	/** A keep-alive message on a stream, or the start of the stream if the answer takes long. */
	heartbeat(): void
	/** Whether a message that is sent now would reach the client. */
	readonly takesMessages: boolean
	/** The bytes of the whole answer if it ends with `message`. */
	bytesWith(message: string): number
}

const eventStream = {
	'content-type': 'text/event-stream',
	'cache-control': 'no-store, no-transform',
	'x-accel-buffering': 'no',
}

/** An answer on one HTTP response: JSON, or an event stream if anything precedes the answer. */
export class HttpReply implements Reply {
	readonly #response: ServerResponse
	readonly #takesStream: boolean
	#bytes = 0

	constructor(response: ServerResponse, accept: string | undefined) {
		this.#response = response
		this.#takesStream = takesEvents(accept)
	}

	get takesMessages(): boolean {
		return this.#takesStream && !this.#response.writableEnded && !this.#response.destroyed
	}

	notify(message: string): boolean {
		if (!this.takesMessages) return true
		return this.#write(toEvent(message))
	}

	onDrain(resume: () => void): void {
		this.#response.once('drain', resume)
	}

	heartbeat(): void {
		if (this.#takesStream && !this.#response.writableEnded && !this.#response.destroyed)
			this.#write(': alive\n\n')
	}

	bytesWith(message: string): number {
		const isStream = this.#response.headersSent && message !== ''
		return this.#bytes + Buffer.byteLength(isStream ? toEvent(message) : message)
	}

	end(message: string, httpStatus: number): void {
		if (this.#response.writableEnded || this.#response.destroyed) return
		if (this.#response.headersSent) {
			if (message) this.#write(toEvent(message))
			return void this.#response.end()
		}
		if (!message) return void this.#response.writeHead(200, eventStream).end()
		const length = Buffer.byteLength(message)
		this.#response.writeHead(httpStatus, {
			'content-type': 'application/json',
			'content-length': length,
			'cache-control': 'no-store',
		})
		// Text, not bytes: Node then sends head and body in one piece.
		this.#response.end(message)
	}

	#write(text: string): boolean {
		if (!this.#response.headersSent) this.#response.writeHead(200, eventStream)
		this.#bytes += Buffer.byteLength(text)
		return this.#response.write(text)
	}
}

/** One answer of a batch, kept until all answers are complete. */
export class CollectedReply implements Reply {
	message = ''
	readonly takesMessages = false
	bytesWith(message: string): number {
		return Buffer.byteLength(message)
	}
	notify(): boolean {
		return true
	}
	onDrain(): void {}
	heartbeat(): void {}
	end(message: string): void {
		this.message = message
	}
}

/** One event of an event stream. Serialized JSON contains no raw line breaks. */
export function toEvent(message: string): string {
	return `event: message\ndata: ${message}\n\n`
}
