import type { operations } from '@signalbox/contract/api'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, readAllPages, type Schemas, unwrap } from '../../api.ts'

export type Connection = Schemas['ProviderKey']
export type ModelRoute = Schemas['ModelRoute']
export type RouteInput = operations['routes.create']['requestBody']['content']['application/json']
export type ModelLimit = Schemas['ModelLimit']
export type ModelLimitInput = operations['model-limits.create']['requestBody']['content']['application/json']

export const connectionsQuery = queryOptions({
	queryKey: ['connections'],
	queryFn: async () => {
		const pages = await readAllPages((page) =>
			unwrap(api.GET('/v1/provider-keys', { params: { query: { limit: 100, page } } })),
		)
		return { provider_keys: pages.flatMap(({ provider_keys }) => provider_keys) }
	},
})

export const routesQuery = queryOptions({
	queryKey: ['model-routes'],
	queryFn: async () => {
		const pages = await readAllPages((page) =>
			unwrap(api.GET('/v1/routes', { params: { query: { limit: 100, page } } })),
		)
		return { routes: pages.flatMap(({ routes }) => routes) }
	},
})

export const modelLimitsQuery = queryOptions({
	queryKey: ['model-limits'],
	queryFn: () => unwrap(api.GET('/v1/model-limits', { params: { query: { limit: 100 } } })),
})

export function refreshRoutes(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: routesQuery.queryKey })
}

export function refreshModelLimits(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: modelLimitsQuery.queryKey })
}

export const providerNames: Record<Connection['provider'], string> = {
	openai: 'OpenAI',
	anthropic: 'Anthropic',
	gemini: 'Google Gemini',
	azure_openai: 'Azure OpenAI',
	bedrock: 'Amazon Bedrock',
	vertex: 'Google Vertex AI',
	openai_compatible: 'OpenAI-compatible',
}

/** Whose prices may apply to a connection. */
export const vendorNames: Record<Connection['vendor'], string> = {
	...providerNames,
	openrouter: 'OpenRouter',
	mistral_ai: 'Mistral',
	groq: 'Groq',
	deepseek: 'DeepSeek',
	x_ai: 'xAI',
	cerebras: 'Cerebras',
	cohere: 'Cohere',
	fireworks: 'Fireworks',
	together: 'Together',
	perplexity: 'Perplexity',
	moonshot_ai: 'Moonshot AI',
	minimax: 'MiniMax',
	zai: 'Z.ai',
	voyageai: 'Voyage AI',
	openai_compatible: 'None: calls are unpriced',
}

/** Kinds of connections whose API many providers offer. */
const spokenByMany: readonly Connection['provider'][] = ['openai_compatible', 'openai', 'anthropic']

export const hasOtherVendors = (provider: Connection['provider']): boolean => spokenByMany.includes(provider)
