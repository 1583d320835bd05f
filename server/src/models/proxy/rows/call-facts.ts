import type { IncomingHttpHeaders } from 'node:http'
import type { TraceContext } from '../../../platform/trace/current-trace.ts'
import type { BodyHashes } from '../call-body.ts'
import type { CallFacts, EndFacts, RowTarget } from '../call-record.ts'
import { taggedHeaders } from '../call-tags.ts'
import type { Reading } from '../providers/provider.ts'

/** What a call leaves in the log before it goes to its provider. */
export interface AnnouncedFacts {
	call: Omit<CallFacts, 'startNs' | 'onDisconnect'> & { startNs: string }
	target: RowTarget | null
	/** Of the body as the client sent it. */
	requestBytes: number
	fault: string | null
	/** The fields of the client's body that its record needs, where that body is not here: it is large, or hooks have changed it. */
	fields?: Record<string, unknown>
}

/** What a call leaves in the log when it is over. */
export interface EndedFacts {
	end: EndFacts
	/** What was read of the answer on its way; absent where that is still to be done. */
	reading?: StoredReading
	/** Absent: the bodies are here, as they were sent. */
	hashes?: BodyHashes
	/** How much of the answer passed to the client, where it is hashed from here. */
	passedBytes: number
	/** Whether the texts of messages are stored, or fingerprints alone; absent: the call carries none. */
	keepsTexts?: boolean
	answer: { contentType: string; encoding: string; listed: boolean }
}

export type StoredReading = Omit<Reading, 'objects' | 'results'>

/** Of the headers of a call those that its record reads: no other one gets into the log. */
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

/** What many calls leave alike, ready to be put before what is of one of them. */
export function commonFacts(facts: Readonly<Record<string, unknown>>): Buffer {
	return Buffer.from(`${JSON.stringify(facts)}\n`)
}

/**
 * Two documents with a line feed between them: `common`, which is read once for all calls that have it, and `own`, of this one.
 * Members of both that are objects become one.
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

/** What a plain call announces of itself, beside what it has in common with others. Ids are hex digits, or were checked before. */
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

/** What many calls had in common, with its bytes: the last ones first. */
const common: { bytes: Buffer; members: Members }[] = []
const mostCommon = 64
const lineFeed = 0x0a

function parseFacts(all: Buffer, from: number, to: number): unknown {
	// In JSON of one document it is always escaped.
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

/** Spreading both takes several times as long. */
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

/** For calls that are replayed: their facts as if they had been made at another time. */
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
