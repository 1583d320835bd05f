import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type Dimension, linesOf, type Usage } from '../../../../ledger/ledger.ts'
import type { Problem } from '../../../../platform/errors.ts'
import type { OwnKeys } from '../../caller-keys.ts'
import { openai, surfaceOf as surfaceOfOpenAi } from '../openai/index.ts'
import {
	countIn,
	countOr0,
	countOrNull,
	type Fields,
	fieldsIn,
	type HeaderList,
	type ModelProvider,
	newReading,
	newResultsReader,
	type OutgoingRequest,
	parseFields,
	type Reading,
	type ReadResult,
	type ResponseReader,
	reasonOf,
	type Surface,
	sumOf,
	textOr,
	utf8Bytes,
} from '../provider.ts'
import { namesIn } from '../references.ts'
import { surfaceTable } from '../surface-table.ts'

const fields: ReadonlySet<string> = new Set([
	...['candidates', 'usageMetadata', 'modelVersion', 'responseId', 'error', 'promptFeedback'],
])
const ofBatch: ReadonlySet<string> = new Set(['name', 'error'])
const ofFile: ReadonlySet<string> = new Set(['file', 'error'])

/** Reads what Gemini answers: one object, a stream of them as events, or as the items of a JSON list. */
function newReader({ format, operation }: Omit<Surface, 'modelCall' | 'listed'>): ResponseReader {
	if (operation === 'batches/get') return newResultsReader(resultIn, 'inlinedResponses')
	const reading = newReading()
	let queries = 0

	const readCandidate = (candidate: Fields | null) => {
		const content = fieldsIn(candidate?.content)
		for (const part of Array.isArray(content?.parts) ? content.parts : []) addPart(fieldsIn(part) ?? {})
		const searched = fieldsIn(candidate?.groundingMetadata)?.webSearchQueries
		if (Array.isArray(searched)) queries = Math.max(queries, searched.length)
		reading.finishReason = textOr(candidate?.finishReason, reading.finishReason)
	}
	const addPart = (part: Fields) => {
		const call = fieldsIn(part.functionCall)
		const bytes = utf8Bytes(part.text) + (call ? utf8Bytes(JSON.stringify(call)) : 0)
		reading.generatedBytes += bytes
		reading.content ||= bytes > 0 || part.inlineData !== undefined
	}
	/** The figures grow along a stream: the last ones stand. */
	const readChunk = (chunk: Fields) => {
		for (const candidate of Array.isArray(chunk.candidates) ? chunk.candidates : [])
			readCandidate(fieldsIn(candidate))
		reading.responseId = textOr(chunk.responseId, reading.responseId)
		reading.model = textOr(chunk.modelVersion, reading.model)
		// A refused prompt has no candidate.
		reading.finishReason ||= textOr(fieldsIn(chunk.promptFeedback)?.blockReason, '')
		readError(fieldsIn(chunk.error))
		const usage = readUsage(chunk.usageMetadata, billedSearches(queries, reading.model))
		if (usage) {
			reading.usage = usage
			reading.rawUsage = chunk.usageMetadata
			reading.serviceTier = tierOf(fieldsIn(chunk.usageMetadata))
		}
		reading.complete = reading.usage !== null && reading.finishReason !== ''
	}
	const readError = (error: Fields | null) => {
		if (!error) return
		reading.errorType = textOr(error.status, 'error')
		reading.errorMessage = textOr(error.message, '')
	}

	return {
		fields: operation === 'batches' ? ofBatch : operation === 'files' ? ofFile : fields,
		listed: format === 'stream',
		reading,
		onBody: (found) => {
			if (operation === 'batches') noteBatch(reading, found.get('name'))
			const file = operation === 'files' ? textOr(fieldsIn(found.get('file'))?.name, '') : ''
			if (file) reading.objects.add(file)
			readChunk(Object.fromEntries(found))
			reading.complete = reading.usage !== null
			reading.ended = true
		},
		onEvent: (data) => {
			const chunk = parseFields(data)
			if (chunk) readChunk(chunk)
		},
	}
}

/** A batch that was begun is known by what stands behind `batches/`. */
function noteBatch(reading: Reading, name: unknown): void {
	const id = /^batches\/([A-Za-z0-9_-]+)$/.exec(textOr(name, ''))?.[1]
	if (id === undefined) return
	reading.objects.add(id)
	reading.deferred = id
}

/**
 * An item of a batch's inlined results. Google tells the same list twice, as the operation's result and in what it says of
 * the batch, so an item is known by what it is and not by its place.
 */
