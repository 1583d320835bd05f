import type { Surface } from '../provider.ts'
import { surfaceTable } from '../surface-table.ts'

const chat: Surface = { operation: 'chat', modelCall: true, listed: true, refers: true, creates: true }
const kept = (operation: string, more: Partial<Surface> = {}): Surface => ({
	operation,
	modelCall: false,
	listed: true,
	...more,
})

/** The known paths of Anthropic's API; docs/model-proxy.md has the list. The list of batches shows those of everyone, so it is not here. */
export const surfaceOf = surfaceTable({
	'POST messages': chat,
	// OpenAI's form, as their clients ask for it.
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
