import type { OwnKeys } from '../../caller-keys.ts'
import { openai, surfaceOf as surfaceOfOpenAi } from '../openai/index.ts'
import { countIn, type HeaderList, type ModelProvider, type Surface } from '../provider.ts'

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
export const azureOpenai: ModelProvider = {
	...openai,
	authorize,
	ownKeyHeaders,
	surfaceOf,
	probe: () => ({ method: 'GET', path: 'openai/models?api-version=2024-10-21', modelsIn: countIn('data') }),
}
