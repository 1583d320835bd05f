import type { ResponseReader } from '../providers/provider.ts'
import { type Decoder, openDecoder } from './decoder.ts'
import { JsonFields } from './json-fields.ts'
import { SseParser } from './sse-parser.ts'

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
	readonly #sink: SseParser | JsonFields
	readonly #plain: boolean
	readonly #decoder: Decoder | null
	#broken = false

	constructor(contentType: string, contentEncoding: string, reader: ResponseReader, listener: TeeListener) {
		this.#reader = reader
		this.#listener = listener
		this.#sink = contentType.startsWith('text/event-stream')
			? new SseParser((data, name) => reader.onEvent(data, name))
			: new JsonFields(reader.fields)
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

	/** Whether plain text can be added to the stream here: an event stream without encoding. */
	get open(): boolean {
		return this.#plain && this.#sink instanceof SseParser
	}

	/** Whether the stream stands between two events. */
	get atBoundary(): boolean {
		return this.#plain && this.#sink instanceof SseParser && this.#sink.atBoundary
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
			else this.#reader.onBody(this.#sink.found)
		} catch {
			// The bytes are with the client already; only the figures are missing.
		}
	}
}
