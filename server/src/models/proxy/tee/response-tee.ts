import {
	constants,
	createBrotliDecompress,
	createGunzip,
	createInflate,
	createZstdDecompress,
} from 'node:zlib'
import type { Reading, ResponseReader } from '../providers/provider.ts'
import { AwsEventStream } from './aws-event-stream.ts'
import { JsonFields } from './json-fields.ts'
import { SseParser } from './sse-parser.ts'

const quote = 0x22
const backslash = 0x5c
const limitBytes = 8 * 1024 * 1024

/** Longer than the name of a list with what may stand around it. */
const tailCharacters = 80

/**
 * Reads a JSON list that arrives in pieces, as Gemini streams without `alt=sse`: each object of it is given as text once
 * it is whole. A document that is one object is given as one. An object larger than 8 MiB is skipped.
 */
export class JsonItems {
	readonly #onItem: (text: string) => void
	/** The beginning of the lists that are read; null: the document itself is one. */
	readonly #opening: RegExp | null
	#inList: boolean
	/** What was looked through last. */
	#tail = ''
	#depth = 0
	#inString = false
	#escaped = false
	#parts: Buffer[] = []
	#bytes = 0

	/** `list`: the field, at any place, whose lists are read alone. */
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

	/** Where the first item of a list may stand. Inside a string the quotes would be escaped, so it is a field. */
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

/** Types that say nothing: what libraries send for a stream whose program has named none. */
const saysNothing = /^(?:$|text\/(?:plain|html)|application\/octet-stream)/i
const streamField = new Set(['stream'])

/** The type that an answer is read by: a stream that was asked for, and whose type says nothing, is one of events. */
export function typeToRead(
	type: string,
	status: number,
	asked: { fields(wanted: ReadonlySet<string>): ReadonlyMap<string, unknown> | undefined },
): string {
	if (status >= 300 || !saysNothing.test(type)) return type
	return asked.fields(streamField)?.get('stream') === true ? 'text/event-stream' : type
}

const headLimit = 4096
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/**
 * A body that is called text, whatever it is: JSON is read as such. Of the page of a proxy or a load balancer the title is kept, else
 * its first words.
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
		return shown
			.replace(/&(\w+|#39);/g, (whole, name: string) => entities[name] ?? whole)
			.replace(/\s+/g, ' ')
			.trim()
			.slice(0, 500)
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
			const { reading } = this.#reader
			if (this.#sink instanceof TextBody && reading.errorMessage === '')
				reading.errorMessage = this.#sink.words
		} catch {
			// The bytes are with the client already; only the figures are missing.
		}
	}
}

/** The members of an answer that is one object of plain JSON; null for any other. */
export function membersIn(contentType: string, answer: Buffer): Readonly<Record<string, unknown>> | null {
	if (!contentType.startsWith('application/json')) return null
	try {
		const value: unknown = JSON.parse(answer.toString())
		return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null
	} catch {
		return null
	}
}

/** Gives a reader those members that it wants. */
export function readMembers(reader: ResponseReader, members: Readonly<Record<string, unknown>>): void {
	const wanted = new Map<string, unknown>()
	for (const name of reader.fields) if (Object.hasOwn(members, name)) wanted.set(name, members[name])
	reader.onBody(wanted)
}

/** Reads an answer that is here as a whole and has no encoding. */
export function readAnswer(reader: ResponseReader, contentType: string, answer: Buffer): Reading {
	const members = reader.listed ? null : membersIn(contentType, answer)
	if (members) {
		try {
			readMembers(reader, members)
		} catch {
			// As on the way of other answers: only the figures are missing.
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
