import type { Exchange, StoredText, TextRules } from '../../../telemetry/index.ts'
import { type Fields, parseFields, textOr } from '../providers/wire-values.ts'
import { type ConversationLinks, linksOf } from './conversations.ts'
import type { KnownTexts } from './known-texts.ts'
import { type Piece, type TakenApart, takeApart, toPiece } from './take-apart.ts'
import { toolTrafficIn } from './tool-traffic.ts'

/** Longer texts are cut; their size and hash are of the whole. */
const textLimit = 256 * 1024

/** What is to be known of a request beside its body. */
export interface RequestOfCall {
	workspaceId: string
	/** Within whom conversations are told apart. */
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

export type Contents = Pick<Exchange, 'parts' | 'toolUses' | 'results' | 'cacheMarks' | 'cacheSeconds'>

/** What a call carried, and those of its texts that are not stored yet. */
export interface ReadContents {
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

/** `text`: its body without encoding. Null for one that is no JSON object. */
export function readRequest(request: RequestOfCall, text: string): ReadRequest | null {
	const body = parseFields(text)
	if (!body) return null
	const apart = takeApart(body, request.workspaceId)
	const answerId = textOr(body.previous_response_id, '')
	return {
		request,
		apart,
		links: request.freshSession ? linksOf(request.caller, apart.parts, answerId) : null,
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
	return known.takeNew(request, pieces).map(({ hash, text }) => ({ hash, text: text.slice(0, textLimit) }))
}
