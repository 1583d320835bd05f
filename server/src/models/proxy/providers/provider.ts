import type { IncomingHttpHeaders } from 'node:http'
import type { Usage, UsageLine } from '../../../ledger/ledger.ts'
import type { Clock } from '../../../platform/clock.ts'
import { Problem } from '../../../platform/errors.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import type { OwnKeys } from '../caller-keys.ts'

/** What a path of a provider's API does. */
export interface Surface {
	/** As in the name of the span: `chat`, `embeddings`, `count_tokens`, `models`, … */
	operation: string
	/** Whether a model runs and tokens are used. */
	modelCall: boolean
	/** Whether the path is open with a stored key. */
	listed: boolean
	/** The model that the path names. */
	model?: string
	/** The stored object that the path names: with a stored key it is open to the agent that made it. */
	object?: string
	/** Whether the body may name stored objects. */
	refers?: true
	/** The fields of the body that name stored objects of any form, here or in what they hold. */
	namesIn?: readonly string[]
	/** Whether the answer names objects that belong to the caller from now on. */
	creates?: true
	/** Whether it begins a batch, whose usage is reported with its results. */
	defers?: true
	/** Whether the answer may hold results of what was deferred. */
	results?: true
	/** The wire format, where a provider carries those of others. */
	format?: string
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
	/** Whether `usage` covers the whole response: false while a stream has reported only of its start. */
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
	/** Ids of objects that the provider has stored for this caller. */
	objects: Set<string>
	/** The object of the provider that tells later what it used: a batch, a response in the background; '' where there is none. */
	deferred: string
	/** Results of such that nobody has taken yet. */
	results: ReadResult[]
}

/** What one result of a deferred call says of itself. */
export interface ReadResult {
	/** Unique among the results of the call. */
	key: string
	reading: Reading
}

/** Reads one response: `onEvent` for streams of events, `onBody` once for JSON. */
export interface ResponseReader {
	/** Top-level fields of a JSON body that it wants. */
	readonly fields: ReadonlySet<string>
	/** Whether a JSON body is a stream: a list of objects, each of which is an event. */
	readonly listed?: boolean
	/** The field of a JSON body in whose lists the events stand. */
	readonly list?: string
	readonly reading: Reading
	onEvent(data: string, name: string): void
	onBody(fields: ReadonlyMap<string, unknown>): void
}

/** Headers, name and value in turn. */
export type HeaderList = readonly string[]

/** A request as it leaves, for credentials that prove themselves by a signature. */
export interface OutgoingRequest {
	method: string
	origin: string
	/** With the query string. */
	path: string
	body: Buffer
}

/** What credentials may use to become headers. */
export interface CredentialTools {
	fetch: SafeFetch['fetch']
	clock: Clock
}

/** A request that costs nothing and shows whether a provider takes a credential. */
export interface Probe {
	method: 'GET' | 'POST'
	/** Without a version where the base URL may hold it. */
	path: string
	headers?: Readonly<Record<string, string>>
	body?: string
	/** How many models the answer lists; null when it is not such an answer. */
	modelsIn?(body: unknown): number | null
	/** Statuses other than 200 that only an accepted credential gets. */
	accepted?: readonly number[]
}

/** Everything that the proxy must know about one dialect; each provider's folder has the same files. */
export interface ModelProvider {
	/** The headers that carry or prove a stored credential. */
	authorize(
		credential: string,
		request: OutgoingRequest,
		tools: CredentialTools,
	): HeaderList | Promise<HeaderList>
	/** Whether `authorize` looks at nothing but the credential and the path, and answers at once. */
	readonly authorizesByPath?: true
	/** The headers that carry the caller's own key; empty when the query string has it, null when there is none. */
	ownKeyHeaders(own: OwnKeys): HeaderList | null
	/** `path` is without a leading `v1/`. */
	surfaceOf(method: string, path: string): Surface | null
	/** Why a path is not for this stored credential; null when it is. */
	refusePath?(credential: string, path: string): string | null
	/** Why a request is not open with a stored key; null when it is. `path` as it was sent. */
	refuseRequest?(path: string, headers: IncomingHttpHeaders): string | null
	/** Stored objects that a text names; only of a whole document of JSON can be said what is none. */
	referencesIn?(text: string, isDocument: boolean): readonly string[]
	newReader(surface: Surface): ResponseReader
	errorBody(problem: Problem, requestId: string): unknown
	/** A whole event that ends a stream with an error. */
	errorEvent(problem: Problem, requestId: string, surface: Surface): string | Buffer
	probe(credential: string): Probe
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
		objects: new Set(),
		deferred: '',
		results: [],
	}
}