function resultIn(item: Fields): ReadResult | null {
	const answer = fieldsIn(item.response)
	if (!answer) return null
	const reader = newReader({ operation: 'batch_result' })
	reader.onBody(new Map(Object.entries(answer)))
	const { reading } = reader
	const id = reading.responseId || createHash('sha256').update(JSON.stringify(item)).digest('hex')
	return { key: `${textOr(fieldsIn(item.metadata)?.key, '')} ${id}`.trim(), reading }
}

/** What is not text has a price of its own; documents are read as text. */
type Kind = 'AUDIO' | 'IMAGE' | 'VIDEO'

/**
 * `usageMetadata` as billed quantities. The prompt includes what was cached; thoughts and the results of tools are beside
 * prompt and candidates. Null when there are no figures.
 */
export function readUsage(value: unknown, searches = 0): Usage | null {
	const usage = fieldsIn(value)
	if (!usage) return null
	const prompt = countOrNull(usage.promptTokenCount)
	const candidates = countOrNull(usage.candidatesTokenCount) ?? countOrNull(usage.responseTokenCount)
	if (prompt === null && candidates === null && countOrNull(usage.thoughtsTokenCount) === null) return null
	const cached = countOr0(usage.cachedContentTokenCount)
	const read = byKind(usage.promptTokensDetails)
	const kept = byKind(usage.cacheTokensDetails)
	const made = byKind(usage.candidatesTokensDetails ?? usage.responseTokensDetails)
	const fresh = (kind: Kind) => Math.max(0, read[kind] - kept[kind])
	const input = { in_audio: fresh('AUDIO'), in_image: fresh('IMAGE'), in_video: fresh('VIDEO') }
	const output = { out_audio: made.AUDIO, out_image: made.IMAGE, out_video: made.VIDEO }
	const in_text = (prompt ?? 0) - cached - sumOf(input)
	const cache_read = cached - kept.AUDIO - kept.IMAGE
	const out_text = (candidates ?? 0) - sumOf(output)
	const quantities: Partial<Record<Dimension, number>> = {
		...{ in_text, ...input, cache_read, cache_read_audio: kept.AUDIO, cache_read_image: kept.IMAGE },
		...{ tool_prompt: countOr0(usage.toolUsePromptTokenCount), out_text, ...output },
		...{ out_reasoning: countOr0(usage.thoughtsTokenCount), grounding_query: searches },
	}
	return { lines: linesOf(quantities), inconsistent: in_text < 0 || cache_read < 0 || out_text < 0 }
}

/** Searches that are billed: each query, but with models before Gemini 3 one for a whole request. */
export function billedSearches(queries: number, model: string): number {
	return /gemini-(1|2)/.test(model) ? Math.min(queries, 1) : queries
}

/** `serviceTier` of the Gemini API or `trafficType` of Vertex AI, in small letters; '' for the ordinary ones. */
export function tierOf(usage: Fields | null): string {
	const tier = usage?.serviceTier ?? usage?.trafficType
	if (typeof tier !== 'string' || /unspecified/i.test(tier)) return ''
	return tier.toLowerCase()
}

function byKind(details: unknown): Record<Kind, number> {
	const counts = { AUDIO: 0, IMAGE: 0, VIDEO: 0 }
	for (const entry of Array.isArray(details) ? details : []) {
		const { modality, tokenCount } = fieldsIn(entry) ?? {}
		if (typeof modality === 'string' && Object.hasOwn(counts, modality))
			counts[modality as Kind] += countOr0(tokenCount)
	}
	return counts
}

const chat: Surface = { operation: 'chat', modelCall: true, listed: true, refers: true }
/** Without `alt=sse` a stream is one JSON list that grows. */
const streamedChat: Surface = { ...chat, format: 'stream' }
const countTokens: Surface = {
	operation: 'count_tokens',
	modelCall: false,
	listed: true,
	refers: true,
}
const embeddings: Surface = { operation: 'embeddings', modelCall: true, listed: true }
const models: Surface = { operation: 'models', modelCall: false, listed: true }

/** What can be done with a model, by the word after the colon. */
export const methods: Readonly<Record<string, Surface>> = {
	generateContent: chat,
	streamGenerateContent: streamedChat,
	countTokens,
	embedContent: embeddings,
	batchEmbedContents: embeddings,
}

const stored = (operation: string, more: Partial<Surface> = {}): Surface => ({
	operation,
	modelCall: false,
	listed: true,
	...more,
})

const lines = Object.entries(methods).map(([method, surface]) => [`POST models/{model}:${method}`, surface])
const known = surfaceTable({
	...Object.fromEntries(lines),
	'POST models/{model}:batchGenerateContent': stored('batches', {
		...{ refers: true, creates: true, defers: true },
	}),
	'GET batches/{object}': stored('batches/get', { results: true }),
	'DELETE batches/{object}': stored('batches/delete'),
	'POST upload/files': stored('files', { creates: true }),
	'GET files/{object}': stored('files/get'),
	'DELETE files/{object}': stored('files/delete'),
	'POST batches/{object}:cancel': stored('batches/cancel'),
	'GET models': models,
	'GET models/{rest}': models,
})

