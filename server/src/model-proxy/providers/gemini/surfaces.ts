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

const batches = (operation: string, more: Partial<Surface> = {}): Surface => ({
	operation,
	modelCall: false,
	listed: true,
	...more,
})

const lines = Object.entries(methods).map(([method, surface]) => [`POST models/{model}:${method}`, surface])
const known = surfaceTable({
	...Object.fromEntries(lines),
	'POST models/{model}:batchGenerateContent': batches('batches', {
		...{ refers: true, creates: true, defers: true },
	}),
	'GET batches/{object}': batches('batches/get', { results: true }),
	'DELETE batches/{object}': batches('batches/delete'),
	'POST batches/{object}:cancel': batches('batches/cancel'),
	'GET models': models,
	'GET models/{rest}': models,
})

/** The known paths of the Gemini API, in `v1` and `v1beta`; docs/model-proxy.md has the list. */
export function surfaceOf(method: string, path: string): Surface | null {
	return known(method, path.startsWith('v1beta/') ? path.slice('v1beta/'.length) : path)
}
