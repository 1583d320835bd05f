export { openPrices, type Prices } from './open-prices.ts'
