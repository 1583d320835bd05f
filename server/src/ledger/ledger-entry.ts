/** One billed quantity, as the ledger priced it. */
export interface LedgerEntry {
	dimension: string
	quantity: number
	/** Null: unpriced. */
	costNanoUsd: bigint | null
	/** Nano-dollars for 1,000,000 units before the factor. */
	rate: number | null
	/** A fraction, `1/2`; '' for one. */
	factor: string
	/** 0 is the answer itself; models may run beside it. */
	iteration: number
	model: string
	/** Source, version and entry of the price, and its first day where that is known; '' when unpriced. */
	price: string
}
