import { EventStreamCodec } from '@smithy/core/event-streams'

const preludeBytes = 12
const limitBytes = 32 * 1024 * 1024

const codec = new EventStreamCodec(
	(bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
	(text) => Buffer.from(text),
)

/**
 * Reads AWS's binary event streams (`application/vnd.amazon.eventstream`) from bytes in any chunking. Each message gives its
 * payload as text and its `:event-type`, or its `:exception-type` with a leading exclamation mark.
 */
export class AwsEventStream {
	readonly #onEvent: (payload: string, name: string) => void
	#parts: Buffer[] = []
	#bytes = 0
	/** The length of the current message; 0 until it has arrived. */
	#needed = 0

	constructor(onEvent: (payload: string, name: string) => void) {
		this.#onEvent = onEvent
	}

	/** Whether all bytes so far are complete messages. */
	get atBoundary(): boolean {
		return this.#bytes === 0
	}

	/** Throws for anything but a valid event stream. */
	push(chunk: Buffer): void {
		this.#parts.push(chunk)
		this.#bytes += chunk.length
		if (this.#bytes < Math.max(this.#needed, preludeBytes)) return
		const bytes = Buffer.concat(this.#parts)
		let at = 0
		this.#needed = 0
		while (bytes.length - at >= preludeBytes) {
			const total = bytes.readUInt32BE(at)
			if (total < preludeBytes + 4 || total > limitBytes) throw new Error('This is not an event stream.')
			if (bytes.length - at < total) {
				this.#needed = total
				break
			}
			this.#message(bytes.subarray(at, at + total))
			at += total
		}
		this.#parts = at < bytes.length ? [bytes.subarray(at)] : []
		this.#bytes = bytes.length - at
	}

	#message(message: Buffer): void {
		const { headers, body } = codec.decode(message)
		const text = (name: string) => {
			const header = headers[name]
			return header?.type === 'string' ? header.value : undefined
		}
		const exception = text(':exception-type') ?? text(':error-code')
		const name = exception === undefined ? (text(':event-type') ?? '') : `!${exception}`
		this.#onEvent(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'), name)
	}
}

/** Encodes one message with text headers. */
export function awsEventMessage(headers: Readonly<Record<string, string>>, payload: string | Buffer): Buffer {
	const typed = Object.entries(headers).map(
		([name, value]) => [name, { type: 'string' as const, value }] as const,
	)
	const bytes = codec.encode({ headers: Object.fromEntries(typed), body: Buffer.from(payload as string) })
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
