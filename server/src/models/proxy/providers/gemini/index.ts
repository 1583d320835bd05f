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
	type Uploads,
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

/** Reads Gemini's answers: one object, or a stream of objects as events or as the items of a JSON list. */
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
	/** The figures of a stream are cumulative: the last ones count. */
	const readChunk = (chunk: Fields) => {
		for (const candidate of Array.isArray(chunk.candidates) ? chunk.candidates : [])
			readCandidate(fieldsIn(candidate))
		reading.responseId = textOr(chunk.responseId, reading.responseId)
		reading.model = textOr(chunk.modelVersion, reading.model)
		// A blocked prompt has no candidate.
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

/** A batch is identified by the part of its name after `batches/`. */
function noteBatch(reading: Reading, name: unknown): void {
	const id = /^batches\/([A-Za-z0-9_-]+)$/.exec(textOr(name, ''))?.[1]
	if (id === undefined) return
	reading.objects.add(id)
	reading.deferred = id
}

/**
 * An item of a batch's inlined results. Google sends the same list twice, in the operation's result and in the batch's metadata,
 * so an item is identified by its content and not by its position.
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
/** Without `alt=sse` a stream is one growing JSON list. */
const streamedChat: Surface = { ...chat, format: 'stream' }
const countTokens: Surface = {
	operation: 'count_tokens',
	modelCall: false,
	listed: true,
	refers: true,
}
const embeddings: Surface = { operation: 'embeddings', modelCall: true, listed: true }
const models: Surface = { operation: 'models', modelCall: false, listed: true }

/** The methods of a model, by the word after the colon. */
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
	'POST upload/files': stored('files', { creates: true, uploads: true }),
	'GET files/{object}': stored('files/get'),
	'DELETE files/{object}': stored('files/delete'),
	'POST batches/{object}:cancel': stored('batches/cancel'),
	...interactionSurfaces,
	'GET models': models,
	'GET models/{rest}': models,
})

/** The paths that Google shares with OpenAI. The others concern objects that Google stores in forms of its own. */
const ofOpenAi: ReadonlySet<string> = new Set(['chat', 'embeddings', 'images/generations', 'models'])

const uploadId = /^[\w.~-]{1,512}$/
/** An upload that nobody owns. */
const unknownUpload = 'uploads/?'

/**
 * The upload that a query string continues; null if it names none. A name that Google might read in another way counts as that of
 * an upload which nobody owns.
 */
function uploadIn(search: string): string | null {
	const named = [...new URLSearchParams(search)].filter((pair) => /upload_id/i.test(pair.join('=')))
	const [first] = named
	if (!first) return null
	const [name, id] = first
	return named.length === 1 && name === 'upload_id' && uploadId.test(id) ? `uploads/${id}` : unknownUpload
}

const uploads: Uploads = {
	isAddressHeader: (name) => /^x-goog-upload-(?:\w+-)?url$/.test(name),
	isKnown: (upload) => upload !== unknownUpload,
}

/** Why an upload is refused with a stored key, or null. */
function refuseUpload(headers: IncomingHttpHeaders, search: string): string | null {
	const command = String(headers['x-goog-upload-command']).toLowerCase().replaceAll(' ', '')
	if (uploadIn(search) !== null)
		return /^(upload|upload,finalize|finalize|query|cancel)$/.test(command)
			? null
			: 'The X-Goog-Upload-Command of an upload that has begun is upload, finalize, both, query or cancel.'
	// Google's older form names the address for the bytes in `Location`, past Signalbox.
	for (const [name, value] of new URLSearchParams(search))
		if (/^upload_?(type|protocol)$/i.test(name) && !/^(multipart|raw|media)$/i.test(value))
			return 'Send the kind of the upload in X-Goog-Upload-Protocol, not in the query string.'
	const protocol = String(headers['x-goog-upload-protocol']).toLowerCase()
	if (/^(multipart|raw)$/.test(protocol) || (protocol === 'resumable' && command === 'start')) return null
	return 'Send X-Goog-Upload-Protocol: multipart or raw, or resumable with X-Goog-Upload-Command: start.'
}

/** Why a call to a model is refused whose answer would be without some of its fields; null if it has all of them. */
export function refuseMask(
	{ modelCall }: Surface,
	headers: IncomingHttpHeaders,
	search: string,
): string | null {
	const inQuery = [...new URLSearchParams(search).keys()].some((name) => /^\$?fields$/i.test(name))
	const isMasked = inQuery || headers['x-goog-fieldmask'] !== undefined
	return modelCall && isMasked
		? 'A field mask (`fields`, `X-Goog-FieldMask`) would hide the usage of the call.'
		: null
}

/** The known paths of the Gemini API, in `v1` and `v1beta`, listed in docs/model-proxy.md. */
function surfaceOf(method: string, path: string, search = ''): Surface | null {
	const plain = path.replace(/^(?:v1beta\/|(upload\/)v1(?:beta)?\/)/, '$1')
	if (plain.startsWith('openai/')) return inOpenAiForm(method, plain.slice('openai/'.length))
	const surface = known(method, plain)
	if (surface?.uploads) {
		const upload = uploadIn(search)
		return upload === null ? surface : { ...surface, object: upload }
	}
	// A body names a file by kind and id.
	return surface?.object && surface.operation.startsWith('files')
		? { ...surface, object: `files/${surface.object}` }
		: surface
}

function inOpenAiForm(method: string, path: string): Surface | null {
	const surface = surfaceOfOpenAi(method, path)
	return surface && ofOpenAi.has(surface.operation) ? { ...surface, format: 'openai' } : null
}

/**
 * Files, file stores and caches that Google keeps for an account, each as a whole JSON string: by name, below a project, or as a
 * URL of the API. No two adjacent parts match the same character, so matching takes linear time.
 */
const reference =
	/"(?:(?:[^"\\/]*\\?\/)*v1(?:beta)?\\?\/|projects(?:\\?\/[^"\\/]+)+\\?\/)?((?:cachedContents|fileSearchStores|files)\\?\/[A-Za-z0-9_-]+)"/g

/** The stored files and caches named in a text. */
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

/** `google.rpc.Status` in `{error}`, the form that Google's clients parse. The Signalbox code is the `reason` of its detail. */
function errorBody(problem: Problem) {
	const { status: code, detail: message, code: reason } = problem
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

/** An event that Google's clients raise as an error; in interactions it has a type. */
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
	refuseRequest: (surface, headers, search) =>
		surface.uploads ? refuseUpload(headers, search) : refuseMask(surface, headers, search),
	uploads,
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

/** Clients of this path send their key in OpenAI's header. */
function isOpenAiForm({ path }: OutgoingRequest): boolean {
	return path.includes('/openai/')
}

/** A stored key is sent in `x-goog-api-key`. */
function authorize(key: string): HeaderList {
	return ['x-goog-api-key', key]
}

/** The caller's own key stays where its client put it; the query string is passed on unchanged. */
function ownKeyHeaders({ googleKey, queryKey, apiKey, bearer }: OwnKeys): HeaderList | null {
	const key = googleKey ?? apiKey
	if (key !== null) return authorize(key)
	if (queryKey !== null) return []
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}
