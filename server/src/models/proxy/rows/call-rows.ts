import { hash } from 'node:crypto'
import type { Provider } from '@signalbox/contract'
import type { PriceCall } from '../../../ledger/index.ts'
import { toIso } from '../../../platform/clock.ts'
import {
	encodeExchange,
	encodeSpanRow,
	encodeTexts,
	exchangeRowFormat,
	messageRowFormat,
	type RowsOfFormat,
	type RuleSet,
	redactCall,
	type SpanRow,
	spanRowFormat,
	type TextRules,
} from '../../../telemetry/call-rows/index.ts'
import type { BodyHashes } from '../body-hash.ts'
import { CallBody } from '../call-body.ts'
import { draftRow, outcomeRow, type RowReading, recordedFields } from '../call-record.ts'
import { AnswerReader } from '../contents/answer-reader.ts'
import { Conversations } from '../contents/conversations.ts'
import { KnownTexts } from '../contents/known-texts.ts'
import { contentsOf, type ReadRequest, readRequest } from '../contents/read-contents.ts'
import { redactTexts } from '../contents/redact-text.ts'
import { providers } from '../providers/index.ts'
import type { ResponseReader } from '../providers/provider.ts'
import { ResponseTee } from '../tee/response-tee.ts'
import { type AnnouncedFacts, decodeFacts, type EndedFacts } from './call-facts.ts'

/** What the rows of a workspace's calls depend on beside what the calls left. */
export interface WorkspaceRules {
	retentionDays: number
	rules: RuleSet | undefined
	textRules: TextRules | undefined
}

/** A call as it lies in the log; null in place of its end: its process died. */
export interface LoggedCall {
	workspaceId: string
	announced: Buffer
	ended: Buffer | null
	/** Whether its bodies are left alone. */
	bare: boolean
}

/** Any body that was taken in may be read again. */
const bodyLimitBytes = 1024 * 1024 * 1024
/** How the ids of sessions begin that no client named. */
const inferred = 'inferred:'

interface Ended {
	facts: EndedFacts
	answer: Buffer
}

/** Makes the rows of calls from what they left in the log. It remembers conversations, and which texts are stored. */
export class CallRows {
	readonly #conversations = new Conversations()
	readonly #known = new KnownTexts()
	readonly #priceCall: PriceCall

	constructor(priceCall: PriceCall) {
		this.#priceCall = priceCall
	}

	/** Nobody knows which texts are stored. */
	forgetTexts(): void {
		this.#known.forget()
	}

