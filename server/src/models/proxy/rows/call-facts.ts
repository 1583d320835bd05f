import type { IncomingHttpHeaders } from 'node:http'
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
	return encodeFactsText(JSON.stringify(facts), body, answer)
}

/** `text`: the facts as JSON. */
export function encodeFactsText(text: string, body: Buffer | null, answer: Buffer | null): Buffer {
	const textBytes = Buffer.byteLength(text)
	const bodyBytes = body?.length ?? 0
	const all = Buffer.allocUnsafe(8 + textBytes + bodyBytes + (answer?.length ?? 0))
	let at = all.writeUInt32LE(textBytes, 0)
	at += all.write(text, at)
	at = all.writeUInt32LE(bodyBytes, at)
	body?.copy(all, at)
	answer?.copy(all, at + bodyBytes)
	return all
}

export function decodeFacts<Facts>(all: Buffer): { facts: Facts; body: Buffer; answer: Buffer } {
	const bodyAt = 8 + all.readUInt32LE(0)
	const answerAt = bodyAt + all.readUInt32LE(bodyAt - 4)
	return {
		facts: JSON.parse(all.toString('utf8', 4, bodyAt - 4)) as Facts,
		body: all.subarray(bodyAt, answerAt),
		answer: all.subarray(answerAt),
	}
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
