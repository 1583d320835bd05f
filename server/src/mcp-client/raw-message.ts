import { type JsonLimits, type JsonMember, JsonScan } from '../platform/json/json-scan.ts'
import { KnownObjects } from '../platform/json/known-pieces.ts'
import { answerLimits, limitsTo, parseScanned } from '../platform/json/parse-json.ts'
import { scanInTurns } from '../platform/json/scan-in-turns.ts'
import {
	batchVersion,
	type JsonObject,
	metaOf,
	type RequestId,
	type RpcMessage,
	type RpcRequest,
	type RpcResponse,
	readMessage,
	requireKnownCase,
} from './message.ts'

/** Limits for clients' messages. No call has as many values, and that many can be built at once. */
const requestLimits: JsonLimits = { depth: 64, values: 200_000, containers: 50_000 }
/** A document of this size is scanned in less than a millisecond. */
const atOnceBytes = 64 * 1024

/** A cache of `_meta` objects, which clients repeat in each request. */
const knownMetas = new KnownObjects('_meta')
const maxKnown = 1024
/** Fields that differ between requests: a `_meta` with one of them is never repeated. */
const ofOneRequest = ['progressToken', 'traceparent', 'tracestate']

const answerScan = { limits: answerLimits, members: true, within: 'result' }
const requestScan = { limits: requestLimits, members: true, within: 'params', known: knownMetas }

/** Scans a client's message by the rules of `parseJsonText`, within narrower limits. The scan of a long one yields to other work. */
function scanRequest(bytes: Buffer): JsonScan | Promise<JsonScan> {
	return bytes.length <= atOnceBytes ? JsonScan.read(bytes, requestScan) : scanInTurns(bytes, requestScan)
}

/** Scans a server's message by the same rules. */
export function scanAnswer(bytes: Buffer, depth?: number): JsonScan {
	return JsonScan.read(bytes, depth === undefined ? answerScan : { ...answerScan, limits: limitsTo(depth) })
}

/** Caches the `_meta` of a request's params by its bytes, for requests with the same one. */
function rememberMeta(bytes: Buffer, value: Readonly<Record<string, unknown>>): void {
	if (bytes.length > maxKnown || ofOneRequest.some((name) => name in value)) return
	const { values, containers, exactNumbers } = JsonScan.read(bytes, { limits: requestLimits })
	// Numbers that JavaScript would change need the scan of the whole document, so such a `_meta` is not cached.
	if (!exactNumbers) return
	knownMetas.add({ bytes: Buffer.from(bytes), value, values: values - 1, containers })
}

/** An object in the bytes of a message, with the positions of its members. Its value is built on demand. */
export class RawObject {
	readonly members: readonly JsonMember[]
	readonly #bytes: Buffer
	readonly #from: number
	readonly #to: number
	readonly #isExact: boolean
	#value: JsonObject | null = null

	constructor(bytes: Buffer, { from, to }: JsonMember, { innerMembers, exactNumbers }: JsonScan) {
		this.#bytes = bytes
		this.#from = from
		this.#to = to
		this.members = innerMembers
		this.#isExact = exactNumbers
	}

	get value(): JsonObject {
		this.#value ??= parseScanned(this.text, this.#isExact) as JsonObject
		return this.#value
	}

	/** The source text. */
	get text(): string {
		return this.#bytes.toString('utf8', this.#from, this.#to)
	}

	get byteLength(): number {
		return this.#to - this.#from
	}

	/** A view of its bytes. */
	get bytes(): Buffer {
		return this.#bytes.subarray(this.#from, this.#to)
	}

	has(name: string): boolean {
		return this.find(name) !== undefined
	}

	find(name: string): JsonMember | undefined {
		for (const member of this.members) if (member.name === name) return member
		return undefined
	}

	/** The JSON text of a member; undefined if there is none. */
	textOf(name: string): string | undefined {
		const member = this.find(name)
		return member && this.textAt(member)
	}

	textAt({ from, to }: JsonMember): string {
		return this.#bytes.toString('utf8', from, to)
	}

	bytesAt({ from, to }: JsonMember): Buffer {
		return this.#bytes.subarray(from, to)
	}

