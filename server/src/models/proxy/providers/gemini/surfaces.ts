import type { IncomingHttpHeaders } from 'node:http'
import { surfaceOf as surfaceOfOpenAi } from '../openai/surfaces.ts'
import type { Surface } from '../provider.ts'
import { surfaceTable } from '../surface-table.ts'

const chat: Surface = { operation: 'chat', modelCall: true, listed: true, refers: true }
/** Without `alt=sse` a stream is one JSON list that grows. */
export const streamedChat: Surface = { ...chat, format: 'stream' }
export const countTokens: Surface = {
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
export function surfaceOf(method: string, path: string): Surface | null {
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
export function refuseRequest(path: string, headers: IncomingHttpHeaders): string | null {
	if (!path.startsWith('upload/')) return null
	if (/^(multipart|raw)$/i.test(String(headers['x-goog-upload-protocol']))) return null
	return 'With a stored key a file is uploaded in one request: send X-Goog-Upload-Protocol: multipart or raw.'
}
