import {
	constants,
	createBrotliDecompress,
	createGunzip,
	createInflate,
	createZstdDecompress,
} from 'node:zlib'
import type { ResponseReader } from '../providers/provider.ts'
import { AwsEventStream } from './aws-event-stream.ts'
import { JsonFields } from './json-fields.ts'
import { JsonItems } from './json-items.ts'
import { SseParser } from './sse-parser.ts'

const decodedLimitBytes = 256 * 1024 * 1024

/** Takes encoded bytes, gives plain ones to `onBytes`; `end` resolves when all were given. */
interface Decoder {
	write(chunk: Buffer): void
	end(): Promise<void>
}

type Zlib = ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>

// A stream cut in its middle still gives what it held, hence the lenient flush at the end.
const makers: Record<string, () => Zlib> = {
	gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
	'x-gzip': () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
	deflate: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }),
	br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
	zstd: () => createZstdDecompress(),
}

/**
 * A decoder of one content encoding for reading along; null for one that is not known. Damaged or over-long input
 * ends the reading quietly: the bytes themselves go to the client by another way.
 */
function openDecoder(encoding: string, onBytes: (bytes: Buffer) => void): Decoder | null {
	const make = Object.hasOwn(makers, encoding) ? makers[encoding] : undefined
	if (!make) return null
	const stream = make()
	const ended = new Promise<void>((resolve) => stream.once('close', resolve))
	let decoded = 0
	stream.on('error', () => stream.destroy())
	stream.on('data', (bytes: Buffer) => {
		decoded += bytes.length
		if (decoded > decodedLimitBytes) stream.destroy()
		else onBytes(bytes)
	})
	return {
		write: (chunk) => {
			if (!stream.destroyed) stream.write(chunk)
		},
		end: () => {
			if (!stream.destroyed) stream.end()
			return ended
		},
	}
}

/** Where a response is read along: `onProgress` is called after each piece was read. */
export interface TeeListener {
	onProgress(): void
}

/**
 * Reads along with a response, off to the side: it can neither change nor delay the bytes, and its failure is silent.
 * A class, so that a call costs one object and no closures.
 */
export class ResponseTee {
	readonly #reader: ResponseReader
	readonly #listener: TeeListener
	readonly #sink: SseParser | AwsEventStream | JsonItems | JsonFields
	readonly #plain: boolean
	readonly #decoder: Decoder | null
	#broken = false

	constructor(contentType: string, contentEncoding: string, reader: ResponseReader, listener: TeeListener) {
		this.#reader = reader
		this.#listener = listener
		this.#sink = sinkFor(contentType, reader)
		const encoding = contentEncoding.trim().toLowerCase()
		this.#plain = encoding === '' || encoding === 'identity'
		this.#decoder = this.#plain ? null : openDecoder(encoding, (bytes) => this.#read(bytes))
	}

	write(chunk: Buffer): void {
		if (this.#plain) this.#read(chunk)
		else this.#decoder?.write(chunk)
	}

	/** Reads what is left; a promise only where an encoding has to be undone. */
	end(): Promise<void> | void {
		if (!this.#decoder) return this.#readRest()
		return this.#decoder.end().then(() => this.#readRest())
	}

	/** Whether it is a stream of events, which must come to its own end. */
	get streamed(): boolean {
		return !(this.#sink instanceof JsonFields)
	}

	/** What makes the stream end with this event; null where nothing can be added to it. */
	ending(event: string | Buffer): string | Buffer | null {
		if (!this.#plain) return null
		if (this.#sink instanceof SseParser) return this.#sink.atBoundary ? event : `\n\n${event}`
		return this.#sink instanceof AwsEventStream && this.#sink.atBoundary ? event : null
	}

	/** After a first failure it reads nothing more: what a provider sends must not break the call. */
	#read(bytes: Buffer): void {
		if (this.#broken) return
		try {
			this.#sink.push(bytes)
			this.#listener.onProgress()
		} catch {
			this.#broken = true
		}
	}

	#readRest(): void {
		try {
			if (this.#sink instanceof SseParser) this.#sink.end()
			else if (this.#sink instanceof JsonFields) this.#reader.onBody(this.#sink.found)
		} catch {
			// The bytes are with the client already; only the figures are missing.
		}
	}
}

function sinkFor(contentType: string, reader: ResponseReader) {
	const onEvent = (data: string, name: string) => reader.onEvent(data, name)
	if (contentType.startsWith('text/event-stream')) return new SseParser(onEvent)
	if (contentType.startsWith('application/vnd.amazon.eventstream')) return new AwsEventStream(onEvent)
	if (reader.listed) return new JsonItems((item) => onEvent(item, ''), reader.list)
	return new JsonFields(reader.fields)
}