	valueAt(member: JsonMember): unknown {
		return parseScanned(this.textAt(member), this.#isExact)
	}

	/** Whether the value of a member is an object. */
	isObjectAt({ from }: JsonMember): boolean {
		return this.#bytes[from] === openObject
	}
}

const openObject = 0x7b

/** A client's request, whose params are built on demand. */
export class RawRequest implements RpcRequest {
	readonly kind = 'request'
	readonly id: RequestId
	readonly method: string
	readonly #raw: RawObject
	#meta: JsonObject | null = null

	constructor(id: RequestId, method: string, raw: RawObject) {
		this.id = id
		this.method = method
		this.#raw = raw
	}

	get params(): JsonObject {
		return this.#raw.value
	}

	/** Not available on a copy, whose params may have been changed. */
	get raw(): RawObject {
		return this.#raw
	}

	get meta(): JsonObject {
		this.#meta ??= readMeta(this.#raw)
		return this.#meta
	}

	/** The complete request, for calls that are stored as tasks. */
	toJSON(): RpcRequest {
		const { kind, id, method, params } = this
		return { kind, id, method, params }
	}
}

/** The `_meta` of a request's params. It may be a cached object, because clients repeat it, and must not be changed. */
export function metaOfRequest(request: RpcRequest): JsonObject {
	return request instanceof RawRequest ? request.meta : metaOf(request.params)
}

const noMeta: JsonObject = Object.freeze({})

function readMeta(raw: RawObject): JsonObject {
	const member = raw.find('_meta')
	if (!member) return noMeta
	if (member.known) return member.known.value
	const meta = raw.valueAt(member) as JsonObject
	rememberMeta(raw.bytesAt(member), meta)
	return meta
}

/** A server's answer, whose result is built on demand. */
class RawResponse implements RpcResponse {
	readonly kind = 'response'
	readonly error = null
	readonly id: RequestId | null
	readonly raw: RawObject

	constructor(id: RequestId | null, raw: RawObject) {
		this.id = id
		this.raw = raw
	}

