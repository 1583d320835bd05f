import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, take } from '../../api.ts'

export type Connection = Schemas['ProviderKey']

export const connectionsQuery = queryOptions({
	queryKey: ['connections'],
	queryFn: () => take(api.GET('/v1/provider-keys', { params: { query: { limit: 100 } } })),
})

export const providerNames: Record<Connection['provider'], string> = {
	openai: 'OpenAI',
	anthropic: 'Anthropic',
	gemini: 'Google Gemini',
	azure_openai: 'Azure OpenAI',
	bedrock: 'Amazon Bedrock',
	vertex: 'Google Vertex AI',
	openai_compatible: 'OpenAI-compatible',
}
