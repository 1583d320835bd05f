import type { IncomingHttpHeaders } from 'node:http'
import type { Usage, UsageLine } from '../../../ledger/ledger.ts'
import type { Clock } from '../../../platform/clock.ts'
import { Problem } from '../../../platform/errors.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import type { OwnKeys } from '../caller-keys.ts'

/** The meaning of a path of a provider's API. */
export interface Surface {
	/** The operation in the span's name: `chat`, `embeddings`, `count_tokens`, `models`, … */
	operation: string
	/** Whether a model runs and tokens are used. */
	modelCall: boolean
	/** Whether the path can be used with a stored key. */
	listed: boolean
	/** The model in the path. */
	model?: string
	/** The stored object in the path. With a stored key, only the agent that created it may use it. */
	object?: string
	/** Whether the body may name stored objects. */
	refers?: true
	/** Fields of the body that name stored objects of any form, themselves or in nested values. */
	namesIn?: readonly string[]
	/** Whether the answer names new objects, which belong to the caller. */
	creates?: true
	/** Whether files are uploaded there, in several requests if the answer's headers name an address for the next one. */
	uploads?: true
	/** Whether it begins a batch, whose usage is reported with its results. */
	defers?: true
	/** Whether the answer may contain results of deferred work. */
	results?: true
	/** The wire format, for providers that serve those of others. */
	format?: string
}

/** What was read of a response so far. */
export interface Reading {
	model: string
	responseId: string
	serviceTier: string
	speed: string
	/** The region in which the model ran, if the price depends on it. */
	geo: string
	finishReason: string
	/** The usage reported by the provider; null if it reported none. */
	usage: Usage | null
	/** Whether `usage` covers the whole response. False while a stream has reported only its start. */
	complete: boolean
	/** The usage object as reported, for later analysis. */
	rawUsage: unknown
	/** Bytes of generated text, for an estimate if no usage is reported. */
	generatedBytes: number
	/** Whether the first content has arrived. */
	content: boolean
	/** Whether a stream has reached its regular end. */
	ended: boolean
	errorType: string
	errorMessage: string
	/** Ids of objects that the provider has stored for this caller. */
	objects: Set<string>
	/** The provider's object that will report the usage later: a batch or a background response; '' if there is none. */
	deferred: string
	/** Results of deferred work that were read and not processed yet. */
	results: ReadResult[]
}

/** Whether an answer has its end, or all that a client waits for, though its connection may go on. */
export function isWhole({
	ended,
	complete,
	finishReason,
}: Pick<Reading, 'ended' | 'complete' | 'finishReason'>) {
	return ended || (complete && finishReason !== '')
}

/** One result of a deferred call. */
export interface ReadResult {
	/** Unique among the results of the call. */
	key: string
	reading: Reading
}

/** Reads one response: `onEvent` for each event of a stream, `onBody` once for JSON. */
export interface ResponseReader {
	/** The needed top-level fields of a JSON body. */
	readonly fields: ReadonlySet<string>
	/** Whether a JSON body is a stream: a list of objects, each of which is an event. */
	readonly listed?: boolean
	/** The field of a JSON body whose lists contain the events. */
	readonly list?: string
	readonly reading: Reading
	/** Called first, with the headers of the answer. Returns whether they contain something for the reading. */
	onHeaders?(headers: IncomingHttpHeaders): boolean
	onEvent(data: string, name: string): void
	onBody(fields: ReadonlyMap<string, unknown>): void
}

/** In which LiteLLM's proxy reports the cost of a whole answer. */
export const costHeader = 'x-litellm-response-cost'

/** Headers, name and value alternating. */
export type HeaderList = readonly string[]

/** An outgoing request, for credentials that sign it. */
export interface OutgoingRequest {
	method: string
	origin: string
	/** With the query string. */
	path: string
	body: Buffer
}

/** What is needed to turn credentials into headers. */
export interface CredentialTools {
	fetch: SafeFetch['fetch']
	clock: Clock
}

/** A request without cost that shows whether a provider accepts a credential. */
export interface Probe {
	method: 'GET' | 'POST'
	/** Without a version if the base URL may contain it. */
	path: string
	headers?: Readonly<Record<string, string>>
	body?: string
	/** How many models the answer lists; null if it is not a list of models. */
	modelsIn?(body: unknown): number | null
	/** Statuses other than 200 that only a valid credential gets. */
	accepted?: readonly number[]
}

/** How a provider names uploads in several requests. */
export interface Uploads {
	/** Whether a header of an answer, by its name in lower case, contains the address for the next request. */
	isAddressHeader(name: string): boolean
	/** Whether the object of a surface is one certain upload. */
	isKnown(object: string): boolean
}

