import type { Exchange, StoredText, TextRules } from '../../../telemetry/index.ts'
import type { ConversationLinks } from './conversations.ts'

export interface RequestBody {
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
	/** Without its encoding, and known to be JSON. */
	body: Uint8Array
}

export interface AnswerBody {
	/** As in `ResponseReader`. */
	listed: boolean
	contentType: string
	encoding: string
	body: Uint8Array
}

export type Contents = Pick<Exchange, 'parts' | 'toolUses' | 'results' | 'cacheMarks' | 'cacheSeconds'>

/** What a call carried, and those of its texts that are not stored yet. */
export interface ReadContents {
	contents: Contents
	texts: StoredText[]
}

/** What the thread is asked, several in a message; `call` is the one whose bodies they are. */
export interface ContentsQuestions {
	/** Keeps the request until its answer comes, or it is dropped. */
	request: { call: number; request: RequestBody }
	answer: { call: number; answer: AnswerBody }
	/** Texts that were taken apart elsewhere. */
	redact: { texts: readonly StoredText[]; rules: TextRules | undefined }
}

/** What it answers; null where there was nothing to take apart. */
export interface ContentsAnswers {
	request: ConversationLinks | null
	answer: ReadContents | null
	redact: StoredText[] | null
}

export type ContentsKind = keyof ContentsQuestions

export type ContentsJob =
	| { [Kind in ContentsKind]: { id: number; kind: Kind } & ContentsQuestions[Kind] }[ContentsKind]
	| { kind: 'drop'; call: number }
	/** Which texts are stored is not known any more. */
	| { kind: 'forget' }

/** Several in a message; `id` is of the question. */
export interface ContentsResult {
	id: number
	answer: ContentsAnswers[ContentsKind]
}
