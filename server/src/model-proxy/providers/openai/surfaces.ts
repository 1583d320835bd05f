import type { Surface } from '../provider.ts'

const chat: Surface = { operation: 'chat', modelCall: true, listed: true }
const embeddings: Surface = { operation: 'embeddings', modelCall: true, listed: true }
const models: Surface = { operation: 'models', modelCall: false, listed: true }
// Closed with a stored key: a response can continue another agent's stored one.
const responses: Surface = { operation: 'responses', modelCall: true, listed: false }

/** The known paths of OpenAI's API; docs/model-proxy.md has the list. */
export function surfaceOf(method: string, path: string): Surface | null {
	if (method === 'POST' && path === 'chat/completions') return chat
	if (method === 'POST' && path === 'embeddings') return embeddings
	if (method === 'POST' && path === 'responses') return responses
	if ((method === 'GET' || method === 'HEAD') && (path === 'models' || path.startsWith('models/')))
		return models
	return null
}
