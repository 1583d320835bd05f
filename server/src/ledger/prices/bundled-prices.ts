import { readFileSync } from 'node:fs'
import type { PriceBook } from './price-book.ts'

/** The table that comes with the program: genai-prices of the pinned version, imported by `npm run generate`. */
export function bundledPrices(): PriceBook {
	return JSON.parse(readFileSync(new URL('genai-prices.gen.json', import.meta.url), 'utf8')) as PriceBook
}

/** Which table that is. */
export function bundledTable(): Pick<PriceBook, 'source' | 'version'> {
	const { source, version } = bundledPrices()
	return { source, version }
}
