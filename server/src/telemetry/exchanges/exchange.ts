/** What a piece of a model call is: `answer` is the model's, the others are of the request. */
export type PartKind = 'settings' | 'tool' | 'system' | 'message' | 'answer'

/** One piece of a model call as its row refers to it. */
export interface ExchangePart {
	kind: PartKind
	/** Of a tool its name, of a message its role. */
	name: string
	/** 32 hex digits, of the piece as it was sent, without its marks for caching. */
	hash: string
	/** Of its JSON. */
	bytes: number
	/** The same with the usual size of a picture for each picture, a measure of its tokens; absent: its bytes. */
	weight?: number
}

/** A tool that the model asked for. */
export interface ToolUse {
	id: string
	name: string
	/** See `hashOfArguments`; '' where they cannot be read. */
	argumentsHash: string
}

/** A result of a tool that a request carries. */
export interface CarriedResult {
	id: string
	name: string
	bytes: number
	/** The piece that it is in, by its place among them. */
	part: number
}

/** What one model call carried, by hashes: the row beside its span. */
export interface Exchange {
	workspaceId: string
	traceId: string
	spanId: string
	/** Of the span. */
	startNs: bigint
	sessionId: string
	userId: string
	parts: readonly ExchangePart[]
	toolUses: readonly ToolUse[]
	results: readonly CarriedResult[]
	/** How many marks for caching the request has, and the longest time they ask for, in seconds. */
	cacheMarks: number
	cacheSeconds: number
}

/** The text of a piece, stored once a day under its hash. */
export interface StoredText {
	hash: string
	/** Redacted, and cut at a limit. */
	text: string
}
