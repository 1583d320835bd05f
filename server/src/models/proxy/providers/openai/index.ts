import type { Problem } from '../../../../platform/errors.ts'
import type { OwnKeys } from '../../caller-keys.ts'
import {
	countIn,
	type Fields,
	fieldsIn,
	type HeaderList,
	type ModelProvider,
	reasonOf,
	type Surface,
} from '../provider.ts'
import { namesIn } from '../references.ts'
import { surfaceTable } from '../surface-table.ts'
import { newReader } from './reader.ts'

const ran = (operation: string, more: Partial<Surface> = {}): Surface => ({
	operation,
	modelCall: true,
	listed: true,
	...more,
})
const kept = (operation: string, more: Partial<Surface> = {}): Surface => ({
	...ran(operation, more),
	modelCall: false,
})

/**
 * The known paths of OpenAI's API, listed in docs/model-proxy.md. Lists of stored objects are missing, because they show those of
 * everyone.
 */
export const surfaceOf = surfaceTable({
	'POST chat/completions': ran('chat', { refers: true }),
	// The legacy API (2020), still used for code completion with vLLM, Ollama and llama.cpp.
	'POST completions': ran('text_completion'),
	// Mistral's fill-in-the-middle: generates the text between two others.
	'POST fim/completions': ran('text_completion'),
	// Of Jina, Voyage, Together and vLLM.
	'POST rerank': ran('rerank'),
	'POST responses': ran('responses', { refers: true, creates: true }),
	'POST responses/input_tokens': kept('responses/input_tokens', { refers: true }),
	'POST responses/compact': ran('responses/compact', { refers: true, creates: true }),
	// A background response reports its usage in this answer.
	'GET responses/{object}': kept('responses/get', { results: true }),
	'DELETE responses/{object}': kept('responses/delete'),
	'POST responses/{object}/cancel': kept('responses/cancel'),
	'GET responses/{object}/input_items': kept('responses/input_items'),
	'POST embeddings': ran('embeddings'),
	'POST images/generations': ran('images/generations'),
	'POST images/edits': ran('images/edits', { refers: true }),
	'POST images/variations': ran('images/variations'),
	'POST audio/speech': ran('audio/speech'),
	'POST audio/transcriptions': ran('audio/transcriptions'),
	'POST audio/translations': ran('audio/translations'),
	'POST files': kept('files', { creates: true, refers: true }),
	'GET files/{object}': kept('files/get'),
	'DELETE files/{object}': kept('files/delete'),
	'GET files/{object}/content': kept('files/content', { results: true }),
	'POST batches': kept('batches', { creates: true, refers: true, defers: true }),
	// A finished batch names its result files.
	'GET batches/{object}': kept('batches/get', { creates: true }),
	'POST batches/{object}/cancel': kept('batches/cancel'),
	'POST moderations': kept('moderations'),
	'POST conversations': kept('conversations', { refers: true, creates: true }),
	'GET conversations/{object}': kept('conversations/get'),
	'POST conversations/{object}': kept('conversations/update'),
	'DELETE conversations/{object}': kept('conversations/delete'),
	'GET conversations/{object}/items': kept('conversations/items'),
	'POST conversations/{object}/items': kept('conversations/items', { refers: true, creates: true }),
	'GET conversations/{object}/items/{id}': kept('conversations/items'),
	'DELETE conversations/{object}/items/{id}': kept('conversations/items'),
	'POST vector_stores': kept('vector_stores', { refers: true, creates: true }),
	'GET vector_stores/{object}': kept('vector_stores/get'),
	'POST vector_stores/{object}': kept('vector_stores/update'),
	'DELETE vector_stores/{object}': kept('vector_stores/delete'),
	'POST vector_stores/{object}/search': kept('vector_stores/search'),
	'GET vector_stores/{object}/files': kept('vector_stores/files'),
	// Files added to a store must be the caller's own.
	'POST vector_stores/{object}/files': kept('vector_stores/files', { refers: true }),
	'GET vector_stores/{object}/files/{id}': kept('vector_stores/files'),
	'POST vector_stores/{object}/files/{id}': kept('vector_stores/files'),
	'DELETE vector_stores/{object}/files/{id}': kept('vector_stores/files'),
	'GET vector_stores/{object}/files/{id}/content': kept('vector_stores/files'),
	'POST vector_stores/{object}/file_batches': kept('vector_stores/file_batches', { refers: true }),
	'GET vector_stores/{object}/file_batches/{id}': kept('vector_stores/file_batches'),
	'POST vector_stores/{object}/file_batches/{id}/cancel': kept('vector_stores/file_batches'),
	'GET vector_stores/{object}/file_batches/{id}/files': kept('vector_stores/file_batches'),
	'GET models': kept('models'),
	'GET models/{rest}': kept('models'),
})