/** Everything that the proxy must know about one dialect. Each provider's folder has the same files. */
export interface ModelProvider {
	/** The headers that contain a stored credential or are derived from it. */
	authorize(
		credential: string,
		request: OutgoingRequest,
		tools: CredentialTools,
	): HeaderList | Promise<HeaderList>
	/** Whether `authorize` depends only on the credential and the path, and is synchronous. */
	readonly authorizesByPath?: true
	/** The headers with the caller's own key; empty if the key is in the query string, null if there is none. */
	ownKeyHeaders(own: OwnKeys): HeaderList | null
	/** `path` is without a leading `v1/`. `search`: the query string, for providers that name uploads in it. */
	surfaceOf(method: string, path: string, search?: string): Surface | null
	/** Why a path cannot be used with this stored credential, or null. */
	refusePath?(credential: string, path: string): string | null
	/** Why a request is not allowed with a stored key, or null. */
	refuseRequest?(surface: Surface, headers: IncomingHttpHeaders, search: string): string | null
	readonly uploads?: Uploads
	/** The stored objects named in a text. Only in a complete JSON document can other uses of such texts be excluded. */
	referencesIn?(text: string, isDocument: boolean): readonly string[]
	/** Whether a document must be searched as a whole, because it may name objects that no pattern finds. */
	mayReferToItems?(surface: Surface, body: Buffer): boolean
	newReader(surface: Surface): ResponseReader
	errorBody(problem: Problem, requestId: string): unknown
	/** Where its clients look for the id of a request that failed, unless in `x-request-id`. */
	readonly requestIdHeader?: string
	/** A complete event that ends a stream with an error. */
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

/** Why a call was cut, as a field of the provider's error format; nothing for other errors. */
export function reasonOf({ code, cause }: Problem): { reason?: string } {
	return code === 'call_cut' && cause instanceof Problem ? { reason: cause.code } : {}
}

/** Returns a function that counts the members of the list in this field of an answer. */
export function countIn(name: string): NonNullable<Probe['modelsIn']> {
	return (body) => {
		const list = (body as Record<string, unknown> | null)?.[name]
		return Array.isArray(list) ? list.length : null
	}
}

/** Readers of values whose type is documented but not guaranteed. */

export type Fields = Record<string, unknown>

export function fieldsIn(value: unknown): Fields | null {
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

export function textOr(value: unknown, otherwise: string): string {
	return typeof value === 'string' && value !== '' ? value : otherwise
}

/** A token count; null for anything else. */
export function countOrNull(value: unknown): number | null {
	return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** Whether a provider gave a figure that is no count. It counts as zero. */
export function isAnyUnreadable(figures: readonly unknown[]): boolean {
	return figures.some((figure) => figure != null && countOrNull(figure) === null)
}

export function countOrZero(value: unknown): number {
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
 * Reads the results of a batch: one JSON object per line, or the lists in a field of one object. `resultIn` returns null for an
 * object that is not an answer.
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
			// Failed or expired requests are not billed.
			if (result?.reading.usage) reading.results.push(result)
		},
	}
}

const nanoPerUsd = 1e9
/** No answer costs more: a larger number is not an amount in dollars. */
const maxUsd = 1e6
/** Ticks per dollar, xAI's unit. */
const ticksPerUsd = 1e10

/** A line with the cost that a usage object reports, which may be zero. Empty if it reports none. */
export function reportedCost(usage: Fields): UsageLine[] {
	const quantity = costIn(usage)
	return quantity === null ? [] : [{ dimension: 'reported_cost', quantity, iteration: 0, model: '' }]
}

/** What LiteLLM's proxy computed as the cost of a whole answer. It writes 0 also for a model whose price it does not know. */
export function costOfLiteLlm(headers: IncomingHttpHeaders): readonly UsageLine[] {
	const cost = Number(headers[costHeader])
	return cost > 0 ? reportedCost({ cost }) : []
}

/** Adds a cost from outside the usage object, which counts if that has none. */
export function addCost(reading: Reading, cost: readonly UsageLine[]): void {
	const lines = reading.usage?.lines ?? []
	if (cost.length === 0 || lines.some(({ dimension }) => dimension === 'reported_cost')) return
	reading.usage = { inconsistent: false, ...reading.usage, lines: [...lines, ...cost] }
	reading.complete = true
}

/** In nano-dollars; null if none is reported. */
function costIn({ cost, cost_details, is_byok, cost_in_usd_ticks: ticks }: Fields): number | null {
	if (typeof ticks === 'number') return nanoOf(ticks / ticksPerUsd)
	// OpenRouter and Vercel report a number, Perplexity the parts and their sum.
	const reported = nanoOf(fieldsIn(cost)?.total_cost ?? cost)
	if (is_byok !== true) return reported
	// With the user's own key, OpenRouter bills its fee and the provider of the model bills the rest.
	const rest = nanoOf(fieldsIn(cost_details)?.upstream_inference_cost)
	// A fee of zero does not mean that the model was free.
	return rest === null && reported === 0 ? null : (reported ?? 0) + (rest ?? 0)
}

function nanoOf(usd: unknown): number | null {
	return typeof usd === 'number' && usd >= 0 && usd <= maxUsd ? Math.round(usd * nanoPerUsd) : null
}
