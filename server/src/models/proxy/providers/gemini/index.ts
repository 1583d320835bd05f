import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Problem } from '../../../../platform/errors.ts'
import type { OwnKeys } from '../../caller-keys.ts'
import { openai, surfaceOf as surfaceOfOpenAi } from '../openai/index.ts'
import {
	countIn,
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
	textOr,
	utf8Bytes,
} from '../provider.ts'
import { namesIn } from '../references.ts'
import { surfaceTable } from '../surface-table.ts'
import { interactionSurfaces, newInteractionReader } from './interactions.ts'
import { billedSearches, readUsage, tierOf } from './usage.ts'

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
	...interactionSurfaces,
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
 * Files, stores of files and caches that Google keeps for an account, each as a whole JSON string: by name, below a project, or as an
 * address of the API. No two of its parts take the same sign, so that no text makes it slow.
 */
const reference =
	/"(?:(?:[^"\\/]*\\?\/)*v1(?:beta)?\\?\/|projects(?:\\?\/[^"\\/]+)+\\?\/)?((?:cachedContents|fileSearchStores|files)\\?\/[A-Za-z0-9_-]+)"/g

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

/** An event that Google's clients raise; those of interactions have types. */
function errorEvent(problem: Problem, { operation }: Surface): string {
	const body = errorBody(problem)
	if (!operation.startsWith('interactions')) return `data: ${JSON.stringify(body)}\r\n\r\n`
	return `event: error\ndata: ${JSON.stringify({ event_type: 'error', ...body })}\n\n`
}

export const gemini: ModelProvider = {
	authorize: (key, request, tools) =>
		isOpenAiForm(request) ? openai.authorize(key, request, tools) : authorize(key),
	authorizesByPath: true,
	ownKeyHeaders,
	surfaceOf,
	refuseRequest,
	referencesIn,
	newReader: (surface) => {
		if (surface.format === 'openai') return openai.newReader(surface)
		return surface.operation.startsWith('interactions') ? newInteractionReader(surface) : newReader(surface)
	},
	errorBody,
	errorEvent: (problem, requestId, surface) =>
		surface.format === 'openai'
			? openai.errorEvent(problem, requestId, surface)
			: errorEvent(problem, surface),
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
