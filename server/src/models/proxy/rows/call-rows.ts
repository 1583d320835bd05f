import { hash } from 'node:crypto'
import type { Provider } from '@signalbox/contract'
import { createPriceCall, type PriceCall } from '../../../ledger/ledger.ts'
import { toIso } from '../../../platform/clock.ts'
import {
	type LoggedCall,
	type RowSink,
	type RowsOfKind,
	type RuleSet,
	redactCall,
	type SpanRow,
	type TextRules,
} from '../../../telemetry/call-rows/index.ts'
import type { ToolUse } from '../../../telemetry/index.ts'
import { type OwnPriceRow, OwnPrices } from '../../prices/own-prices.ts'
import { type BodyHashes, CallBody } from '../call-body.ts'
import { draftRow, outcomeRow, type RowReading, recordedFields } from '../call-record.ts'
import { AnswerReader } from '../contents/answer.ts'
import {
	Conversations,
	contentsOf,
	type ReadRequest,
	readRequest,
	redactTexts,
	StoredTextCache,
} from '../contents/read-contents.ts'
import { RequestItems } from '../contents/request-items.ts'
import { ItemCache } from '../contents/split-request.ts'
import { providers } from '../providers/index.ts'
import { type ResponseReader, textOr } from '../providers/provider.ts'
import { membersIn, ResponseTee, readMembers } from '../tee/response-tee.ts'
import { type AnnouncedFacts, decodeFacts, type EndedFacts } from './call-facts.ts'

/** What the rows of a workspace's calls depend on besides the calls' facts. */
export interface WorkspaceRules {
	retentionDays: number
	rules: RuleSet | undefined
	textRules: TextRules | undefined
	prices: readonly OwnPriceRow[]
}

/** Every body that was accepted may be read again. */
const bodyLimitBytes = 1024 * 1024 * 1024
/** The prefix of session ids that were inferred, not named by a client. */
const inferred = 'inferred:'

interface Ended {
	facts: EndedFacts
	answer: Buffer
	/** The members of an answer that is one plain JSON object; undefined before it is parsed, null if it is something else. */
	members?: Readonly<Record<string, unknown>> | null
}

/** A call whose rows are being made. */
interface Work {
	facts: AnnouncedFacts
	/** The bytes of its body and its answer, as stored in the log. */
	bytes: Buffer
	answer: Buffer
	/** Null if its process died. */
	parts: Ended | null
	rules: WorkspaceRules
	rows: RowSink
	isBare: boolean
}

/** Called in the row-building thread. */
export function createRows(): RowsOfKind {
	return new CallRows()
}

/** Builds the rows of calls from what they left in the log. Remembers conversations, and which texts are stored. */
export class CallRows implements RowsOfKind {
	readonly #conversations = new Conversations()
	readonly #known = new StoredTextCache()
	readonly #items = new ItemCache()
	/** A cache for the current rules: the same object is passed for many calls. */
	#prices: { of: readonly OwnPriceRow[]; own: OwnPrices } = { of: [], own: new OwnPrices([]) }
	readonly #priceCall: PriceCall = createPriceCall((query) => this.#prices.own.find(query))

	forget(): void {
		this.#known.forget()
	}

