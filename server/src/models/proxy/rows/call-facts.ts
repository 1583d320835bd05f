import type { IncomingHttpHeaders } from 'node:http'
import type { TraceContext } from '../../../platform/trace/current-trace.ts'
import type { BodyHashes } from '../call-body.ts'
import type { CallFacts, EndFacts, RowTarget } from '../call-record.ts'
import { taggedHeaders } from '../call-tags.ts'
import type { Reading } from '../providers/provider.ts'

/** What a call writes to the log before it is sent to its provider. */
export interface AnnouncedFacts {
	call: Omit<CallFacts, 'startNs' | 'onDisconnect'> & { startNs: string }
	target: RowTarget | null
	/** The size of the body as sent by the client. */
	requestBytes: number
	fault: string | null
	/**
	 * The fields of the client's body that its record needs, if that body is not included because it is large or hooks have
	 * changed it.
	 */
	fields?: Record<string, unknown>
}

/** What a call writes to the log when it ends. */
export interface EndedFacts {
	end: EndFacts
	/** What was read of the answer on its way; absent if that is still to be done. */
	reading?: StoredReading
	/** Absent if the bodies are included, as they were sent. */
	hashes?: BodyHashes
	/** How much of the answer was sent to the client, if its hash is computed from the included body. */
	passedBytes: number
	/** Whether message texts are stored, or only fingerprints; absent if the call has no contents. */
	keepsTexts?: boolean
	answer: { contentType: string; encoding: string; listed: boolean }
}

export type StoredReading = Omit<Reading, 'objects' | 'results'>

/** The headers that a call's record reads. No other header is written to the log. */
export function headersForRecord(headers: IncomingHttpHeaders): IncomingHttpHeaders {
	const kept: IncomingHttpHeaders = {}
	for (const name in headers) if (taggedHeaders.has(name)) kept[name] = headers[name]
	return kept
}

/** Facts and up to two bodies: length u32 | JSON | length u32 | body | body. */
export function encodeFacts(
	facts: AnnouncedFacts | EndedFacts,
	body: Buffer | null,
	answer: Buffer | null,
): Buffer {
	return encodeOwnFacts(nothing, JSON.stringify(facts), body, answer)
}

const nothing = Buffer.alloc(0)

/** The facts that many calls share, encoded to be put before those of each call. */
export function commonFacts(facts: Readonly<Record<string, unknown>>): Buffer {
	return Buffer.from(`${JSON.stringify(facts)}\n`)
}

/**
 * Two documents separated by a line feed: `common`, which is parsed once for all calls that share it, and `own`. Members that are
 * objects in both are merged.
 */
export function encodeOwnFacts(
	common: Buffer,
	own: string,
	body: Buffer | null,
	answer: Buffer | null,
): Buffer {
	const textBytes = common.length + Buffer.byteLength(own)
	const bodyBytes = body?.length ?? 0
	const all = Buffer.allocUnsafe(8 + textBytes + bodyBytes + (answer?.length ?? 0))
	let at = all.writeUInt32LE(textBytes, 0)
	at += common.copy(all, at)
	at += all.write(own, at)
	at = all.writeUInt32LE(bodyBytes, at)
	body?.copy(all, at)
	answer?.copy(all, at + bodyBytes)
	return all
}

/** The announced facts of a plain call that it does not share with others. Ids are hex digits, or were validated before. */
export function ownAnnouncement(
	requestId: string,
	{ traceId, spanId, parentSpanId, traceState, flags }: TraceContext,
	startNs: bigint,
	headers: IncomingHttpHeaders | null,
	requestBytes: number,
): string {
	const state = traceState === '' ? '""' : JSON.stringify(traceState)
	const trace = `{"traceId":"${traceId}","spanId":"${spanId}","parentSpanId":"${parentSpanId}","traceState":${state},"flags":${flags}}`
	const kept = headers ? `,"headers":${JSON.stringify(headers)}` : ''
	return `{"call":{"requestId":"${requestId}","trace":${trace},"startNs":"${startNs}"${kept}},"requestBytes":${requestBytes}}`
}

export function decodeFacts<Facts>(all: Buffer): { facts: Facts; body: Buffer; answer: Buffer } {
	const bodyAt = 8 + all.readUInt32LE(0)
	const answerAt = bodyAt + all.readUInt32LE(bodyAt - 4)
	return {
		facts: parseFacts(all, 4, bodyAt - 4) as Facts,
		body: all.subarray(bodyAt, answerAt),
		answer: all.subarray(answerAt),
	}
}

type Members = Readonly<Record<string, unknown>>

/** A cache of parsed common facts with their bytes, most recent first. */
const common: { bytes: Buffer; members: Members }[] = []
const mostCommon = 64
const lineFeed = 0x0a

function parseFacts(all: Buffer, from: number, to: number): unknown {
	// Within a JSON document a line feed is always escaped.
	const split = all.indexOf(lineFeed, from)
	if (split < 0 || split >= to) return JSON.parse(all.toString('utf8', from, to))
	const members: Record<string, unknown> = { ...commonAt(all, from, split) }
	const own = JSON.parse(all.toString('utf8', split + 1, to)) as Members
	for (const name in own) {
		const before = members[name]
		members[name] = isObject(before) && isObject(own[name]) ? merged(before, own[name] as Members) : own[name]
	}
	return members
}

/** Spreading both would take several times as long. */
function merged(before: object, own: Members): Members {
	const all: Record<string, unknown> = { ...before }
	for (const name in own) all[name] = own[name]
	return all
}

function commonAt(all: Buffer, from: number, to: number): Members {
	for (const { bytes, members } of common)
		if (bytes.length === to - from && all.compare(bytes, 0, bytes.length, from, to) === 0) return members
	const bytes = Buffer.from(all.subarray(from, to))
	const members = Object.freeze(JSON.parse(bytes.toString()) as Members)
	const { headers } = (members.call ?? {}) as { headers?: object }
	if (headers) Object.freeze(headers)
	common.unshift({ bytes, members })
	if (common.length > mostCommon) common.pop()
	return members
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Moves the facts of a call to another time, for replayed calls. */
export const factsInTime = {
	parentSpanOf: (announced: Uint8Array) =>
		decodeFacts<AnnouncedFacts>(Buffer.from(announced)).facts.call.trace.parentSpanId,
	begunAt: (announced: Uint8Array, startNs: bigint) => {
		const { facts, body, answer } = decodeFacts<AnnouncedFacts>(Buffer.from(announced))
		return encodeFacts({ ...facts, call: { ...facts.call, startNs: String(startNs) } }, body, answer)
	},
	endedAfter: (ended: Uint8Array, durationNs: bigint) => {
		const { facts, body, answer } = decodeFacts<EndedFacts>(Buffer.from(ended))
		const firstContentNs = facts.end.firstContentNs === null ? null : Number(durationNs / 3n)
		const end = { ...facts.end, durationNs: Number(durationNs), firstContentNs }
		return encodeFacts({ ...facts, end }, body, answer)
	},
}