/** Why a call was cut, as a field of an error in a provider's shape; nothing for other errors. */
export function reasonOf({ code, cause }: Problem): { reason?: string } {
	return code === 'call_cut' && cause instanceof Problem ? { reason: cause.code } : {}
}

/** Counts the members of a list that an answer has under this name. */
export function countIn(name: string): NonNullable<Probe['modelsIn']> {
	return (body) => {
		const list = (body as Record<string, unknown> | null)?.[name]
		return Array.isArray(list) ? list.length : null
	}
}

/** Readers of values whose type the wire promises but nobody guarantees. */

export type Fields = Record<string, unknown>

export function fieldsIn(value: unknown): Fields | null {
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

export function textOr(value: unknown, otherwise: string): string {
	return typeof value === 'string' && value !== '' ? value : otherwise
}

/** A token count; null for anything that is none. */
export function countOrNull(value: unknown): number | null {
	return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

export function countOr0(value: unknown): number {
	return countOrNull(value) ?? 0
}

export function parseFields(text: string): Fields | null {
	try {
		return fieldsIn(JSON.parse(text))
	} catch {
		return null
	}
}

export function utf8Bytes(value: unknown): number {
	return typeof value === 'string' ? Buffer.byteLength(value) : 0
}

export function sumOf(quantities: Readonly<Record<string, number>>): number {
	return Object.values(quantities).reduce((total, quantity) => total + quantity, 0)
}

/**
 * Reads the results of a batch, a JSON object on each line, or in the lists of a field of one object; `resultIn` finds null in
 * one that is no answer.
 */
export function newResultsReader(
	resultIn: (line: Fields) => ReadResult | null,
	list?: string,
): ResponseReader {
	const reading = newReading()
	return {
		fields: new Set(),
		listed: true,
		...(list !== undefined && { list }),
		reading,
		onBody: () => {},
		onEvent: (text) => {
			const line = parseFields(text)
			const result = line && resultIn(line)
			// What failed or expired is not billed.
			if (result?.reading.usage) reading.results.push(result)
		},
	}
}

const nanoPerUsd = 1e9
/** No answer costs more: what says so is no amount of dollars. */
const mostUsd = 1e6
/** Of a dollar, as xAI counts. */
const ticksPerUsd = 1e10

/** A line with what a usage object says that the answer cost, which may be nothing at all; none where it does not say. */
export function reportedCost(usage: Fields): UsageLine[] {
	const quantity = costIn(usage)
	return quantity === null ? [] : [{ dimension: 'reported_cost', quantity, iteration: 0, model: '' }]
}

/** In nano-dollars; null where it does not say. */
function costIn({ cost, cost_details, is_byok, cost_in_usd_ticks: ticks }: Fields): number | null {
	if (typeof ticks === 'number') return nanoOf(ticks / ticksPerUsd)
	// OpenRouter and Vercel give a number, Perplexity the parts and their sum.
	const told = nanoOf(fieldsIn(cost)?.total_cost ?? cost)
	if (is_byok !== true) return told
	// With a key of one's own OpenRouter bills its fee, and whoever runs the model the rest.
	const rest = nanoOf(fieldsIn(cost_details)?.upstream_inference_cost)
	// No fee says nothing of what the model cost.
	return rest === null && told === 0 ? null : (told ?? 0) + (rest ?? 0)
}

function nanoOf(usd: unknown): number | null {
	return typeof usd === 'number' && usd >= 0 && usd <= mostUsd ? Math.round(usd * nanoPerUsd) : null
}