	/** Synchronous, except for answers that must be decoded and bodies that are read in steps. */
	make(call: LoggedCall, given: unknown, rows: RowSink): Promise<void> | void {
		const rules = given as WorkspaceRules
		if (this.#prices.of !== rules.prices)
			this.#prices = { of: rules.prices, own: new OwnPrices(rules.prices) }
		const { facts, body: announcedBody } = decodeFacts<AnnouncedFacts>(call.announced)
		const ended = call.ended && decodeFacts<EndedFacts>(call.ended)
		const bytes = announcedBody.length > 0 || !ended ? announcedBody : ended.body
		const answer = ended?.answer ?? empty
		const parts = ended && { facts: ended.facts, answer: call.bare ? empty : answer }
		const work = { facts, bytes, answer, parts, rules, rows, isBare: call.bare }
		const body = call.bare || bytes.length === 0 ? null : bodyOf(facts, bytes)
		return body instanceof Promise
			? body.then((read) => this.#withBody(work, read))
			: this.#withBody(work, body)
	}

	#withBody(work: Work, body: CallBody | null): Promise<void> | void {
		const { facts, parts, rules, rows, isBare } = work
		const draft = draftOf(facts, body)
		if (parts === null) return rows.span(spanOf(draft, rules))
		const read = isBare ? null : this.#readRequest(facts, parts.facts, draft, body, rules)
		if (isEncoded(parts))
			return readUnpacked(facts, parts, read !== null).then((unpacked) =>
				this.#complete(work, draft, read, unpacked),
			)
		this.#complete(work, draft, read, null)
	}

	#complete(work: Work, draft: SpanRow, read: ReadRequest | null, unpacked: Unpacked | null): void {
		const { facts, bytes, answer, rules, rows } = work
		const parts = work.parts as Ended
		const session = this.#sessionOf(read, draft)
		if (session !== '') draft.sessionId = session
		const reading = unpacked ? unpacked.reading : readingOf(facts, parts)
		const hashes = parts.facts.hashes ?? hashesOf(bytes, answer, parts.facts.passedBytes)
		const row = outcomeRow(draft, parts.facts.end, reading, hashes, this.#priceCall)
		if (read) {
			// Answers of chat calls are never continued by id.
			if (read.request.freshSession && facts.target?.surface?.operation !== 'chat')
				this.#conversations.noteAnswer(read.request.caller, reading?.responseId ?? '', row.sessionId)
			const uses = this.#addContents(row, read, () => unpacked?.messages ?? messagesIn(parts), rules, rows)
			if (mayBeRetried(row))
				this.#conversations.noteFailed(read.links, askedOf(draft), {
					session: row.sessionId,
					endMs: endMsOf(row),
				})
			if (read.request.freshSession)
				this.#conversations.noteToolUses(read.request.caller, uses, row.sessionId)
		}
		rows.span(spanOf(row, rules))
	}

	/** The session that a call continues, by its announced facts. Idempotent. */
	async ask(announced: unknown): Promise<string> {
		const { facts, body: bytes } = decodeFacts<AnnouncedFacts>(Buffer.from(announced as Uint8Array))
		const body = bytes.length === 0 ? null : await bodyOf(facts, bytes)
		const draft = draftOf(facts, body)
		const read = this.#readRequest(facts, { keepsTexts: false }, draft, body, noRules)
		return this.#sessionOf(read, draft)
	}

	#sessionOf(read: ReadRequest | null, draft: SpanRow): string {
		if (!read?.links) return ''
		return this.#conversations.sessionOf(read.links, read.request.freshSession, askedOf(draft))
	}

	#readRequest(
		{ call }: AnnouncedFacts,
		{ keepsTexts }: Pick<EndedFacts, 'keepsTexts'>,
		draft: SpanRow,
		body: CallBody | null,
		{ textRules }: Pick<WorkspaceRules, 'textRules'>,
	): ReadRequest | null {
		if (keepsTexts === undefined || !body?.json) return null
		const { workspaceId, credentialId } = call
		const request = {
			workspaceId,
			caller: `${workspaceId} ${credentialId} ${draft.userId}`,
			day: dayOf(startMsOf(draft)),
			freshSession: draft.sessionId === '' ? `${inferred}${draft.spanId}` : '',
			keepsTexts,
			rules: textRules,
		}
		try {
			const { plain, json } = body
			if (!isObject(plain)) return null
			const goesOn = goingOn.find((name) => body.member(name) !== undefined)
			const answerId = goesOn ? textOr(body.fields(new Set([goesOn]))?.get(goesOn), '') : ''
			return readRequest(request, new RequestItems({ plain, ...json }), answerId, this.#items)
		} catch {
			// A call that cannot be analysed is recorded without contents.
			return null
		}
	}

	/** Returns the tool uses of the answer. */
	#addContents(
		row: SpanRow,
		read: ReadRequest,
		messages: () => AnswerReader['messages'],
		{ retentionDays, textRules }: WorkspaceRules,
		rows: RowSink,
	): readonly ToolUse[] {
		const { workspaceId, traceId, spanId, startNs, sessionId, userId } = row
		try {
			const { contents, texts } = contentsOf(read, messages(), this.#known)
			rows.exchange({ workspaceId, traceId, spanId, startNs, sessionId, userId, ...contents }, retentionDays)
			if (texts.length > 0) rows.texts(row, redactTexts(texts, textRules), retentionDays)
			return contents.toolUses
		} catch {
			rows.rollBack()
			this.forget()
			return []
		}
	}
}

const askedOf = (draft: SpanRow) => ({ model: draft.modelRequested, startMs: startMsOf(draft) })
const startMsOf = ({ startNs }: SpanRow) => Number(startNs / 1_000_000n)
const endMsOf = ({ startNs, durationNs }: SpanRow) => Number((startNs + durationNs) / 1_000_000n)

/** Answers of these statuses are retried by the clients of OpenAI, Anthropic and Google, as are those of servers in trouble. */
const retriedStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429])

/** Whether a call failed in such a way that its client probably makes it again. */
function mayBeRetried({ status, httpStatus }: SpanRow): boolean {
	return status === 'error' && (httpStatus === null || httpStatus >= 500 || retriedStatuses.has(httpStatus))
}

const dayMs = 24 * 60 * 60 * 1000
let lastDay = { number: -1, text: '' }

/** `yyyy-mm-dd`. Cached, because nearly all calls are on the same day. */
function dayOf(atMs: number): string {
	const number = Math.floor(atMs / dayMs)
	if (number !== lastDay.number) lastDay = { number, text: toIso(atMs).slice(0, 10) }
	return lastDay.text
}

