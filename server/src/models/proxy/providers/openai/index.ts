import { countIn } from '../probe.ts'
import type { ModelProvider } from '../provider.ts'
import { authorize, ownKeyHeaders } from './credentials.ts'
import { errorBody, errorEvent } from './errors.ts'
import { newReader } from './reader.ts'
import { referencesIn } from './references.ts'
import { surfaceOf } from './surfaces.ts'

export const openai: ModelProvider = {
	authorize,
	authorizesByPath: true,
	ownKeyHeaders,
	surfaceOf,
	referencesIn,
	newReader,
	errorBody,
	errorEvent,
	probe: () => ({ method: 'GET', path: 'v1/models', modelsIn: countIn('data') }),
}
