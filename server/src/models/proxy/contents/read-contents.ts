import { hash } from 'node:crypto'
import { RecentMap } from '../../../platform/recent-map.ts'
import { compileOwnPattern, type OwnPattern } from '../../../platform/redaction/own-pattern.ts'
import { redact } from '../../../platform/redaction/redact.ts'
import type { Exchange, StoredText, TextRules } from '../../../telemetry/index.ts'
import type { Fields } from '../providers/provider.ts'
import type { RequestItems } from './request-items.ts'
import {
	type ItemCache,
	type Piece,
	type SplitRequest,
	splitRequest,
	toolTrafficIn,
	toPiece,
} from './split-request.ts'

/** The number of conversations that are remembered. */
const maxConversations = 50_000
/** How long after a failed call, at most, its retry begins. Clients wait for a minute at most. */
const retriedWithinMs = 2 * 60 * 1000

/** The number of such calls that are remembered for the same messages, besides the last one. */
const maxFailed = 63

/** A call that asks for its session. */
interface AskedCall {
	model: string
	startMs: number
}

/** A call that failed before it was answered. */
interface FailedCall {
	session: string
	endMs: number
}

/** The key under which later requests find this one, and the keys of earlier requests that it may continue, nearest first. */
interface ConversationLinks {
	own: string
	earlier: readonly string[]
	/** The keys of the tool uses whose results it contains. */
	uses: readonly string[]
}

/**
 * Recognises conversations by their messages: a request that continues an earlier one of the same caller belongs to the same
 * session. Two conversations with the same beginning are distinguished once they differ, or by the ids of the tool uses in their
 * answers; until then no session is guessed. A call that failed has not begun a conversation, so the next one with the same messages
 * and model is its retry, and takes its session.
 */
export class Conversations {
	/** Sessions by the key of their last request's messages; null if there are several. */
	readonly #sessions = new RecentMap<string, string | null>(maxConversations)
	/** The same by the tool uses in answers. */
	readonly #usedBy = new RecentMap<string, string | null>(maxConversations)
	/** Calls that failed and were not retried yet, by the key of their messages. */
	readonly #failed = new RecentMap<string, readonly FailedCall[]>(maxConversations)
	/** The sessions of retries, by the ones that these would have had. */
	readonly #retried = new RecentMap<string, string>(maxConversations)

