import { readFileSync } from 'node:fs'
import type { PriceBook } from './price-book.ts'

/** The bundled price table: genai-prices of the pinned version, imported by `npm run generate`. */
export function bundledPrices(): PriceBook {
	return JSON.parse(readFileSync(new URL('genai-prices.gen.json', import.meta.url), 'utf8')) as PriceBook
}

/** Source and version of the bundled table. */
export function bundledTable(): Pick<PriceBook, 'source' | 'version'> {
	const { source, version } = bundledPrices()
	return { source, version }
}
