import type { Exchange, StoredText, TextRules } from '../../telemetry/index.ts'

/** What the thread is told, several in a message; `id` is of the call. */
export type ContentsJob =
	| { id: number; kind: 'request'; request: RequestBody }
	| { id: number; kind: 'answer'; answer: AnswerBody }
	| { id: number; kind: 'drop' }
	| { id: 0; kind: 'forget' }

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
	encoding: string
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

/** What the thread answers, several in a message; null contents: there was nothing to take apart. */
export type ContentsResult =
	| { id: number; kind: 'session'; session: string }
	| { id: number; kind: 'contents'; contents: Contents | null; texts: StoredText[] }
