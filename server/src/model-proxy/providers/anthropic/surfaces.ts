import type { Surface } from '../provider.ts'

const chat: Surface = { operation: 'chat', modelCall: true, listed: true }
const countTokens: Surface = { operation: 'count_tokens', modelCall: false, listed: true }
const models: Surface = { operation: 'models', modelCall: false, listed: true }

/** The known paths of Anthropic's API; docs/model-proxy.md has the list. */
export function surfaceOf(method: string, path: string): Surface | null {
	if (method === 'POST' && path === 'messages') return chat
	if (method === 'POST' && path === 'messages/count_tokens') return countTokens
	if ((method === 'GET' || method === 'HEAD') && (path === 'models' || path.startsWith('models/')))
		return models
	return null
}
