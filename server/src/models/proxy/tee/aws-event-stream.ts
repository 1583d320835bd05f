import { crc32 } from 'node:zlib'

const preludeBytes = 12
const checksumBytes = 4
const limitBytes = 32 * 1024 * 1024
const textType = 7
/** Bytes of a header's value by its type; texts and byte arrays tell their own. */
const valueBytes: Record<number, number> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

/**
 * Reads AWS's binary event streams (`application/vnd.amazon.eventstream`) from bytes in any chunking. Each message gives
 * its payload as text and its `:event-type`, or `:exception-type` with an exclamation mark before it.
 */
export class AwsEventStream {
	readonly #onEvent: (payload: string, name: string) => void
	#parts: Buffer[] = []
	#bytes = 0
	/** Of the message that has begun; 0 until its length is here. */
	#needed = 0

	constructor(onEvent: (payload: string, name: string) => void) {
		this.#onEvent = onEvent
	}

	/** Whether all bytes so far make whole messages. */
	get atBoundary(): boolean {
		return this.#bytes === 0
	}

	push(chunk: Buffer): void {
		this.#parts.push(chunk)
		this.#bytes += chunk.length
		if (this.#bytes < Math.max(this.#needed, preludeBytes)) return
		const bytes = Buffer.concat(this.#parts)
		let at = 0
		this.#needed = 0
		while (bytes.length - at >= preludeBytes) {
			const total = bytes.readUInt32BE(at)
			if (total < preludeBytes + checksumBytes || total > limitBytes)
				throw new Error('This is no event stream.')
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
		if (crc32(message.subarray(0, -checksumBytes)) !== message.readUInt32BE(message.length - checksumBytes))
			throw new Error('A message of the event stream is damaged.')
		const payloadAt = preludeBytes + message.readUInt32BE(4)
		const headers = textHeaders(message.subarray(preludeBytes, payloadAt))
		const exception = headers.get(':exception-type') ?? headers.get(':error-code')
		const name = exception === undefined ? (headers.get(':event-type') ?? '') : `!${exception}`
		this.#onEvent(message.toString('utf8', payloadAt, message.length - checksumBytes), name)
	}
}

/** The headers of a message that are texts. */
function textHeaders(bytes: Buffer): Map<string, string> {
	const headers = new Map<string, string>()
	for (let at = 0; at < bytes.length; ) {
		const nameEnd = at + 1 + bytes.readUInt8(at)
		const name = bytes.toString('utf8', at + 1, nameEnd)
		const type = bytes.readUInt8(nameEnd)
		const fixed = valueBytes[type]
		const valueAt = nameEnd + (fixed === undefined ? 3 : 1)
		const valueEnd = valueAt + (fixed ?? bytes.readUInt16BE(nameEnd + 1))
		if (type === textType) headers.set(name, bytes.toString('utf8', valueAt, valueEnd))
		at = valueEnd
	}
	return headers
}

/** One message with text headers. */
export function awsEventMessage(headers: Readonly<Record<string, string>>, payload: string | Buffer): Buffer {
	const head = Buffer.concat(Object.entries(headers).map(([name, value]) => textHeader(name, value)))
	const body = Buffer.from(payload as string)
	const prelude = Buffer.alloc(preludeBytes)
	prelude.writeUInt32BE(preludeBytes + head.length + body.length + checksumBytes, 0)
	prelude.writeUInt32BE(head.length, 4)
	prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
	const message = Buffer.concat([prelude, head, body])
	const checksum = Buffer.alloc(checksumBytes)
	checksum.writeUInt32BE(crc32(message))
	return Buffer.concat([message, checksum])
}

function textHeader(name: string, value: string): Buffer {
	const length = Buffer.alloc(2)
	length.writeUInt16BE(Buffer.byteLength(value))
	return Buffer.concat([
		Buffer.from([Buffer.byteLength(name)]),
		Buffer.from(name),
		Buffer.from([textType]),
		length,
		Buffer.from(value),
	])
}
