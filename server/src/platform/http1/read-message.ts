import type { Socket } from 'node:net'

/** The fields of a head: as received (names and values alternate), and by lower-case name. */
export interface HeadFields {
	raw: string[]
	byName: Record<string, string | string[]>
}

export const headEnd = Buffer.from('\r\n\r\n')
/** The same limit as `node:http` and undici. */
export const headLimitBytes = 16 * 1024

/** Lines of visible ASCII, spaces and tabs that end with CRLF; no folded lines. */
const strictLines = /^(?:[\t\x20-\x7e]+\r\n(?![\t ]))*[\t\x20-\x7e]+$/
/** Like `strictLines`, plus bytes above ASCII, which servers send in values. */
const serverLines = /^(?:[\t\x20-\x7e\x80-\xff]+\r\n(?![\t ]))*[\t\x20-\x7e\x80-\xff]+$/
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Field names as shared strings: a name sliced out of each head would have to be hashed each time. */
interface KnownName {
	name: string
	lower: string
	/** The last value sent under this name, and its line: most fields have the same value in every message. */
	value: string
	line: string
}

/** Known field names: most heads use the same dozen. */
const knownNames = new Map<string, KnownName>()
const maxKnownNames = 2000

/** The lower-case name of a field. */
export function lowerCaseOf(name: string): string {
	return knownNames.get(name)?.lower ?? name.toLowerCase()
}

const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/
const maxKeptValue = 256

/** The header line to send; null if its name or value could end the line early. */
export function fieldLine(name: string, value: string): string | null {
	const known = knownNames.get(name) ?? learnName(name)
	if (known !== null && known.line !== '' && known.value === value) return known.line
	if (forbiddenInValue.test(value) || (known === null && !token.test(name))) return null
	const line = `${name}: ${value}\r\n`
	if (known !== null && value.length <= maxKeptValue) {
		known.value = value
		known.line = line
	}
	return line
}

/**
 * Reads the field lines of a head from `at` to the end of `text` (Latin-1, without the empty line). Null if a line is not a plain
 * `name: value`, or if a name is repeated and `repeats` does not allow it.
 */
export function readFields(text: string, at: number, repeats: boolean): HeadFields | null {
	const raw: string[] = []
	const byName: Record<string, string | string[]> = {}
	for (let start = at; start < text.length; ) {
		const found = text.indexOf('\r\n', start)
		const end = found < 0 ? text.length : found
		const colon = text.indexOf(':', start)
		if (colon <= start || colon > end) return null
		const written = text.slice(start, colon)
		const known = knownNames.get(written) ?? learnName(written)
		if (known === null) return null
		const { name, lower } = known
		const value = trimmed(text, colon + 1, end)
		const before = byName[lower]
		if (before === undefined) byName[lower] = value
		else if (!repeats) return null
		else if (typeof before === 'string') byName[lower] = [before, value]
		else before.push(value)
		raw.push(name, value)
		start = end + 2
	}
	return { raw, byName }
}

/** Null if it is not a field name. `__proto__` would be lost in an object, so it is not accepted. */
function learnName(name: string): KnownName | null {
	if (!token.test(name)) return null
	const lower = name.toLowerCase()
	// A name that every object inherits could not be distinguished from an earlier field.
	if (lower in Object.prototype) return null
	const known = { name, lower, value: '', line: '' }
	if (knownNames.size < maxKnownNames) knownNames.set(name, known)
	return known
}

function trimmed(text: string, from: number, to: number): string {
	let start = from
	let end = to
	// Usually one space precedes a value, and nothing follows it.
	while (start < end && blanks.includes(text[start] as string)) start += 1
	while (end > start && blanks.includes(text[end - 1] as string)) end -= 1
	return text.slice(start, end)
}

const blanks = ' \t'

export interface RequestHead {
	target: string
	fields: HeadFields
	contentLength: number
	/** The same object for all heads on the connection that differ only in content length; null for the first such head. */
	headKey: object | null
}

