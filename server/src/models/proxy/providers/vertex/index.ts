import type { OwnKeys } from '../../caller-keys.ts'
import { anthropic } from '../anthropic/index.ts'
import { gemini } from '../gemini/index.ts'
import { countIn } from '../probe.ts'
import type { HeaderList, ModelProvider } from '../provider.ts'
import { newPredictReader } from './predict-reader.ts'
import { authorize, type VertexCredential } from './service-account.ts'
import { placeOf, surfaceOf } from './surfaces.ts'

/** The caller's own access token. */
function ownKeyHeaders({ bearer }: OwnKeys): HeaderList | null {
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}

/** A service account may be let into more projects than the one that it is stored for. */
function refusePath(credential: string, path: string): string | null {
	const { project, location } = JSON.parse(credential) as VertexCredential
	const asked = placeOf(path)
	if (asked?.project === project && asked.location === location) return null
	return `The stored service account is for projects/${project}/locations/${location} only.`
}

/** Gemini and Claude on Vertex AI, each in its own wire format. */
export const vertex: ModelProvider = {
	authorize,
	ownKeyHeaders,
	surfaceOf,
	refusePath,
	referencesIn: (text, isDocument) => [
		...(gemini.referencesIn?.(text, isDocument) ?? []),
		...(anthropic.referencesIn?.(text, isDocument) ?? []),
	],
	newReader: (surface) => {
		if (surface.format === 'predict') return newPredictReader()
		return (surface.format === 'anthropic' ? anthropic : gemini).newReader(surface)
	},
	errorBody: gemini.errorBody,
	errorEvent: (problem, requestId, surface) =>
		(surface.format === 'anthropic' ? anthropic : gemini).errorEvent(problem, requestId, surface),
	probe: () => ({
		method: 'GET',
		path: 'v1beta1/publishers/google/models?pageSize=100',
		modelsIn: countIn('publisherModels'),
	}),
}