	get result(): JsonObject {
		return this.raw.value
	}
}

/** What a client sent in one body: a message, or a batch whose messages are not read yet. */
export type ClientBody = RpcMessage | unknown[]

/** Reads what a client sent in one body. Returns a promise for a long one. Throws `JsonFault`, or like `readMessage`. */
export function readFromClient(bytes: Buffer): ClientBody | Promise<ClientBody> {
	const scan = scanRequest(bytes)
	return scan instanceof Promise
		? scan.then((whole) => readClientMessage(bytes, whole))
		: readClientMessage(bytes, scan)
}

function readClientMessage(bytes: Buffer, scan: JsonScan): ClientBody {
	const request = readRequest(bytes, scan)
	if (request) return request
	const value = parseScanned(bytes.toString('utf8'), scan.exactNumbers)
	return Array.isArray(value) ? value : readMessage(value)
}

/**
 * Reads what a server sent in one body or event: one message or, in protocol 2025-03-26 only, a batch. Throws an `Error`: a
 * malformed message is the server's fault, not the client's.
 */
export function readFromServer(bytes: Buffer, protocolVersion?: string, depth?: number): RpcMessage[] {
	const scan = scanAnswer(bytes, depth)
	const response = readResult(bytes, scan)
	if (response) return [response]
	const value = parseScanned(bytes.toString('utf8'), scan.exactNumbers)
	try {
		if (protocolVersion === batchVersion && Array.isArray(value)) return value.map(readMessage)
		return [readMessage(value)]
	} catch (error) {
		throw new Error((error as Error).message)
	}
}

/** A tool result in the bytes that the server sent. */
export interface PlainAnswer {
	result: Buffer
	/** Whether it can be sent to the client unchanged: the tool succeeded, and nothing else is in the message. */
	isPlain: boolean
	/** Whether the result has no members. */
	isEmpty: boolean
	/** Whether the result has a `resultType`, which says that it is complete. */
	hasResultType: boolean
}

/** The answer to the request with this ID; null if the bytes are anything else. */
export function readJsonAnswer(bytes: Buffer, id: number): PlainAnswer | null {
	const response = readPlainResult(bytes)
	if (response?.id !== id) return null
	const { raw } = response
	let isPlain = true
	let hasResultType = false
	for (const member of raw.members)
		if (member.name === 'isError') isPlain &&= raw.textAt(member) === 'false'
		else if (member.name === 'resultType') {
			hasResultType = true
			isPlain &&= raw.textAt(member) === '"complete"'
		} else if (member.name === 'structuredContent') isPlain &&= raw.isObjectAt(member)
		else if (member.name === 'task' || member.name === 'requestState') isPlain = false
	return { result: raw.bytes, isPlain, isEmpty: raw.members.length === 0, hasResultType }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
/** The first byte of the mark that a stream may begin with. */
const byteOrderMark = 0xef

/**
 * The same for the first message of an event stream: `more` bytes are needed, or the stream is anything `other`, which the stream
 * reader handles.
 */
export function readEventAnswer(bytes: Buffer, id: number): PlainAnswer | 'more' | 'other' {
	let data: Buffer | null = null
	if (bytes[0] === byteOrderMark) return 'other'
	for (let from = 0; ; ) {
		const end = bytes.indexOf(lineFeed, from)
		if (end < 0) return mayEndInReturns(bytes, from) ? 'other' : 'more'
		const line = bytes.subarray(from, end > from && bytes[end - 1] === carriageReturn ? end - 1 : end)
		from = end + 1
		if (line.length === 0) {
			if (data && data.length > 0) return readJsonAnswer(data, id) ?? 'other'
			data = null
		} else if (line.toString('latin1', 0, 5) === 'data:') {
			if (data) return 'other'
			data = line.subarray(line[5] === space ? 6 : 5)
		} else if (
			line.toString('latin1', 0, 6) === 'event:' &&
			!/^event: ?message$/.test(line.toString('latin1'))
		)
			return 'other'
		// A carriage return alone may end a line.
		if (line.includes(carriageReturn)) return 'other'
	}
}

/** Whether lines end with a carriage return alone: one at the very end may still be followed by its line feed. */
function mayEndInReturns(bytes: Buffer, from: number): boolean {
	const at = bytes.indexOf(carriageReturn, from)
	return at >= 0 && at < bytes.length - 1
}

/** Reads a message that consists of a result only. Null for anything else, which `readFromServer` reads. */
function readPlainResult(bytes: Buffer): RawResponse | null {
	try {
		return readResult(bytes, scanAnswer(bytes))
	} catch {
		return null
	}
}

/** The members of a message, the relevant ones by name. */
interface Envelope {
	version?: JsonMember
	id?: JsonMember
	method?: JsonMember
	params?: JsonMember
	result?: JsonMember
}

function envelopeOf(members: readonly JsonMember[]): Envelope {
	const envelope: Envelope = {}
	for (const member of members)
		if (member.name === 'jsonrpc') envelope.version = member
		else if (member.name === 'id') envelope.id = member
		else if (member.name === 'method') envelope.method = member
		else if (member.name === 'params') envelope.params = member
		else if (member.name === 'result') envelope.result = member
	return envelope
}

function readRequest(bytes: Buffer, scan: JsonScan): RawRequest | null {
	const { version, id, method, params } = envelopeOf(scan.members)
	if (!version || !id || !method || !params || bytes[params.from] !== openObject) return null
	if (!isVersion2(bytes, version)) return null
	const raw = new RawObject(bytes, params, scan)
	const idValue = readId(bytes, id)
	const name = textIn(bytes, method)
	const meta = raw.find('_meta')
	if (idValue === null || !name || (meta && !raw.isObjectAt(meta))) return null
	requireKnownCase(scan.members, raw.members)
	return new RawRequest(idValue, name, raw)
}

function readResult(bytes: Buffer, scan: JsonScan): RawResponse | null {
	const { version, id, result } = envelopeOf(scan.members)
	if (!version || !id || !result || scan.members.length !== 3) return null
	if (bytes[result.from] !== openObject || !isVersion2(bytes, version)) return null
	const idValue = readId(bytes, id)
	return idValue === null ? null : new RawResponse(idValue, new RawObject(bytes, result, scan))
}

function isVersion2(bytes: Buffer, { from, to }: JsonMember): boolean {
	return to - from === 5 && bytes.toString('latin1', from, to) === '"2.0"'
}

/** Reads plain ids only. Null for others, which need a full parser. */
function readId(bytes: Buffer, member: JsonMember): RequestId | null {
	const text = bytes.toString('latin1', member.from, member.to)
	if (plainNumber.test(text)) return Number(text)
	return textIn(bytes, member)
}

const plainNumber = /^(0|[1-9]\d{0,14})$/

function textIn(bytes: Buffer, { from, to }: JsonMember): string | null {
	if (bytes[from] !== quote) return null
	const text = bytes.toString('utf8', from + 1, to - 1)
	return text.includes('\\') ? null : text
}

const quote = 0x22
