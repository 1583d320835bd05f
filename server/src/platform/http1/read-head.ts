/** The fields of a head: as they came (name and value in turn), and by their name in lower case. */
export interface HeadFields {
	raw: string[]
	byName: Record<string, string | string[]>
}

export const headEnd = Buffer.from('\r\n\r\n')
/** As `node:http` and undici bound it. */
export const headLimitBytes = 16 * 1024

/** Lines of visible ASCII, spaces and tabs, each ended by CRLF and none folded. */
const strictLines = /^(?:[\t\x20-\x7e]+\r\n(?![\t ]))*[\t\x20-\x7e]+$/
/** The same with the bytes above ASCII, which servers send in values. */
const serverLines = /^(?:[\t\x20-\x7e\x80-\xff]+\r\n(?![\t ]))*[\t\x20-\x7e\x80-\xff]+$/
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Field names that were seen, each with its lower case: most heads name the same dozen. */
const knownNames = new Map<string, string>()
const knownNamesMost = 2000

/**
 * Reads the field lines of a head from `at` to the end of `text` (Latin-1, without its empty line). Null where a line is
 * anything but `name: value` in plain characters, or where a name comes twice and `repeats` does not allow it.
 */
export function readFields(text: string, at: number, repeats: boolean): HeadFields | null {
	const raw: string[] = []
	const byName: Record<string, string | string[]> = {}
	for (let start = at; start < text.length; ) {
		const found = text.indexOf('\r\n', start)
		const end = found < 0 ? text.length : found
		const colon = text.indexOf(':', start)
		if (colon <= start || colon > end) return null
		const name = text.slice(start, colon)
		const lower = knownNames.get(name) ?? learnName(name)
		if (lower === null) return null
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

/** Null: no name of a field. `__proto__` would be lost in an object, so it is none here. */
function learnName(name: string): string | null {
	if (!token.test(name)) return null
	const lower = name.toLowerCase()
	// What every object has by inheritance could not be told from a field that came before.
	if (lower in Object.prototype) return null
	if (knownNames.size < knownNamesMost) knownNames.set(name, lower)
	return lower
}

function trimmed(text: string, from: number, to: number): string {
	let start = from
	let end = to
	while (start < end && isBlank(text.charCodeAt(start))) start += 1
	while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
	return text.slice(start, end)
}

const isBlank = (code: number) => code === 0x20 || code === 0x09

export interface RequestHead {
	target: string
	fields: HeadFields
	contentLength: number
}

const requestLine = /^POST (\/[!"$-~]*) HTTP\/1\.1\r\n/
/** Fields that change how a message is read, or ask for more than an answer. */
const notForUs = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te', 'proxy-connection'] as const
const lengthDigits = /^\d{1,15}$/

/**
 * The head of a request in the strict subset of HTTP/1.1 that this lane takes: `POST`, a path, one Host, one
 * Content-Length, each field once, visible ASCII only. Null for all else, which `node:http` reads.
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
	return { target: line[1] as string, fields, contentLength: Number(length) }
}

export interface ResponseHead {
	status: number
	statusText: string
	fields: HeadFields
	/** -1: not announced. */
	contentLength: number
	chunked: boolean
	/** Whether the connection may be used again. */
	keepAlive: boolean
	/** What the server says about how long it keeps an idle connection; null: nothing. */
	keepAliveMs: number | null
}

/** A tab at its end, and Node's parser takes the encoding for another one. */
const plainlyChunked = /^transfer-encoding: *chunked *$/im
const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?(?:\r\n|$)/

/** The head of a response; null where reading it would mean to guess, which ends the exchange. */
export function readResponseHead(text: string): ResponseHead | null {
	const line = statusLine.exec(text)
	if (!line || !serverLines.test(text)) return null
	const fields = readFields(text, line[0].length, true)
	if (!fields) return null
	const { byName } = fields
	const contentLength = lengthOf(byName['content-length'])
	if (contentLength === null) return null
	const encoding = byName['transfer-encoding']
	const chunked = encoding !== undefined
	// Two encodings, one beside a length, or one of HTTP/1.0 are how messages are smuggled.
	const isPlain = typeof encoding === 'string' && plainlyChunked.test(text)
	if (chunked && (contentLength >= 0 || line[1] !== '1' || !isPlain)) return null
	const connection = String(byName.connection ?? '').toLowerCase()
	const keepAlive = line[1] === '1' ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection)
	const hint =
		keepAlive && byName['keep-alive'] ? /\btimeout=(\d{1,6})/.exec(String(byName['keep-alive'])) : null
	return {
		status: Number(line[2]),
		statusText: line[3] ?? '',
		...{ fields, contentLength, chunked, keepAlive },
		keepAliveMs: hint ? Number(hint[1]) * 1000 : null,
	}
}

function lengthOf(value: string | string[] | undefined): number | null {
	if (value === undefined) return -1
	return typeof value === 'string' && lengthDigits.test(value) ? Number(value) : null
}
