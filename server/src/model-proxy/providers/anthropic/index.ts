import type { ModelProvider } from '../provider.ts'
import { keyHeader, ownKeyHeader } from './credentials.ts'
import { errorBody, errorEvent } from './errors.ts'
import { newReader } from './reader.ts'
import { surfaceOf } from './surfaces.ts'

export const anthropic: ModelProvider = {
	keyHeader,
	ownKeyHeader,
	surfaceOf,
	newReader,
	errorBody,
	errorEvent,
}