/** OpenAI's paths as Google has them; the others are about objects that Google stores in forms of its own. */
const ofOpenAi: ReadonlySet<string> = new Set(['chat', 'embeddings', 'images/generations', 'models'])

/** The known paths of the Gemini API, in `v1` and `v1beta`; docs/model-proxy.md has the list. */
function surfaceOf(method: string, path: string): Surface | null {
	const plain = path.replace(/^(?:v1beta\/|(upload\/)v1(?:beta)?\/)/, '$1')
	if (plain.startsWith('openai/')) return inOpenAiForm(method, plain.slice('openai/'.length))
	const surface = known(method, plain)
	// A body names a file by its kind and id.
	return surface?.object && surface.operation.startsWith('files')
		? { ...surface, object: `files/${surface.object}` }
		: surface
}

function inOpenAiForm(method: string, path: string): Surface | null {
	const surface = surfaceOfOpenAi(method, path)
	return surface && ofOpenAi.has(surface.operation) ? { ...surface, format: 'openai' } : null
}

/** An upload in several requests goes on at an address of Google's own, so that nobody here would learn whose the file is. */
function refuseRequest(path: string, headers: IncomingHttpHeaders): string | null {
	if (!path.startsWith('upload/')) return null
	if (/^(multipart|raw)$/i.test(String(headers['x-goog-upload-protocol']))) return null
	return 'With a stored key a file is uploaded in one request: send X-Goog-Upload-Protocol: multipart or raw.'
}

/**
 * Files and caches that Google stores for an account, each as a whole JSON string: by name, below a project, or as an
 * address of the API. No two of its parts take the same sign, so that no text makes it slow.
 */
const reference =
	/"(?:(?:[^"\\/]*\\?\/)*v1(?:beta)?\\?\/|projects(?:\\?\/[^"\\/]+)+\\?\/)?((?:cachedContents|files)\\?\/[A-Za-z0-9_-]+)"/g

/** The stored files and caches that a text names. */
export function referencesIn(text: string, isDocument: boolean): readonly string[] {
	return namesIn(text, reference, isDocument).names
}

const statuses: Record<number, string> = {
	400: 'INVALID_ARGUMENT',
	401: 'UNAUTHENTICATED',
	403: 'PERMISSION_DENIED',
	404: 'NOT_FOUND',
	409: 'ABORTED',
	413: 'INVALID_ARGUMENT',
	429: 'RESOURCE_EXHAUSTED',
	500: 'INTERNAL',
	503: 'UNAVAILABLE',
	504: 'DEADLINE_EXCEEDED',
}

/** `google.rpc.Status` in `{error}`, as Google's clients parse it; our code is the reason of its detail. */
function errorBody(problem: Problem) {
	const { status: code, message, code: reason } = problem
	const status = statuses[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'UNAVAILABLE')
	const details = [
		{
			'@type': 'type.googleapis.com/google.rpc.ErrorInfo',
			reason,
			domain: 'signalbox',
			metadata: reasonOf(problem),
		},
	]
	return { error: { code, message, status, details } }
}

/** An event that Google's clients raise. */
function errorEvent(problem: Problem): string {
	return `data: ${JSON.stringify(errorBody(problem))}\r\n\r\n`
}

export const gemini: ModelProvider = {
	authorize: (key, request, tools) =>
		isOpenAiForm(request) ? openai.authorize(key, request, tools) : authorize(key),
	authorizesByPath: true,
	ownKeyHeaders,
	surfaceOf,
	refuseRequest,
	referencesIn,
	newReader: (surface) => (surface.format === 'openai' ? openai.newReader(surface) : newReader(surface)),
	errorBody,
	errorEvent: (problem, requestId, surface) =>
		surface.format === 'openai' ? openai.errorEvent(problem, requestId, surface) : errorEvent(problem),
	probe: () => ({ method: 'GET', path: 'v1beta/models', modelsIn: countIn('models') }),
}

/** Whose clients put their key where OpenAI's do. */
function isOpenAiForm({ path }: OutgoingRequest): boolean {
	return path.includes('/openai/')
}

/** A stored key goes into `x-goog-api-key`. */
function authorize(key: string): HeaderList {
	return ['x-goog-api-key', key]
}

/** The caller's own key stays where its client put it; the query string is passed on as it is. */
function ownKeyHeaders({ googleKey, queryKey, apiKey, bearer }: OwnKeys): HeaderList | null {
	const key = googleKey ?? apiKey
	if (key !== null) return authorize(key)
	if (queryKey !== null) return []
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}
