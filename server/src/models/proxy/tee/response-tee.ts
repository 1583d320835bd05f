import {
	constants,
	createBrotliDecompress,
	createGunzip,
	createInflate,
	createZstdDecompress,
} from 'node:zlib'
import type { Reading, ResponseReader } from '../providers/provider.ts'
import { AwsEventStream, JsonFields, SseParser } from './answer-parsers.ts'

const quote = 0x22
const backslash = 0x5c
const limitBytes = 8 * 1024 * 1024

/** Longer than the name of a list with the characters around it. */
const tailCharacters = 80

/**
 * Reads a JSON list that arrives in chunks, as Gemini streams without `alt=sse`: each object is passed on as text once it is
 * complete. A document that is a single object is passed on as one. An object larger than 8 MiB is skipped.
 */
export class JsonItems {
	readonly #onItem: (text: string) => void
	/** Matches the beginning of the lists to be read; null if the document itself is the list. */
	readonly #opening: RegExp | null
	#inList: boolean
	/** The end of the previous chunk. */
	#tail = ''
	#depth = 0
	#inString = false
	#escaped = false
	#parts: Buffer[] = []
	#bytes = 0

	/** `list`: the field, at any depth, whose lists are read. */
	constructor(onItem: (text: string) => void, list?: string) {
		this.#onItem = onItem
		this.#inList = list === undefined
		this.#opening = list === undefined ? null : new RegExp(`"${list}"\\s{0,9}:\\s{0,9}\\[`)
	}

	push(bytes: Buffer): void {
		let at = this.#inList ? 0 : this.#endOfOpening(bytes)
		let from = this.#depth > 0 ? 0 : -1
		for (; at < bytes.length; at += 1) {
			const byte = bytes[at] as number
			if (this.#inString) this.#readInString(byte)
			else if (byte === quote) this.#inString = this.#depth > 0
			else if (byte === 0x7b) {
				if (this.#depth === 0) from = at
				this.#depth += 1
			} else if (byte === 0x5d && this.#depth === 0 && this.#opening) {
				this.#inList = false
				at += this.#endOfOpening(bytes.subarray(at + 1))
			} else if (byte === 0x7d && this.#depth > 0) {
				this.#depth -= 1
				if (this.#depth > 0) continue
				this.#keep(bytes.subarray(from, at + 1))
				this.#give()
				from = -1
			}
		}
		if (from >= 0) this.#keep(bytes.subarray(from))
	}

	/** The position of a list's first item. Within a string the quotes would be escaped, so a match is a field. */
	#endOfOpening(bytes: Buffer): number {
		const text = this.#tail + bytes.toString('latin1')
		const found = this.#opening?.exec(text)
		this.#tail = found ? '' : text.slice(-tailCharacters)
		if (!found) return bytes.length
		this.#inList = true
		return found.index + found[0].length - (text.length - bytes.length)
	}

	#readInString(byte: number): void {
		if (this.#escaped) this.#escaped = false
		else if (byte === backslash) this.#escaped = true
		else if (byte === quote) this.#inString = false
	}

	#keep(part: Buffer): void {
		this.#bytes += part.length
		if (this.#bytes <= limitBytes) this.#parts.push(part)
		else this.#parts.length = 0
	}

	#give(): void {
		const text = this.#bytes <= limitBytes ? Buffer.concat(this.#parts).toString('utf8') : null
		this.#parts = []
		this.#bytes = 0
		if (text !== null) this.#onItem(text)
	}
}

const decodedLimitBytes = 256 * 1024 * 1024

/** Decodes a content encoding and passes plain bytes to `onBytes`. `end` resolves when all were passed. */
interface Decoder {
	write(chunk: Buffer): void
	end(): Promise<void>
}

type Zlib = ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>

// The lenient flush at the end makes a truncated stream yield what it contained.
const makers: Record<string, () => Zlib> = {
	gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
	'x-gzip': () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
	deflate: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }),
	br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
	zstd: () => createZstdDecompress(),
}

/**
 * A decoder for reading a copy of the answer; null for an unknown encoding. Damaged or excessive input ends the reading silently:
 * the client gets the bytes by another path.
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

/** Types without meaning, which libraries send for a stream whose program has set none. */
const saysNothing = /^(?:$|text\/(?:plain|html)|application\/octet-stream)/i
const streamField = new Set(['stream'])

/** The type by which an answer is read, in lower case: a requested stream with such a type is read as an event stream. */
export function typeToRead(
	type: string,
	status: number,
	asked: { fields(wanted: ReadonlySet<string>): ReadonlyMap<string, unknown> | undefined },
): string {
	const named = type.toLowerCase()
	if (status >= 300 || !saysNothing.test(named)) return named
	return asked.fields(streamField)?.get('stream') === true ? 'text/event-stream' : named
}

