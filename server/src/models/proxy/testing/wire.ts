/** What the mock provider answers: a status, and a JSON document or the frames of an event stream. */
export interface MockAnswer {
	status: number
	headers?: Record<string, string>
	json?: unknown
	/** An answer that is neither JSON nor an event stream, with its `content-type` in `headers`. */
	bytes?: Buffer
	frames?: string[]
	/** The messages of a binary event stream, instead of `frames`. */
	messages?: Buffer[]
	/** The number of frames after which the connection is cut. */
	cutAfter?: number
}

/** The fields of a request that decide the answer. */
export interface MockAsk {
	model?: string
	stream?: boolean
	stream_options?: { include_usage?: boolean }
	tools?: unknown[]
	encoding_format?: string
	input?: string | string[]
}

/** The chunks of text of every normal answer, with characters of 2 to 4 bytes on purpose. */
export const mockWords = ['Grüße', ' from', ' the', ' mock', ' – 你好', ' 👋', '!']

/** The words in an answer of this model: `slow` has a long answer. */
export function wordsFor(model: string): string[] {
	return model === 'slow' ? Array.from({ length: 400 }, (_, index) => `word${index} `) : mockWords
}

/** `error-429` → 429; null for a model that works. */
export function statusFor(model: string): number | null {
	const match = model.match(/^error-(\d{3})$/)
	return match ? Number(match[1]) : null
}
