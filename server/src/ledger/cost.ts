/** One billed quantity, as the ledger priced it. */
export interface LedgerEntry {
	dimension: string
	quantity: number
	/** Null if unpriced. */
	costNanoUsd: bigint | null
	/** Nano-dollars for 1,000,000 units, before the factor. */
	rate: number | null
	/** A fraction such as `1/2`; '' for 1. */
	factor: string
	/** 0 is the answer itself; providers may run models more than once for it. */
	iteration: number
	model: string
	/** Source, version and entry of the price, and its first day if known; '' if unpriced. */
	price: string
}

const unitsOfRate = 1_000_000
const nanoPerUsd = 1_000_000_000n

/** A factor as a fraction of integers: a half is [1, 2]. */
export type Ratio = readonly [numerator: number, denominator: number]

export const whole: Ratio = [1, 1]

export function multiply(left: Ratio, right: Ratio): Ratio {
	return [left[0] * right[0], left[1] * right[1]]
}

/** The cost of a quantity in nano-dollars. `rate` is for 1,000,000 units. The product is exact and rounded once, half to even. */
export function costOf(quantity: number, rate: number, [numerator, denominator]: Ratio = whole): bigint {
	const product = quantity * rate * numerator
	const divisor = unitsOfRate * denominator
	// Integers below 2^53 are exact without the cost of bigints, and almost every call is that small.
	if (Number.isSafeInteger(product) && Number.isSafeInteger(divisor))
		return BigInt(divideSmall(product, divisor))
	return divideHalfEven(BigInt(quantity) * BigInt(rate) * BigInt(numerator), BigInt(divisor))
}

function divideSmall(dividend: number, divisor: number): number {
	const rest = dividend % divisor
	const quotient = (dividend - rest) / divisor
	const missing = divisor - rest
	return rest < missing || (rest === missing && quotient % 2 === 0) ? quotient : quotient + 1
}

/** Rounds to the nearest integer, halves to the even neighbour. Both arguments must not be negative. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
	const quotient = dividend / divisor
	const twice = (dividend % divisor) * 2n
	if (twice < divisor) return quotient
	if (twice > divisor) return quotient + 1n
	return quotient % 2n === 0n ? quotient : quotient + 1n
}

/** A stored factor in the form of the API, where `1/1` is none. */
export function presentFactor(factor: string | undefined): string {
	return factor || '1/1'
}

/** Decimal text of integer nano-dollars, exact: `1234500000` is `1.2345`. */
export function toDecimalUsd(nanoUsd: bigint): string {
	const sign = nanoUsd < 0n ? '-' : ''
	const absolute = nanoUsd < 0n ? -nanoUsd : nanoUsd
	const fraction = String(absolute % nanoPerUsd)
		.padStart(9, '0')
		.replace(/0+$/, '')
	return `${sign}${absolute / nanoPerUsd}${fraction === '' ? '' : `.${fraction}`}`
}

type Money<Name extends string, Text> = Record<`${Name}_nano_usd` | `${Name}_usd`, Text>

/** An amount as all answers present it: `cost_nano_usd` and `cost_usd`; both null if there is none. */
export function presentMoney<Name extends string>(name: Name, nanoUsd: bigint | string): Money<Name, string>
export function presentMoney<Name extends string>(
	name: Name,
	nanoUsd: bigint | string | null,
): Money<Name, string | null>
export function presentMoney(name: string, nanoUsd: bigint | string | null) {
	return {
		[`${name}_nano_usd`]: nanoUsd === null ? null : String(nanoUsd),
		[`${name}_usd`]: nanoUsd === null ? null : toDecimalUsd(BigInt(nanoUsd)),
	}
}
