import type { Provider } from '@signalbox/contract'
import type { OwnKeys } from '../caller-keys.ts'
import { anthropic } from './anthropic/index.ts'
import { bedrock } from './bedrock/index.ts'
import { gemini } from './gemini/index.ts'
import { openai, surfaceOf as surfaceOfOpenAi } from './openai/index.ts'
import { countIn, type HeaderList, type ModelProvider, type Surface } from './provider.ts'
import { vertex } from './vertex/index.ts'

const deployed = /^openai\/deployments\/([^/]+)\/(.+)$/
/** The newer form without deployments, where the body names the model, and what is not about one deployment. */
const plain = /^openai\/(?:v1\/)?(.+)$/

/** OpenAI's paths as Azure has them: `openai/deployments/{deployment}/…`, `openai/v1/…` and `openai/…`. */
function surfaceOf(method: string, path: string): Surface | null {
	const [, deployment, rest] = deployed.exec(path) ?? []
	if (deployment === undefined || rest === undefined) {
		const below = plain.exec(path)?.[1]
		return below === undefined ? null : surfaceOfOpenAi(method, below)
	}
	const surface = surfaceOfOpenAi(method, rest)
	return surface && { ...surface, model: decodeURIComponent(deployment) }
}

/** A stored key goes into `api-key`. */
function authorize(key: string): HeaderList {
	return ['api-key', key]
}

/** The caller's own key, or its token of Entra as a bearer. */
function ownKeyHeaders({ azureKey, apiKey, bearer }: OwnKeys): HeaderList | null {
	const key = azureKey ?? apiKey
	if (key !== null) return authorize(key)
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}

/** OpenAI's wire format under Azure's paths and credentials. */
const azureOpenai: ModelProvider = {
	...openai,
	authorize,
	ownKeyHeaders,
	surfaceOf,
	probe: () => ({ method: 'GET', path: 'openai/models?api-version=2024-10-21', modelsIn: countIn('data') }),
}

/** The dialect that each kind of connection speaks. */
export const providers: Record<Provider, ModelProvider> = {
	openai,
	anthropic,
	openai_compatible: openai,
	gemini,
	azure_openai: azureOpenai,
	vertex,
	bedrock,
}

/** Names that work without a connection when the caller brings its own key, and where they lead. */
export const publicBaseUrls: Partial<Record<Provider, string>> = {
	openai: 'https://api.openai.com/v1',
	anthropic: 'https://api.anthropic.com',
	gemini: 'https://generativelanguage.googleapis.com',
}
