import { openai } from '../openai/index.ts'
import { countIn } from '../probe.ts'
import type { ModelProvider, OutgoingRequest } from '../provider.ts'
import { authorize, ownKeyHeaders } from './credentials.ts'
import { errorBody, errorEvent } from './errors.ts'
import { newReader } from './reader.ts'
import { referencesIn } from './references.ts'
import { refuseRequest, surfaceOf } from './surfaces.ts'

export const gemini: ModelProvider = {
	authorize: (key, request, tools) =>
		isOpenAiForm(request) ? openai.authorize(key, request, tools) : authorize(key),
	authorizesByPath: true,
	ownKeyHeaders,
	surfaceOf,
	refuseRequest,
	referencesIn,
	newReader: (surface) => (surface.format === 'openai' ? openai.newReader(surface) : newReader(surface)),
	errorBody,
	errorEvent: (problem, requestId, surface) =>
		surface.format === 'openai' ? openai.errorEvent(problem, requestId, surface) : errorEvent(problem),
	probe: () => ({ method: 'GET', path: 'v1beta/models', modelsIn: countIn('models') }),
}

/** Whose clients put their key where OpenAI's do. */
function isOpenAiForm({ path }: OutgoingRequest): boolean {
	return path.includes('/openai/')
}
