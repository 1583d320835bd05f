export type { LedgerEntry } from './ledger-entry.ts'
export { type CallTerms, createPriceCall, type PriceCall } from './price-call.ts'
export { linesOf, type TokenBuckets, tokenBuckets, type Usage, type UsageLine } from './usage.ts'
