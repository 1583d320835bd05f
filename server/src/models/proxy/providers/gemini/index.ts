import type { IncomingHttpHeaders } from 'node:http'
import type { Problem } from '../../../../platform/errors.ts'
import type { OwnKeys } from '../../caller-keys.ts'
import { openai, surfaceOf as surfaceOfOpenAi } from '../openai/index.ts'
import {
	countIn,
	type HeaderList,
	type ModelProvider,
	type OutgoingRequest,
	reasonOf,
	type Surface,
} from '../provider.ts'
import { namesIn } from '../references.ts'
import { surfaceTable } from '../surface-table.ts'
import { newReader } from './reader.ts'

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
	const plain = path.replace(/^(upload\/)?v1beta\//, '$1')
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
