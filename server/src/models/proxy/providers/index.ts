import type { Provider } from '@signalbox/contract'
import { anthropic } from './anthropic/index.ts'
import { azureOpenai } from './azure-openai/index.ts'
import { bedrock } from './bedrock/index.ts'
import { gemini } from './gemini/index.ts'
import { openai } from './openai/index.ts'
import type { ModelProvider } from './provider.ts'
import { vertex } from './vertex/index.ts'

/** The dialect that each kind of connection speaks. */
export const providers: Record<Provider, ModelProvider> = {
	openai,
	anthropic,
	openai_compatible: openai,
	gemini,
	azure_openai: azureOpenai,
	vertex,
	bedrock,
}

/** Names that work without a connection when the caller brings its own key, and where they lead. */
export const publicBaseUrls: Partial<Record<Provider, string>> = {
	openai: 'https://api.openai.com/v1',
	anthropic: 'https://api.anthropic.com',
	gemini: 'https://generativelanguage.googleapis.com',
}
