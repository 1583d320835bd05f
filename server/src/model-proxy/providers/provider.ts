import type { Usage } from '../../ledger/index.ts'
import type { Problem } from '../../platform/errors.ts'

/** What a path of a provider's API does. */
export interface Surface {
	/** As in the name of the span: `chat`, `embeddings`, `count_tokens`, `models`, … */
	operation: string
	/** Whether a model runs and tokens are used. */
	modelCall: boolean
	/** Whether the path is open with a stored key. */
	listed: boolean
}

/** What can be said of a response so far. */
export interface Reading {
	model: string
	responseId: string
	serviceTier: string
	speed: string
	/** Where the model ran, if the price depends on it. */
	geo: string
	finishReason: string
	/** What the provider reported; null when it reported nothing. */
	usage: Usage | null
	/** Whether `usage` covers the whole response: false while a stream has told only of its start. */
	complete: boolean
	/** The usage object as it was reported, for a later look. */
	rawUsage: unknown
	/** Bytes of generated text, for an estimate where nothing is reported. */
	generatedBytes: number
	/** Whether a first piece of content was seen. */
	content: boolean
	/** Whether a stream came to its own end. */
	ended: boolean
	errorType: string
	errorMessage: string
}

/** Reads one response: `onEvent` for event streams, `onBody` once for JSON. */
export interface ResponseReader {
	/** Top-level fields of a JSON body that it wants. */
	readonly fields: ReadonlySet<string>
	readonly reading: Reading
	onEvent(data: string, name: string): void
	onBody(fields: ReadonlyMap<string, unknown>): void
}

/** Everything that the proxy must know about one dialect; each provider's folder has the same files. */
export interface ModelProvider {
	/** Header and value that carry a stored key. */
	keyHeader(key: string): [name: string, value: string]
	/** The headers that carry the caller's own key, from those that it sent. */
	ownKeyHeader(bearer: string | null, apiKey: string | null): [name: string, value: string] | null
	/** `path` is without a leading `v1/`. */
	surfaceOf(method: string, path: string): Surface | null
	newReader(operation: string): ResponseReader
	errorBody(problem: Problem, requestId: string): unknown
	/** A whole server-sent event that ends a stream with an error. */
	errorEvent(problem: Problem, requestId: string): string
}

export function newReading(): Reading {
	return {
		model: '',
		responseId: '',
		serviceTier: '',
		speed: '',
		geo: '',
		finishReason: '',
		usage: null,
		complete: false,
		rawUsage: null,
		generatedBytes: 0,
		content: false,
		ended: false,
		errorType: '',
		errorMessage: '',
	}
}