/** Fields of OpenAI's responses and Google's interactions. */
const goingOn = ['previous_response_id', 'previous_interaction_id'] as const

function isObject(plain: Buffer): boolean {
	let at = 0
	while ((plain[at] ?? 33) <= 32) at += 1
	return plain[at] === 0x7b
}

const noRules = { textRules: undefined }
const empty = Buffer.alloc(0)
const nobodyListens = { onProgress: () => undefined }

/** The body as its provider read it; null if it cannot be read. */
function bodyOf({ call }: AnnouncedFacts, bytes: Buffer): CallBody | null | Promise<CallBody | null> {
	const body = CallBody.readAtOnce(call.headers, bytes)
	return body ?? CallBody.read(call.headers, bytes, bodyLimitBytes).catch(() => null)
}

function draftOf(
	{ call, target, requestBytes, fault, fields }: AnnouncedFacts,
	body: CallBody | null,
): SpanRow {
	const values = fields ? new Map(Object.entries(fields)) : body?.fields(recordedFields)
	const facts = { ...call, startNs: BigInt(call.startNs), onDisconnect: 'abort' as const }
	return draftRow(facts, target, { values, bytes: requestBytes, fault: fault ?? body?.fault ?? null })
}

/** Whether the answer must be decoded to be read. */
function isEncoded({ facts, answer }: Ended): boolean {
	const { encoding } = facts.answer
	return answer.length > 0 && encoding !== '' && encoding !== 'identity'
}

/** What was read of a decoded answer. `messages` is null if they are not needed. */
interface Unpacked {
	reading: RowReading | null
	messages: AnswerReader['messages'] | null
}

async function readUnpacked(facts: AnnouncedFacts, ended: Ended, readsMessages: boolean): Promise<Unpacked> {
	const reader = readerOf(facts, ended)
	if (reader) await teeAlong(reader, ended)
	const answer = readsMessages ? new AnswerReader(ended.facts.answer.listed) : null
	if (answer) await teeAlong(answer, ended)
	return { reading: reader?.reading ?? ended.facts.reading ?? null, messages: answer?.messages ?? null }
}

/** Null if the answer was read on its way, or there is nothing to read. */
function readerOf({ target, call }: AnnouncedFacts, ended: Ended): ResponseReader | null {
	if (ended.facts.reading || !target?.surface || ended.answer.length === 0) return null
	const provider = ended.facts.end.step?.provider ?? (call.provider as Provider)
	return providers[provider].newReader(target.surface)
}

function readingOf(facts: AnnouncedFacts, ended: Ended): RowReading | null {
	const reader = readerOf(facts, ended)
	if (!reader) return ended.facts.reading ?? null
	readAlong(reader, ended)
	return reader.reading
}

/** The messages of the answer. */
function messagesIn(ended: Ended): AnswerReader['messages'] {
	const { listed } = ended.facts.answer
	if (!listed && ended.members === undefined) ended.members = membersOf(ended)
	const whole = !listed && ended.members ? AnswerReader.messagesOf(ended.members) : null
	if (whole) return whole
	const reader = new AnswerReader(listed)
	readAlong(reader, ended)
	return reader.messages
}

function readAlong(reader: ResponseReader, ended: Ended): void {
	if (ended.members === undefined) ended.members = reader.listed ? null : membersOf(ended)
	if (ended.members) readMembers(reader, ended.members)
	else void teeAlong(reader, ended)
}

/** Returns a promise only if the answer must be decoded. */
function teeAlong(reader: ResponseReader, { facts, answer }: Ended): Promise<void> | void {
	const tee = new ResponseTee(facts.answer.contentType, facts.answer.encoding, reader, nobodyListens)
	tee.write(answer)
	return tee.end()
}

/** Parsed once for all readers. Null for an event stream, an encoded answer, or anything but an object. */
function membersOf({ facts, answer }: Ended): Readonly<Record<string, unknown>> | null {
	const { contentType, encoding } = facts.answer
	return encoding === '' || encoding === 'identity' ? membersIn(contentType, answer) : null
}

/** The hashes of bodies that passed unchanged, except for a part that the client did not wait for. */
function hashesOf(request: Buffer, response: Buffer, passedBytes: number): BodyHashes {
	const sent = hashOf(request)
	const whole = hashOf(response)
	const passed = passedBytes === response.length ? whole : hashOf(response.subarray(0, passedBytes))
	return { request: sent, requestSent: sent, response: whole, responsePassed: passed }
}

function hashOf(bytes: Buffer): string {
	return bytes.length === 0 ? '' : hash('sha256', bytes, 'hex')
}

/** `row` belongs to this call alone and is modified. */
function spanOf(row: SpanRow, { retentionDays, rules }: WorkspaceRules): SpanRow {
	row.retentionDays = retentionDays
	return redactCall(row, rules)
}