const headLimit = 4096
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/**
 * Reads a body declared as text. JSON is read as such. Of an HTML page of a proxy or a load balancer, the title is kept;
 * otherwise the first words.
 */
class TextBody extends JsonFields {
	#head = ''

	override push(bytes: Buffer): void {
		const missing = headLimit - this.#head.length
		if (missing > 0) this.#head += bytes.toString('latin1', 0, missing)
		super.push(bytes)
	}

	get words(): string {
		const text = Buffer.from(this.#head, 'latin1').toString('utf8')
		const title = /<title[^<>]*>([^<]+)/i.exec(text)?.[1]
		const shown = title ?? text.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^<>]*>/g, ' ')
		return (
			shown
				.replace(/&(\w+|#39);/g, (whole, name: string) => entities[name] ?? whole)
				.replace(/\s+/g, ' ')
				.trim()
				// More than the record keeps, which redacts before it truncates.
				.slice(0, 2000)
		)
	}
}

/** `onProgress` is called after each chunk was read. */
export interface TeeListener {
	onProgress(): void
}

/**
 * Reads a copy of a response: it can neither change nor delay the bytes, and its failures are silent. A class, so that a call
 * costs one object and no closures.
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

	/** Reads the rest. Returns a promise only if an encoding must be decoded. */
	end(): Promise<void> | void {
		if (!this.#decoder) return this.#readRest()
		return this.#decoder.end().then(() => this.#readRest())
	}

	/** Whether it is an event stream, which must have its own last event. */
	get streamed(): boolean {
		return !(this.#sink instanceof JsonFields)
	}

	/** The bytes that end the stream with this event; null if nothing can be appended. */
	ending(event: string | Buffer): string | Buffer | null {
		if (!this.#plain) return null
		if (this.#sink instanceof SseParser) return this.#sink.atBoundary ? event : `\n\n${event}`
		return this.#sink instanceof AwsEventStream && this.#sink.atBoundary ? event : null
	}

	/** Stops reading after the first failure: invalid data from a provider must not break the call. */
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
			const { reading } = this.#reader
			if (this.#sink instanceof SseParser) this.#sink.end()
			else if (this.#sink instanceof JsonFields) {
				this.#reader.onBody(this.#sink.found)
				// What was read of a document that broke off is not its end.
				reading.ended &&= this.#sink.ended
			}
			if (this.#sink instanceof TextBody && reading.errorMessage === '')
				reading.errorMessage = this.#sink.words
		} catch {
			// The client has the bytes already; only the figures are missing.
		}
	}
}

/** The members of an answer that is one plain JSON object; null for any other. */
export function membersIn(contentType: string, answer: Buffer): Readonly<Record<string, unknown>> | null {
	if (!contentType.startsWith('application/json')) return null
	try {
		const value: unknown = JSON.parse(answer.toString())
		return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null
	} catch {
		return null
	}
}

/** Passes the needed members to a reader. */
export function readMembers(reader: ResponseReader, members: Readonly<Record<string, unknown>>): void {
	const wanted = new Map<string, unknown>()
	for (const name of reader.fields) if (Object.hasOwn(members, name)) wanted.set(name, members[name])
	reader.onBody(wanted)
}

/** Reads a complete answer without content encoding. */
export function readAnswer(reader: ResponseReader, contentType: string, answer: Buffer): Reading {
	const members = reader.listed ? null : membersIn(contentType, answer)
	if (members) {
		try {
			readMembers(reader, members)
		} catch {
			// As for other answers, only the figures are missing then.
		}
	} else {
		const tee = new ResponseTee(contentType, '', reader, { onProgress: () => undefined })
		tee.write(answer)
		void tee.end()
	}
	return reader.reading
}

function sinkFor(contentType: string, reader: ResponseReader) {
	const onEvent = (data: string, name: string) => reader.onEvent(data, name)
	if (contentType.startsWith('text/event-stream')) return new SseParser(onEvent)
	if (contentType.startsWith('application/vnd.amazon.eventstream')) return new AwsEventStream(onEvent)
	if (/^text\/html\b/i.test(contentType)) return new TextBody(reader.fields)
	if (reader.listed) return new JsonItems((item) => onEvent(item, ''), reader.list)
	if (/^text\/plain\b/i.test(contentType)) return new TextBody(reader.fields)
	return new JsonFields(reader.fields)
}
