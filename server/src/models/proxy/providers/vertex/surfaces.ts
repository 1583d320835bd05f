import { methods } from '../gemini/surfaces.ts'
import type { Surface } from '../provider.ts'
import { type SurfaceOf, surfaceTable } from '../surface-table.ts'

const version = /^(?:v1beta1|v1beta)\//
const place = /^projects\/([^/]+)\/locations\/([^/]+)\/(.+)$/

const claude: Surface = {
	operation: 'chat',
	modelCall: true,
	listed: true,
	refers: true,
	format: 'anthropic',
}
const predict: Surface = { operation: 'embeddings', modelCall: true, listed: true, format: 'predict' }

const ofGoogle = Object.entries(methods).map(([method, surface]) => [
	`POST publishers/google/models/{model}:${method}`,
	surface,
])
const known: SurfaceOf = surfaceTable({
	...Object.fromEntries(ofGoogle),
	'POST publishers/google/models/{model}:predict': predict,
	'POST publishers/anthropic/models/count-tokens:rawPredict': {
		...{ operation: 'count_tokens', modelCall: false, listed: true, refers: true, format: 'anthropic' },
	},
	'POST publishers/anthropic/models/{model}:rawPredict': claude,
	'POST publishers/anthropic/models/{model}:streamRawPredict': claude,
})

/** The known paths of Vertex AI, which name project and location first; docs/model-proxy.md has the list. */
export function surfaceOf(method: string, path: string): Surface | null {
	const rest = place.exec(path.replace(version, ''))?.[3]
	return rest === undefined ? null : known(method, rest)
}

/** Which project and location a path is about. */
export function placeOf(path: string): { project: string; location: string } | null {
	const [, project, location] = place.exec(path.replace(/^v1\//, '').replace(version, '')) ?? []
	return project === undefined || location === undefined ? null : { project, location }
}
