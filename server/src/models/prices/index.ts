export { openPrices, type Prices } from './open-prices.ts'
export type { OwnPriceRow } from './own-prices.ts'