const requestLine = /^POST (\/[!"$-~]*) HTTP\/1\.1\r\n/
/** Fields that change the framing of a message, or request more than a response. */
const notForUs = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te', 'proxy-connection'] as const
const lengthDigits = /^\d{1,15}$/

/**
 * Reads the head of a request in the fast lane's strict subset of HTTP/1.1: `POST`, a path, one Host, one Content-Length, each field
 * once, visible ASCII only. Null for anything else, which `node:http` then reads.
 */
export function readRequestHead(text: string): RequestHead | null {
	const line = requestLine.exec(text)
	if (!line || !strictLines.test(text)) return null
	const fields = readFields(text, line[0].length, false)
	if (!fields) return null
	const { byName } = fields
	const length = byName['content-length']
	if (byName.host === undefined || typeof length !== 'string' || !lengthDigits.test(length)) return null
	for (const name of notForUs) if (byName[name] !== undefined) return null
	const { connection } = byName
	if (connection !== undefined && (connection as string).toLowerCase() !== 'keep-alive') return null
	return { target: line[1] as string, fields, contentLength: Number(length), headKey: null }
}

const lengthField = /\r\ncontent-length:[\t ]*(\d{1,15})/i
/** How many heads of a connection are remembered, so that a client whose heads all differ does not cost a comparison with each. */
const maxRemembered = 4
const zero = 0x30
const nine = 0x39

/**
 * Parses the heads of one connection. Clients mostly repeat their last head with another content length: its bytes are then
 * compared instead of parsed. Such heads share their fields, which are frozen.
 */
export class RequestHeads {
	#last: RequestHead | null = null
	/** The bytes before and after the digits of its content length. */
	#before: Buffer = nothing
	#behind: Buffer = nothing
	#remembered = 0

	/** Returns the head that ends at `end`, parsed as by `readRequestHead`. */
	read(bytes: Buffer, end: number): RequestHead | null {
		const last = this.#last
		const contentLength = last ? this.#lengthIn(bytes, end) : -1
		if (last?.headKey && last.contentLength === contentLength) return last
		if (last && contentLength >= 0) return this.#again(last, contentLength)
		const text = bytes.toString('latin1', 0, end)
		const head = readRequestHead(text)
		if (head && this.#remembered < maxRemembered) this.#remember(head, text, bytes)
		return head
	}

	#remember(head: RequestHead, text: string, bytes: Buffer): void {
		const { index, 0: field, 1: digits } = lengthField.exec(text) as RegExpExecArray
		const to = index + field.length
		const from = to - (digits as string).length
		this.#last = head
		this.#before = Buffer.from(bytes.subarray(0, from))
		this.#behind = Buffer.from(bytes.subarray(to, text.length))
		this.#remembered += 1
	}

	/** The content length of a head that otherwise equals the last one; -1 if it differs. */
	#lengthIn(bytes: Buffer, end: number): number {
		const from = this.#before.length
		const to = end - this.#behind.length
		if (to <= from || to - from > 15 || (to - from > 1 && bytes[from] === zero)) return -1
		let length = 0
		for (let at = from; at < to; at += 1) {
			const byte = bytes[at] as number
			if (byte < zero || byte > nine) return -1
			length = length * 10 + byte - zero
		}
		const isLast =
			bytes.compare(this.#before, 0, from, 0, from) === 0 &&
			bytes.compare(this.#behind, 0, this.#behind.length, to, end) === 0
		return isLast ? length : -1
	}

	/** The last head with another content length. */
	#again(last: RequestHead, contentLength: number): RequestHead {
		const { raw, byName } = last.fields
		const length = String(contentLength)
		const fields = {
			raw: Object.freeze(
				raw.map((text, at) => (at % 2 === 1 && isLength(raw[at - 1] as string) ? length : text)),
			) as string[],
			byName: Object.freeze({ ...byName, 'content-length': length }),
		}
		const headKey = last.headKey ?? {}
		this.#last = { target: last.target, fields, contentLength, headKey }
		return this.#last
	}
}

/**
 * Parses the heads of the responses on one connection. A repeated head is compared instead of parsed. Such heads share their
 * fields, which are frozen.
 */
export class ResponseHeads {
	#last: ResponseHead | null = null
	#bytes: Buffer = nothing

	/** Returns the head between `from` and `end`, parsed as by `readResponseHead`. */
	read(bytes: Buffer, from: number, end: number): ResponseHead | null {
		const known = this.#bytes
		const isKnown = end - from === known.length && bytes.compare(known, 0, known.length, from, end) === 0
		if (isKnown && this.#last) return this.#last
		const head = readResponseHead(bytes.toString('latin1', from, end))
		if (!head) return null
		Object.freeze(head.fields.raw)
		for (const value of Object.values(Object.freeze(head.fields.byName))) Object.freeze(value)
		this.#last = head
		this.#bytes = Buffer.from(bytes.subarray(from, end))
		return head
	}
}

const nothing = Buffer.alloc(0)
const isLength = (name: string) => name.length === 14 && name.toLowerCase() === 'content-length'

export interface ResponseHead {
	status: number
	statusText: string
	fields: HeadFields
	/** -1 if not announced. */
	contentLength: number
	chunked: boolean
	/** Whether the connection may be reused. */
	keepAlive: boolean
	/** How long the server keeps an idle connection; null if it does not say. */
	keepAliveMs: number | null
}

/** Node's parser does not recognise the encoding if a tab follows it. */
const plainlyChunked = /^transfer-encoding: *chunked *$/im
const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?(?:\r\n|$)/

/** Parses the head of a response. Null if its framing is ambiguous, which ends the exchange. */
export function readResponseHead(text: string): ResponseHead | null {
	const line = statusLine.exec(text)
	if (!line || !serverLines.test(text)) return null
	const fields = readFields(text, line[0].length, true)
	if (!fields) return null
	const { byName } = fields
	// Some proxies add a type to the one that a server has sent. As for `node:http`, the first counts, and encodings are a list.
	const { 'content-type': type, 'content-encoding': coding } = byName
	if (typeof type === 'object') byName['content-type'] = type[0] as string
	if (typeof coding === 'object') byName['content-encoding'] = coding.join(', ')
	const contentLength = lengthOf(byName['content-length'])
	if (contentLength === null) return null
	const encoding = byName['transfer-encoding']
	const chunked = encoding !== undefined
	// Two encodings, an encoding together with a length, or one in HTTP/1.0: such framing is used for request smuggling.
	const isPlain = typeof encoding === 'string' && plainlyChunked.test(text)
	if (chunked && (contentLength >= 0 || line[1] !== '1' || !isPlain)) return null
	const connection = String(byName.connection ?? '').toLowerCase()
	const keepAlive = line[1] === '1' ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection)
	const hint =
		keepAlive && byName['keep-alive'] ? /\btimeout=(\d{1,6})/.exec(String(byName['keep-alive'])) : null
	return {
		status: Number(line[2]),
		statusText: line[3] ?? '',
		fields,
		contentLength,
		chunked,
		keepAlive,
		keepAliveMs: hint ? Number(hint[1]) * 1000 : null,
	}
}

function lengthOf(value: string | string[] | undefined): number | null {
	if (value === undefined) return -1
	return typeof value === 'string' && lengthDigits.test(value) ? Number(value) : null
}

/** What a piece of a chunked body contains: data, the end of the body, an incomplete chunk, or malformed bytes. */
export type ChunkedStep = 'data' | 'end' | 'more' | 'malformed'

const cr = 0x0d
const lf = 0x0a
/** Maximum length of a chunk-size line, including extensions. */
const maxSizeLine = 256
const maxTrailerBytes = 16 * 1024

/** A chunk size and ignored extensions: names, each with a token or a quoted string. */
const sizeLine =
	/^([0-9a-f]{1,13})(?:;[!#$%&'*+\-.^_`|~0-9a-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9a-z]+|"[\t !#-[\]-~]*"))?)*$/i
const trailerLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/

type State = 'size' | 'data' | 'after-data' | 'trailers'

/**
 * A strict, incremental parser for `Transfer-Encoding: chunked`: hexadecimal sizes, CRLF line endings. `next` continues in a piece
 * at `at`; for `data` the bytes are those from `from` to `at`. Extensions and trailers are skipped.
 */
export class ChunkedBody {
	/** How far the piece has been read. */
	at = 0
	from = 0
	#state: State = 'size'
	#left = 0
	/** The beginning of a line that is split across pieces. */
	#line = ''
	#trailerBytes = 0

	next(piece: Buffer): ChunkedStep {
		for (;;) {
			if (this.#state === 'data') {
				if (this.at === piece.length) return 'more'
				this.from = this.at
				this.at = Math.min(piece.length, this.at + this.#left)
				this.#left -= this.at - this.from
				if (this.#left === 0) this.#state = 'after-data'
				return 'data'
			}
			const line = this.#readLine(piece)
			if (line === null) return this.#line.length > this.#maxOfLine() ? 'malformed' : 'more'
			const step = this.#take(line)
			if (step) return step
		}
	}

	#maxOfLine(): number {
		return this.#state === 'trailers' ? maxTrailerBytes : this.#state === 'size' ? maxSizeLine : 2
	}

	/** A line without its CRLF; null if its end has not arrived. */
	#readLine(piece: Buffer): string | null {
		const end = piece.indexOf(lf, this.at)
		if (end < 0) {
			this.#line += piece.toString('latin1', this.at)
			this.at = piece.length
			return null
		}
		const line = this.#line + piece.toString('latin1', this.at, end)
		this.#line = ''
		this.at = end + 1
		// A line without CR is replaced by a space, with which no valid size or trailer begins.
		return line.charCodeAt(line.length - 1) === cr ? line.slice(0, -1) : ' '
	}

	#take(line: string): ChunkedStep | null {
		if (this.#state === 'after-data') {
			this.#state = 'size'
			return line === '' ? null : 'malformed'
		}
		if (this.#state === 'trailers') {
			if (line === '') return 'end'
			this.#trailerBytes += line.length
			return this.#trailerBytes <= maxTrailerBytes && trailerLine.test(line) ? null : 'malformed'
		}
		const size = sizeLine.exec(line)
		if (!size) return 'malformed'
		this.#left = Number.parseInt(size[1] as string, 16)
		this.#state = this.#left === 0 ? 'trailers' : 'data'
		return null
	}
}

/**
 * Calls `take` with the data from a socket, like a listener of `data` events; returns a function that stops it. Unless bytes are
 * buffered, they bypass the stream, whose own path schedules another read after each piece.
 */
export function readSocket(socket: Socket, take: (piece: Buffer) => void): () => void {
	const { push } = socket
	socket.push = (piece: Buffer | null, encoding?: BufferEncoding): boolean => {
		if (piece === null || socket.readableFlowing !== true || socket.readableLength > 0)
			return push.call(socket, piece, encoding)
		take(piece)
		return true
	}
	socket.on('data', take)
	return () => {
		socket.push = push
		socket.off('data', take)
	}
}