	async make(call: LoggedCall, rules: WorkspaceRules): Promise<RowsOfFormat[]> {
		const { facts, body: announcedBody } = decodeFacts<AnnouncedFacts>(call.announced)
		if (call.ended === null || call.ended.length === 0)
			return this.#makeInterrupted(call, facts, announcedBody, rules)
		const { facts: ended, body: endedBody, answer } = decodeFacts<EndedFacts>(call.ended)
		const bytes = announcedBody.length > 0 ? announcedBody : endedBody
		const body = await bodyOf(facts, bytes, call.bare)
		const draft = draftOf(facts, body)
		const read = call.bare ? null : this.#readRequest(facts, ended, draft, body, rules)
		const session = this.#sessionOf(read)
		const named = session === '' ? draft : { ...draft, sessionId: session }
		const parts = { facts: ended, answer: call.bare ? empty : answer }
		const reading = await readingOf(facts, parts)
		const hashes = ended.hashes ?? hashesOf(bytes, answer, ended.passedBytes)
		const row = dated(outcomeRow(named, ended.end, reading, hashes, this.#priceCall), facts)
		const rows = [spanOf(row, rules)]
		if (!read) return rows
		if (read.request.freshSession)
			this.#conversations.noteAnswer(read.request.caller, reading?.responseId ?? '', row.sessionId)
		return [...(await this.#contentsOf(row, read, parts, rules)), ...rows]
	}

	/** The session that the messages of a call go on with, by what it announces. Asked twice it says the same. */
	async sessionOf(announced: Buffer): Promise<string> {
		const { facts, body: bytes } = decodeFacts<AnnouncedFacts>(announced)
		const body = await bodyOf(facts, bytes, false)
		const read = this.#readRequest(facts, { keepsTexts: false }, draftOf(facts, body), body, noRules)
		return this.#sessionOf(read)
	}

	#sessionOf(read: ReadRequest | null): string {
		return read?.links ? this.#conversations.sessionOf(read.links, read.request.freshSession) : ''
	}

	async #makeInterrupted(
		call: LoggedCall,
		facts: AnnouncedFacts,
		bytes: Buffer,
		rules: WorkspaceRules,
	): Promise<RowsOfFormat[]> {
		return [spanOf(dated(draftOf(facts, await bodyOf(facts, bytes, call.bare)), facts), rules)]
	}

	#readRequest(
		{ call, dated }: AnnouncedFacts,
		{ keepsTexts }: Pick<EndedFacts, 'keepsTexts'>,
		draft: SpanRow,
		body: CallBody | null,
		{ textRules }: Pick<WorkspaceRules, 'textRules'>,
	): ReadRequest | null {
		if (keepsTexts === undefined || !body?.json) return null
		const { workspaceId, credentialId } = call
		const startNs = dated ? BigInt(dated.startNs) : draft.startNs
		const request = {
			workspaceId,
			caller: `${workspaceId} ${credentialId} ${draft.userId}`,
			day: toIso(Number(startNs / 1_000_000n)).slice(0, 10),
			freshSession: draft.sessionId === '' ? `${inferred}${draft.spanId}` : '',
			keepsTexts,
			rules: textRules,
		}
		try {
			return readRequest(request, body.plain.toString('utf8'))
		} catch {
			// What cannot be taken apart is a call without contents.
			return null
		}
	}

	async #contentsOf(
		row: SpanRow,
		read: ReadRequest,
		ended: Ended,
		{ retentionDays, textRules }: WorkspaceRules,
	): Promise<RowsOfFormat[]> {
		const { workspaceId, traceId, spanId, startNs, sessionId, userId } = row
		try {
			const { contents, texts } = contentsOf(read, await messagesIn(ended), this.#known)
			const exchange = { workspaceId, traceId, spanId, startNs, sessionId, userId, ...contents }
			const bytes = encodeExchange(exchange, retentionDays)
			const exchanges = { rowFormat: exchangeRowFormat, count: 1, bytes }
			if (texts.length === 0) return [exchanges]
			const left = encodeTexts(row, redactTexts(texts, textRules), retentionDays)
			return [{ rowFormat: messageRowFormat, count: texts.length, bytes: left }, exchanges]
		} catch {
			this.forgetTexts()
			return []
		}
	}
}

const noRules = { textRules: undefined }
const empty = Buffer.alloc(0)
const nobodyListens = { onProgress: () => undefined }

/** The body as its provider read it; null where it is not here. */
async function bodyOf({ call }: AnnouncedFacts, bytes: Buffer, bare: boolean): Promise<CallBody | null> {
	if (bare || bytes.length === 0) return null
	try {
		return await CallBody.read(call.headers, bytes, bodyLimitBytes)
	} catch {
		return null
	}
}

function draftOf(
	{ call, target, requestBytes, fault, fields }: AnnouncedFacts,
	body: CallBody | null,
): SpanRow {
	const values = fields ? new Map(Object.entries(fields)) : body?.fields(recordedFields)
	const facts = { ...call, startNs: BigInt(call.startNs), onDisconnect: 'abort' as const }
	return draftRow(facts, target, { values, bytes: requestBytes, fault: fault ?? body?.fault ?? null })
}

async function readingOf({ target, call }: AnnouncedFacts, ended: Ended): Promise<RowReading | null> {
	if (ended.facts.reading) return ended.facts.reading
	if (!target?.surface || ended.answer.length === 0) return null
	const provider = ended.facts.end.step?.provider ?? (call.provider as Provider)
	const reader = providers[provider].newReader(target.surface)
	await readAlong(reader, ended)
	return reader.reading
}

/** The messages of the answer. */
async function messagesIn(ended: Ended): Promise<AnswerReader['messages']> {
	const reader = new AnswerReader(ended.facts.answer.listed)
	await readAlong(reader, ended)
	return reader.messages
}

async function readAlong(reader: ResponseReader, { facts, answer }: Ended): Promise<void> {
	const tee = new ResponseTee(facts.answer.contentType, facts.answer.encoding, reader, nobodyListens)
	tee.write(answer)
	await tee.end()
}

/** Bodies that passed unchanged, but for what a client did not wait for. */
function hashesOf(request: Buffer, response: Buffer, passedBytes: number): BodyHashes {
	const sent = hashOf(request)
	const whole = hashOf(response)
	const passed = passedBytes === response.length ? whole : hashOf(response.subarray(0, passedBytes))
	return { request: sent, requestSent: sent, response: whole, responsePassed: passed }
}

function hashOf(bytes: Buffer): string {
	return bytes.length === 0 ? '' : hash('sha256', bytes, 'hex')
}

/** A call that is replayed has been made when it is said to have been. */
function dated(row: SpanRow, { dated }: AnnouncedFacts): SpanRow {
	if (!dated) return row
	const durationNs = BigInt(dated.durationNs)
	const timeToFirstTokenNs = row.timeToFirstTokenNs === null ? null : durationNs / 3n
	const attributes = new Map([...row.attributes, ['signalbox.demo', true] as const])
	return { ...row, startNs: BigInt(dated.startNs), durationNs, timeToFirstTokenNs, attributes }
}

function spanOf(row: SpanRow, { retentionDays, rules }: WorkspaceRules): RowsOfFormat {
	const bytes = encodeSpanRow(redactCall({ ...row, retentionDays }, rules))
	return { rowFormat: spanRowFormat, count: 1, bytes }
}
