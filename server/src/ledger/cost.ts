const unitsOfRate = 1_000_000n

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
	const exact = BigInt(quantity) * BigInt(rate) * BigInt(numerator)
	return divideHalfEven(exact, unitsOfRate * BigInt(denominator))
}

/** Rounds to the nearest, and a half to the even neighbour. Neither is negative. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
	const quotient = dividend / divisor
	const twice = (dividend % divisor) * 2n
	if (twice < divisor) return quotient
	if (twice > divisor) return quotient + 1n
	return quotient % 2n === 0n ? quotient : quotient + 1n
}
