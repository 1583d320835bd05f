import type { Provider } from '@signalbox/contract'
import type { OwnKeys } from '../caller-keys.ts'
import { anthropic } from './anthropic/index.ts'
import { bedrock } from './bedrock/index.ts'
import { gemini } from './gemini/index.ts'
import { openai, surfaceOf as surfaceOfOpenAi } from './openai/index.ts'
import { countIn, type HeaderList, type ModelProvider, type Surface } from './provider.ts'
import { decoded } from './surface-table.ts'
import { vertex } from './vertex/index.ts'

export { costHeader } from './provider.ts'

const deployed = /^openai\/deployments\/([^/]+)\/(.+)$/
/** The newer form without deployments, in which the body names the model, and paths that concern no deployment. */
const plain = /^openai\/(?:v1\/)?(.+)$/

/** OpenAI's paths in Azure's form: `openai/deployments/{deployment}/…`, `openai/v1/…` and `openai/…`. */
function surfaceOf(method: string, path: string): Surface | null {
	const [, deployment, rest] = deployed.exec(path) ?? []
	if (deployment === undefined || rest === undefined) {
		const below = plain.exec(path)?.[1]
		return below === undefined ? null : surfaceOfOpenAi(method, below)
	}
	const surface = surfaceOfOpenAi(method, rest)
	const model = decoded(deployment)
	return surface && model !== null ? { ...surface, model } : null
}

/** A stored key is sent in `api-key`. */
function authorize(key: string): HeaderList {
	return ['api-key', key]
}

/** The caller's own key, or its Entra token as a bearer token. */
function ownKeyHeaders({ azureKey, apiKey, bearer }: OwnKeys): HeaderList | null {
	const key = azureKey ?? apiKey
	if (key !== null) return authorize(key)
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}

/** OpenAI's wire format with Azure's paths and credentials. */
const azureOpenai: ModelProvider = {
	...openai,
	authorize,
	ownKeyHeaders,
	surfaceOf,
	probe: () => ({ method: 'GET', path: 'openai/models?api-version=2024-10-21', modelsIn: countIn('data') }),
}

/** The API dialect of each kind of connection. */
export const providers: Record<Provider, ModelProvider> = {
	openai,
	anthropic,
	openai_compatible: openai,
	gemini,
	azure_openai: azureOpenai,
	vertex,
	bedrock,
}

/** Names that work without a connection for callers with their own key, and the addresses behind them. */
export const publicBaseUrls: Partial<Record<Provider, string>> = {
	openai: 'https://api.openai.com/v1',
	anthropic: 'https://api.anthropic.com',
	gemini: 'https://generativelanguage.googleapis.com',
}
