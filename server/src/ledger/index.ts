export { type LedgerEntry, presentMoney, type Ratio, toDecimalUsd } from './cost.ts'
export { type Dimension, dimensions } from './dimensions.ts'
export { createPriceCall, type PriceCall, type PricedCall } from './price-call.ts'
export { bundledTable } from './prices/bundled-prices.ts'
export { type KnowsModel, openKnownModels } from './prices/find-price.ts'
export {
	type FindOwnPrice,
	type OwnPrice,
	type PriceQuestion,
	type Rates,
	tableProvider,
} from './prices/price-book.ts'
export { linesOf, type TokenBuckets, tokenBuckets, type Usage, type UsageLine } from './usage.ts'
