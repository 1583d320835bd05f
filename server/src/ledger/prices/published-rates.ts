import type { Dimension } from '../dimensions.ts'
import type { Price } from './price-book.ts'
import { tableProvider } from './table-provider.ts'

interface PublishedRate {
	provider: string
	model: RegExp
	dimension: Dimension
	/** Nano-dollars for 1,000,000 units. Zero is a price too: the provider says that it asks for nothing. */
	rate: number
}

/** When these were written down. Providers change theirs without a word: an own price goes before each. */
const version = '2026-11-21'

/** What providers publish and the imported table does not hold. What an account has free is not taken off. The first that fits counts. */
const published: readonly PublishedRate[] = [
	// Fetched pages are billed as the tokens that they become, and as nothing else.
	{ provider: 'anthropic', model: /^claude-/, dimension: 'web_fetch', rate: 0 },
	{
		provider: 'google',
		model: /^gemini-[12]/,
		dimension: 'grounding_query',
		rate: 35_000_000_000_000,
	},
	{ provider: 'google', model: /^gemini-/, dimension: 'grounding_query', rate: 14_000_000_000_000 },
	{ provider: 'openai', model: /^whisper-1$/, dimension: 'audio_s', rate: 100_000_000_000 },
]

export type Published = Omit<Price, 'rates' | 'own'> & { rate: number }

/** Null where nobody publishes a price. */
export function publishedRate(provider: string, model: string, dimension: Dimension): Published | null {
	const table = tableProvider(provider)
	const found = published.find(
		(one) => one.dimension === dimension && one.provider === table && one.model.test(model),
	)
	if (!found) return null
	return { source: 'published', version, model: found.model.source, effectiveFrom: '', rate: found.rate }
}
