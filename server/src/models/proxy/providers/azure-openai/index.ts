import type { OwnKeys } from '../../caller-keys.ts'
import { openai } from '../openai/index.ts'
import { countIn } from '../probe.ts'
import type { HeaderList, ModelProvider } from '../provider.ts'
import { surfaceOf } from './surfaces.ts'

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
