import { surfaceOf as surfaceOfOpenAi } from '../openai/surfaces.ts'
import type { Surface } from '../provider.ts'

const deployed = /^openai\/deployments\/([^/]+)\/(.+)$/
/** The newer form without deployments, where the body names the model, and what is not about one deployment. */
const plain = /^openai\/(?:v1\/)?(.+)$/

/** OpenAI's paths as Azure has them: `openai/deployments/{deployment}/…`, `openai/v1/…` and `openai/…`. */
export function surfaceOf(method: string, path: string): Surface | null {
	const [, deployment, rest] = deployed.exec(path) ?? []
	if (deployment === undefined || rest === undefined) {
		const below = plain.exec(path)?.[1]
		return below === undefined ? null : surfaceOfOpenAi(method, below)
	}
	const surface = surfaceOfOpenAi(method, rest)
	return surface && { ...surface, model: decodeURIComponent(deployment) }
}