/** Ids of objects that OpenAI stores for an account, each a whole JSON string. Keys and words like `file_search` are excluded. */
const reference = /"((?:file|assistant|resp|batch|conv|vs|cntr)[-_](?![a-z_-]+")[A-Za-z0-9_-]+)"(?!\s*:)/g
const itemReference = /"item_reference"/
/** The ids of items, which may be references if the text has no structure. */
const itemId = /"([a-z]{2,8}_[0-9a-f]{30,})"/g

/** The stored responses, items, files and batches named in a body. */
export function referencesIn(body: string, isDocument: boolean): readonly string[] {
	const { names, text } = namesIn(body, reference, isDocument)
	if (isDocument) return [...new Set([...names, ...itemsIn(text)])]
	// What is invalid JSON here may be valid for the provider, so it counts as a foreign reference.
	const items = itemReference.test(text) ? ['item_reference'] : []
	return [...new Set([...names, ...items, ...namesIn(text, itemId, false).names])]
}

/** Whether a document may contain a reference to an item, whose `type` may be absent. */
function mayReferToItems({ operation }: Surface, body: Buffer): boolean {
	return /^(?:responses|conversations)/.test(operation) && (body.includes('"id"') || body.includes('\\u'))
}

/** References to items have an id, which whole items have too, so this needs a parser. */
function itemsIn(text: string): string[] {
	const { input, items } = JSON.parse(text) as { input?: unknown; items?: unknown }
	return [input, items]
		.flatMap((list) => (Array.isArray(list) ? list.map(fieldsIn) : []))
		.filter((item) => item !== null && isItemReference(item))
		.map((item) => String(item?.id))
}

function isItemReference({ type, id, content }: Fields): boolean {
	return type === 'item_reference' || (type == null && content === undefined && id !== undefined)
}

export const openai: ModelProvider = {
	authorize,
	authorizesByPath: true,
	ownKeyHeaders,
	surfaceOf,
	referencesIn,
	mayReferToItems,
	newReader,
	errorBody,
	errorEvent,
	probe: () => ({ method: 'GET', path: 'v1/models', modelsIn: countIn('data') }),
}

/** A stored key is sent in `Authorization`. */
function authorize(key: string): HeaderList {
	return ['authorization', `Bearer ${key}`]
}

/** The caller's own key, in whichever header its client put it. */
function ownKeyHeaders({ bearer, apiKey }: OwnKeys): HeaderList | null {
	const key = bearer ?? apiKey
	return key === null ? null : authorize(key)
}

/** `{error:{message,type,code,param}}`, the form that OpenAI's clients parse. */
function errorBody(problem: Problem) {
	return {
		error: {
			message: problem.detail,
			type: errorType(problem.status),
			code: problem.code,
			param: null,
			...reasonOf(problem),
		},
	}
}

/**
 * An event that OpenAI's clients raise as an error. No `[DONE]` follows it. If events have types, as in all streams except those
 * of completions, some clients (the AI SDK) accept no event without one; some read the error's fields beside the type, others in
 * `error`.
 */
function errorEvent(problem: Problem, _requestId: string, { operation }: Surface): string {
	const body = errorBody(problem)
	if (operation === 'chat' || operation === 'text_completion') return `data: ${JSON.stringify(body)}\n\n`
	const { code, message, param } = body.error
	const event = { type: 'error', sequence_number: 0, code, message, param, ...body }
	return `event: error\ndata: ${JSON.stringify(event)}\n\n`
}

function errorType(status: number): string {
	if (status === 401) return 'authentication_error'
	if (status === 403) return 'permission_error'
	if (status === 429) return 'rate_limit_error'
	return status < 500 ? 'invalid_request_error' : 'server_error'
}
