import type { Problem } from '../../../../platform/errors.ts'
import type { OwnKeys } from '../../caller-keys.ts'
import { openai } from '../openai/index.ts'
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

const chat: Surface = { operation: 'chat', modelCall: true, listed: true, refers: true, creates: true }
const kept = (operation: string, more: Partial<Surface> = {}): Surface => ({
	operation,
	modelCall: false,
	listed: true,
	...more,
})

/**
 * The known paths of Anthropic's API, listed in docs/model-proxy.md. The list of batches is missing, because it would show those
 * of everyone.
 */
const surfaceOf = surfaceTable({
	'POST messages': chat,
	// OpenAI's form, as used by OpenAI clients.
	'POST chat/completions': {
		operation: 'chat',
		modelCall: true,
		listed: true,
		refers: true,
		format: 'openai',
	},
	'POST messages/count_tokens': kept('count_tokens', { refers: true }),
	'POST messages/batches': kept('batches', { refers: true, creates: true, defers: true }),
	'GET messages/batches/{object}': kept('batches/get'),
	'DELETE messages/batches/{object}': kept('batches/delete'),
	'POST messages/batches/{object}/cancel': kept('batches/cancel'),
	'GET messages/batches/{object}/results': kept('batches/results', { results: true }),
	'POST files': kept('files', { creates: true }),
	'GET files/{object}': kept('files/get'),
	'DELETE files/{object}': kept('files/delete'),
	'GET files/{object}/content': kept('files/content'),
	'GET models': kept('models'),
	'GET models/{rest}': kept('models'),
})

/**
 * Ids of objects that Anthropic stores for an account, each a whole JSON string. Keys and words like `file_path` are excluded.
 */
const reference = /"((?:file|container)_(?![a-z_-]+")[A-Za-z0-9_-]+)"(?!\s*:)/g

/** The stored files and containers named in a text. */
export function referencesIn(text: string, isDocument: boolean): readonly string[] {
	return namesIn(text, reference, isDocument).names
}

const types: Record<number, string> = {
	401: 'authentication_error',
	403: 'permission_error',
	404: 'not_found_error',
	413: 'request_too_large',
	429: 'rate_limit_error',
	503: 'overloaded_error',
}

/** `{type:'error',error:{type,message},request_id}`, the form that Anthropic's clients parse. */
function errorBody(problem: Problem, requestId: string) {
	const type = types[problem.status] ?? (problem.status < 500 ? 'invalid_request_error' : 'api_error')
	const error = { type, message: problem.detail, code: problem.code, ...reasonOf(problem) }
	return { type: 'error', error, request_id: requestId }
}

/** An event that Anthropic's clients raise as an error. No `message_stop` follows it. */
function errorEvent(problem: Problem, requestId: string): string {
	return `event: error\ndata: ${JSON.stringify(errorBody(problem, requestId))}\n\n`
}

export const anthropic: ModelProvider = {
	authorize: (key, request, tools) =>
		isOpenAiForm(request) ? openai.authorize(key, request, tools) : authorize(key),
	authorizesByPath: true,
	ownKeyHeaders,
	surfaceOf,
	referencesIn,
	newReader: (surface) => (surface.format === 'openai' ? openai.newReader(surface) : newReader(surface)),
	errorBody,
	requestIdHeader: 'request-id',
	errorEvent: (problem, requestId, surface) =>
		surface.format === 'openai'
			? openai.errorEvent(problem, requestId, surface)
			: errorEvent(problem, requestId),
	probe: () => ({
		method: 'GET',
		path: 'v1/models',
		headers: { 'anthropic-version': '2023-06-01' },
		modelsIn: countIn('data'),
	}),
}

/** Clients of this path send their key in OpenAI's header. */
function isOpenAiForm({ path }: OutgoingRequest): boolean {
	return /\/chat\/completions(?:\?|$)/.test(path)
}

/** A stored key is sent in `x-api-key`. */
function authorize(key: string): HeaderList {
	return ['x-api-key', key]
}

/** The caller's own key stays in the header in which it was sent: subscription tokens work only as a bearer token. */
function ownKeyHeaders({ bearer, apiKey }: OwnKeys): HeaderList | null {
	if (apiKey !== null) return authorize(apiKey)
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}
