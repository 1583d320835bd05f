import type { Provider } from '@signalbox/contract'
import { anthropic } from './anthropic/index.ts'
import { openai } from './openai/index.ts'
import type { ModelProvider } from './provider.ts'

/** The dialect that each kind of connection speaks. */
export const providers: Record<Provider, ModelProvider> = { openai, anthropic, openai_compatible: openai }

/** Names that work without a connection when the caller brings its own key, and where they lead. */
export const publicBaseUrls: Partial<Record<Provider, string>> = {
	openai: 'https://api.openai.com/v1',
	anthropic: 'https://api.anthropic.com',
}