	/** The session of a request. `fresh` is used for one that continues no other. '' if it is not a conversation. */
	sessionOf(links: ConversationLinks | null, fresh: string, asked: AskedCall): string {
		if (!links) return ''
		const used = links.uses.find((use) => this.#usedBy.get(use))
		const known = links.earlier.find((link) => this.#sessions.get(link) !== undefined)
		const continued = (used && this.#usedBy.get(used)) ?? (known && this.#sessions.get(known))
		const session = continued ?? this.#sessionOfRetried(failedKey(links, asked), fresh, asked.startMs)
		remember(this.#sessions, links.own, session)
		return session
	}

	/** Each failed call is retried by one other, which begins after its end. A request asks more than once. */
	#sessionOfRetried(key: string, fresh: string, startMs: number): string {
		const known = this.#retried.get(fresh)
		if (known !== undefined) return known
		const recent = this.#failed.get(key)?.filter(({ endMs }) => startMs - endMs <= retriedWithinMs) ?? []
		const first = recent.find(({ endMs }) => endMs <= startMs)
		if (!first) return fresh
		this.#failed.set(
			key,
			recent.filter((call) => call !== first),
		)
		this.#retried.set(fresh, first.session)
		return first.session
	}

	/** Records a call that failed and may be retried. */
	noteFailed(links: ConversationLinks | null, asked: Pick<AskedCall, 'model'>, failed: FailedCall): void {
		if (!links) return
		const key = failedKey(links, asked)
		this.#failed.set(key, [...(this.#failed.get(key) ?? []).slice(-maxFailed), failed])
	}

	/** Records an answer, because later requests may continue it by its id only. */
	noteAnswer(caller: string, answerId: string, session: string): void {
		if (answerId && session) remember(this.#sessions, keyOfAnswer(caller, answerId), session)
	}

	/** Records tool uses, because later requests contain their results. */
	noteToolUses(caller: string, uses: readonly { id: string }[], session: string): void {
		if (session) for (const key of keysOfUses(caller, uses)) remember(this.#usedBy, key, session)
	}
}

const failedKey = ({ own }: ConversationLinks, { model }: Pick<AskedCall, 'model'>) => `${own} ${model}`

/** A key that several sessions share identifies none of them. */
function remember(sessions: RecentMap<string, string | null>, key: string, session: string): void {
	const known = sessions.get(key)
	sessions.set(key, known === undefined || known === session ? session : null)
}

/** The links of a request, from its pieces; null if it is not a conversation. `answerId`: the answer that it continues by id. */
function linksOf(
	caller: string,
	{ parts, results }: SplitRequest,
	answerId: string,
): ConversationLinks | null {
	const earlier: string[] = []
	let own = caller
	let isConversation = false
	for (const piece of parts) {
		const { kind, name } = piece
		if (kind !== 'message' && (kind !== 'system' || name === 'attribution')) continue
		isConversation ||= kind === 'message'
		// After the messages of an earlier request there must be an answer.
		if (own !== caller && answerNames.has(name)) earlier.push(own)
		own = linkOf(own, piece)
	}
	if (!isConversation) return null
	if (answerId) earlier.push(keyOfAnswer(caller, answerId))
	return { own, earlier: earlier.reverse(), uses: keysOfUses(caller, results.slice(-maxUses).reverse()) }
}

/** The results at the end of a request all belong to the same answer, so a few of them suffice. */
const maxUses = 3
/** Shorter ids are mere counters within one conversation, or not ids at all. Mistral's have this length. */
const minIdLength = 9

function keysOfUses(caller: string, uses: readonly { id: string }[]): string[] {
	return uses
		.filter(({ id }) => id.length >= minIdLength)
		.map(({ id }) => hash('sha256', `${caller} use ${id}`, 'base64url'))
}

/** The link is cached in the piece: it usually recurs after the same pieces, because each turn sends the whole conversation. */
function linkOf(before: string, piece: Piece): string {
	if (piece.linkBefore !== before) {
		piece.link = hash('sha256', before + piece.hash, 'hex')
		piece.linkBefore = before
	}
	return piece.link
}

function keyOfAnswer(caller: string, answerId: string): string {
	return hash('sha256', `${caller} answer ${answerId}`, 'base64url')
}

/** Names of the model's messages, and of the separate items in OpenAI's responses and Google's interactions. */
const answerNames: ReadonlySet<string> = new Set([
	...['assistant', 'model', 'function_call', 'reasoning', 'model_output', 'thought'],
])

type Compiled = { own: OwnPattern; label: string }[]

const compiled = new Map<string, Compiled>()
const maxCompiled = 200

/** The texts as they are stored: redacted and then truncated. */
export function redactTexts(texts: readonly StoredText[], rules: TextRules | undefined): StoredText[] {
	return texts.map(({ hash, text }) => ({ hash, text: redactText(text, rules).slice(0, textLimit) }))
}

/** A text redacted by the global rules and by its workspace's own rules. */
function redactText(text: string, rules: TextRules | undefined): string {
	let left = redact(text).text
	for (const { own, label } of rules ? patternsOf(rules) : [])
		left = own.replace(left, label, () => undefined)
	return left
}

function patternsOf({ key, patterns }: TextRules): Compiled {
	const known = compiled.get(key)
	if (known) return known
	const fresh = patterns.map(({ pattern, label }) => ({ own: compileOwnPattern(pattern), label }))
	if (compiled.size >= maxCompiled) compiled.clear()
	compiled.set(key, fresh)
	return fresh
}

const limit = 100_000

/**
 * Texts of which the table has a row for the current day. A text that is forgotten is stored twice, until the table merges the
 * copies.
 */
export class StoredTextCache {
	/** By hash, which is different in each workspace: the day for which the text is stored. */
	readonly #days = new RecentMap<string, string>(limit)
	/** Marks pieces whose text is known to be stored. Replaced each day. */
	#stored = { day: '' }

	/** The pieces whose texts are not stored yet. Using a text keeps it in the cache. */
	takeNew(day: string, pieces: readonly Piece[]): Piece[] {
		if (this.#stored.day !== day) this.#stored = { day }
		const fresh: Piece[] = []
		for (const piece of pieces) {
			if (piece.stored === this.#stored) continue
			piece.stored = this.#stored
			if (this.#days.get(piece.hash) !== day) fresh.push(piece)
			this.#days.set(piece.hash, day)
		}
		return fresh
	}

	/** Called after a failed write, when it is unknown which texts are stored. */
	forget(): void {
		this.#days.clear()
		this.#stored = { day: '' }
	}
}

/** Longer texts are truncated; size and hash are of the whole text. */
const textLimit = 256 * 1024
/** What is searched beyond the limit, so that a secret that it would cut in two is found. Longer than any usual key or token. */
const searchedBeyond = 16 * 1024

/** The facts about a request other than its body. */
interface RequestOfCall {
	workspaceId: string
	/** Conversations are distinguished within one caller. */
	caller: string
	/** The day for which texts are stored, `yyyy-mm-dd`. */
	day: string
	/** The session for a request that continues no other; '' if its client names its own. */
	freshSession: string
	/** Whether texts are stored, or only fingerprints. */
	keepsTexts: boolean
	/** The workspace's own redaction rules. */
	rules: TextRules | undefined
}

type Contents = Pick<Exchange, 'parts' | 'toolUses' | 'results' | 'cacheMarks' | 'cacheSeconds'>

/** The contents of a call, and those texts that are not stored yet. */
interface ReadContents {
	contents: Contents
	texts: StoredText[]
}

/** A request split into its pieces. */
export interface ReadRequest {
	request: RequestOfCall
	apart: SplitRequest
	/** Null if its session is not needed, or it is not a conversation. */
	links: ConversationLinks | null
}

/** `answerId`: the answer that the request continues by id, or ''. */
export function readRequest(
	request: RequestOfCall,
	items: RequestItems,
	answerId: string,
	known: ItemCache,
): ReadRequest {
	const apart = splitRequest(items, request.workspaceId, known)
	return {
		request,
		apart,
		links: request.freshSession ? linksOf(request.caller, apart, answerId) : null,
	}
}

/** The contents of a request with the messages of its answer. New texts are returned as they were sent, for `redactTexts`. */
export function contentsOf(
	{ request, apart }: ReadRequest,
	messages: readonly Fields[],
	known: StoredTextCache,
): ReadContents {
	const { workspaceId } = request
	const answers = messages.map((message) =>
		toPiece('answer', 'assistant', JSON.stringify(message), workspaceId),
	)
	const pieces = [...apart.parts, ...answers]
	const contents = {
		parts: pieces,
		toolUses: messages.flatMap((message) => toolTrafficIn(message, workspaceId).uses),
		results: apart.results,
		cacheMarks: apart.cacheMarks,
		cacheSeconds: apart.cacheSeconds,
	}
	return { contents, texts: request.keepsTexts ? newTexts(request, pieces, known) : [] }
}

function newTexts(request: RequestOfCall, pieces: readonly Piece[], known: StoredTextCache): StoredText[] {
	return known
		.takeNew(request.day, pieces)
		.map(({ hash, text }) => ({ hash, text: text.slice(0, textLimit + searchedBeyond) }))
}
