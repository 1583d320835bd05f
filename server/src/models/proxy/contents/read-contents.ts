import { hash } from 'node:crypto'
import { RecentMap } from '../../../platform/recent-map.ts'
import { compileOwnPattern, type OwnPattern } from '../../../platform/redaction/own-pattern.ts'
import { redact } from '../../../platform/redaction/redact.ts'
import type { Exchange, StoredText, TextRules } from '../../../telemetry/index.ts'
import type { Fields } from '../providers/provider.ts'
import type { RequestItems } from './request-items.ts'
import {
	type KnownItems,
	type Piece,
	type TakenApart,
	takeApart,
	toolTrafficIn,
	toPiece,
} from './take-apart.ts'

/** Conversations that are remembered. */
const mostConversations = 50_000

/** By which a request is known to those that go on with it, and those that it may go on with, the nearest first. */
interface ConversationLinks {
	own: string
	earlier: readonly string[]
	/** Of the tool uses of which it carries the results. */
	uses: readonly string[]
}

/**
 * Knows conversations by their messages: a request that goes on where an earlier one of the same caller stopped is of the
 * same session. Two that begin alike are distinguished once they differ, or by the ids of the tool uses that they were
 * answered; until then neither is guessed at.
 */
export class Conversations {
	/** Sessions by the messages of their last request; null: of several. */
	readonly #sessions = new RecentMap<string, string | null>(mostConversations)
	/** The same by the tool uses of answers. */
	readonly #usedBy = new RecentMap<string, string | null>(mostConversations)

	/** The session of a request; `fresh` is given to one that goes on with none. '' for no conversation. */
	sessionOf(links: ConversationLinks | null, fresh: string): string {
		if (!links) return ''
		const used = links.uses.find((use) => this.#usedBy.get(use))
		const known = links.earlier.find((link) => this.#sessions.get(link) !== undefined)
		const session = (used && this.#usedBy.get(used)) ?? (known && this.#sessions.get(known)) ?? fresh
		remember(this.#sessions, links.own, session)
		return session
	}

	/** Later requests may go on with an answer by its id alone. */
	noteAnswer(caller: string, answerId: string, session: string): void {
		if (answerId && session) remember(this.#sessions, keyOfAnswer(caller, answerId), session)
	}

	/** Later requests carry the results of these tool uses. */
	noteToolUses(caller: string, uses: readonly { id: string }[], session: string): void {
		if (session) for (const key of keysOfUses(caller, uses)) remember(this.#usedBy, key, session)
	}
}

/** What several sessions have in common tells nothing of any of them. */
function remember(sessions: RecentMap<string, string | null>, key: string, session: string): void {
	const known = sessions.get(key)
	sessions.set(key, known === undefined || known === session ? session : null)
}

/** Of a request by its pieces; null for no conversation. `answerId`: the answer that it says it goes on with. */
function linksOf(caller: string, { parts, results }: TakenApart, answerId: string): ConversationLinks | null {
	const earlier: string[] = []
	let own = caller
	let isConversation = false
	for (const piece of parts) {
		const { kind, name } = piece
		if (kind !== 'message' && (kind !== 'system' || name === 'attribution')) continue
		isConversation ||= kind === 'message'
		// What follows the messages of an earlier request must be an answer.
		if (own !== caller && answerNames.has(name)) earlier.push(own)
		own = linkOf(own, piece)
	}
	if (!isConversation) return null
	if (answerId) earlier.push(keyOfAnswer(caller, answerId))
	return { own, earlier: earlier.reverse(), uses: keysOfUses(caller, results.slice(-mostUses).reverse()) }
}

/** Any one of the last results tells which answer asked for it. */
const mostUses = 3
/** Shorter ids count the tool uses of one conversation, or are none. Mistral's are as short as this. */
const leastIdLength = 9

function keysOfUses(caller: string, uses: readonly { id: string }[]): string[] {
	return uses
		.filter(({ id }) => id.length >= leastIdLength)
		.map(({ id }) => hash('sha256', `${caller} use ${id}`, 'base64url'))
}

/** A piece that is known comes again behind the same ones mostly, since each turn sends the whole conversation. */
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

/** Of messages of the model, and of what OpenAI's responses and Google's interactions have as items of their own. */
const answerNames: ReadonlySet<string> = new Set([
	...['assistant', 'model', 'function_call', 'reasoning', 'model_output', 'thought'],
])

type Compiled = { own: OwnPattern; label: string }[]

const compiled = new Map<string, Compiled>()
const mostCompiled = 200

export function redactTexts(texts: readonly StoredText[], rules: TextRules | undefined): StoredText[] {
	return texts.map(({ hash, text }) => ({ hash, text: redactText(text, rules) }))
}

/** A text without what is private for everyone, and without what its workspace's own rules find. */
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
	if (compiled.size >= mostCompiled) compiled.clear()
	compiled.set(key, fresh)
	return fresh
}

const limit = 100_000

/** Texts of which the table has one of the day; forgetting costs a second copy, which merges take away. */
export class KnownTexts {
	/** By hash, which no two workspaces have in common, the day of which there is one. */
	readonly #days = new RecentMap<string, string>(limit)
	/** Stands in pieces of which the text is there. */
	#stored = { day: '' }

	/** Those that were not there before; a text that is used stays known. */
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

	/** After a write that failed, nobody knows which are there. */
	forget(): void {
		this.#days.clear()
		this.#stored = { day: '' }
	}
}

/** Longer texts are cut; their size and hash are of the whole. */
const textLimit = 256 * 1024

/** What is to be known of a request beside its body. */
interface RequestOfCall {
	workspaceId: string
	/** Within whom conversations are distinguished. */
	caller: string
	/** `yyyy-mm-dd` on which texts are stored. */
	day: string
	/** The session to begin where the request goes on with none; '' where its client names its own. */
	freshSession: string
	/** Whether texts are stored, or fingerprints alone. */
	keepsTexts: boolean
	/** What the workspace itself takes out of texts. */
	rules: TextRules | undefined
}

type Contents = Pick<Exchange, 'parts' | 'toolUses' | 'results' | 'cacheMarks' | 'cacheSeconds'>

/** What a call carried, and those of its texts that are not stored yet. */
interface ReadContents {
	contents: Contents
	texts: StoredText[]
}

/** A request that was taken apart. */
export interface ReadRequest {
	request: RequestOfCall
	apart: TakenApart
	/** Null where its session is not wanted, or it is no conversation. */
	links: ConversationLinks | null
}

/** `answerId`: the answer that it says it goes on with; ''. */
export function readRequest(
	request: RequestOfCall,
	items: RequestItems,
	answerId: string,
	known: KnownItems,
): ReadRequest {
	const apart = takeApart(items, request.workspaceId, known)
	return {
		request,
		apart,
		links: request.freshSession ? linksOf(request.caller, apart, answerId) : null,
	}
}

/** A request with the messages of its answer; the texts that are not known yet, as they were sent. */
export function contentsOf(
	{ request, apart }: ReadRequest,
	messages: readonly Fields[],
	known: KnownTexts,
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

function newTexts(request: RequestOfCall, pieces: readonly Piece[], known: KnownTexts): StoredText[] {
	return known
		.takeNew(request.day, pieces)
		.map(({ hash, text }) => ({ hash, text: text.slice(0, textLimit) }))
}
