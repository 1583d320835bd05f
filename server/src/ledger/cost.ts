const unitsOfRate = 1_000_000

/** A factor as a fraction of integers: a half is [1, 2]. */
export type Ratio = readonly [numerator: number, denominator: number]

export const whole: Ratio = [1, 1]

export function multiply(left: Ratio, right: Ratio): Ratio {
	return [left[0] * right[0], left[1] * right[1]]
}

/**
 * What a quantity costs in nano-dollars: `rate` is for 1,000,000 units, the product is exact, and it is rounded once,
 * half to even.
 */
export function costOf(quantity: number, rate: number, [numerator, denominator]: Ratio = whole): bigint {
	const product = quantity * rate * numerator
	const divisor = unitsOfRate * denominator
	// Whole numbers below 2^53 are exact without the cost of large integers, and almost every call is that small.
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

/** Rounds to the nearest, and a half to the even neighbour. Neither is negative. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
	const quotient = dividend / divisor
	const twice = (dividend % divisor) * 2n
	if (twice < divisor) return quotient
	if (twice > divisor) return quotient + 1n
	return quotient % 2n === 0n ? quotient : quotient + 1n
}
