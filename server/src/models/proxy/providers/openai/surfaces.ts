import type { Surface } from '../provider.ts'
import { surfaceTable } from '../surface-table.ts'

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

/** The known paths of OpenAI's API; docs/model-proxy.md has the list. Lists of stored objects show those of everyone, so they are not here. */
export const surfaceOf = surfaceTable({
	'POST chat/completions': ran('chat', { refers: true }),
	'POST responses': ran('responses', { refers: true, creates: true }),
	'POST responses/input_tokens': kept('responses/input_tokens', { refers: true }),
	'POST responses/compact': ran('responses/compact', { refers: true, creates: true }),
	// A response in the background tells here what it used.
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
	// A batch that is done names the files of its results.
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
	// What is put into a store has to be the caller's own.
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
